#include "kernel/archive/archive_choice.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/digest_name.h"
#include "common/paths.h"
#include "common/settings/settings_flags.h"

#define LOG_COMPONENT "archive"
#include "common/log.h"

enum {
    OUTPUTS_MB = 64,
    OUTPUTS_DAYS = 30,
};

static json_int_t
setting(const json_t *settings, const char *name, json_int_t otherwise)
{
    const json_t *given = json_object_get(settings, name);

    return json_is_integer(given) ? json_integer_value(given) : otherwise;
}

/* The same one for the same notebook each time. */
static char *
folder_of(const char *parent, const char *notebook, const char *place)
{
    AUTO(mem) char *both = xasprintf("%s%c%s", notebook, '\0', place);

    return digest_name_path(parent,
                            (struct slice){both, strlen(notebook) + 1 + strlen(place)});
}

/* NULL: there cannot be one. */
static char *
make_folder(const char *notebook)
{
    struct error err;
    AUTO(mem) char *place = realpath(".", NULL);
    AUTO(mem) char *state = place ? paths_state_dir(&err) : NULL;
    AUTO(mem) char *parent = state ? xasprintf("%s/outputs", state) : NULL;

    if (!parent || (mkdir(parent, 0700) < 0 && errno != EEXIST)) {
        log_info("no folder for outputs");
        return NULL;
    }
    return folder_of(parent, notebook, place);
}

void
archive_choice_make(const json_t *flags, struct archive_choice *out)
{
    const char *notebook = getenv("JPY_SESSION_NAME");
    struct error err;
    json_auto_t *settings = settings_load_sandbox(NULL, &err);

    *out = (struct archive_choice){0};
    if (!settings) { /* what is wrong there is told by who makes the claim */
        out->why = "the configuration cannot be read";
        return;
    }
    settings_flags_override(settings, flags);
    out->bytes = (size_t)setting(settings, "outputs_mb", OUTPUTS_MB) << 20;
    out->seconds = (int64_t)setting(settings, "outputs_days", OUTPUTS_DAYS) * 24 * 3600;
    if (!out->bytes)
        out->why = "the configuration says so (outputs_mb)";
    else if (!notebook || !*notebook)
        out->why = "Jupyter's server has not named this notebook (JPY_SESSION_NAME)";
    else if (!(out->folder = make_folder(notebook)))
        out->why = "the folder for them cannot be made";
}

void
archive_choice_release(struct archive_choice *choice)
{
    free(TAKE(choice->folder));
}
