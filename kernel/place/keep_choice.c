#include "kernel/place/keep_choice.h"

#include "common/settings/settings_flags.h"
#include "common/version.h"

#define KEEP_MINUTES 60

/* What is wrong in the configuration is told by who makes the claim. */
static json_int_t
minutes(const json_t *flags)
{
    struct error err;
    json_auto_t *settings = settings_load_sandbox(NULL, &err);

    if (!settings)
        return 0;
    settings_flags_override(settings, flags);
    const json_t *given = json_object_get(settings, "keep_minutes");
    return json_is_integer(given) ? json_integer_value(given) : KEEP_MINUTES;
}

bool
keep_choice_add(json_t *claim, const json_t *flags, bool is_fresh)
{
    const char *name = getenv("JPY_SESSION_NAME");
    const json_int_t kept = minutes(flags);
    json_t *notebook = name && *name ? json_string(name) : NULL; /* NULL: not UTF-8 */

    if (!notebook || kept == 0) {
        json_decref(notebook);
        return false;
    }
    json_object_set_new(claim, "keep",
                        json_pack("{s:o, s:s, s:I, s:b}", "notebook", notebook, "build",
                                  cellpod_build, "seconds", kept * 60, "fresh",
                                  (int)is_fresh));
    return true;
}
