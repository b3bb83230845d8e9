/* The built-in planner: no server, no key; bridge.h's spec says who answers. */
#include "bridge/models/model_api.h"

const struct model_api api_planner = {
    .name = "planner",
    .is_local = true,
};
