/* The built-in planner: no server, no key; bridge.h's spec says who answers. */
#include "bridge/models/model_api.h"

const struct model_api wire_planner = {
    .api = "planner",
    .is_local = true,
};
