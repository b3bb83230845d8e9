#include "kernel/carry/carry_choice.h"

#include "common/settings/settings_flags.h"
#include "kernel/place/workspace_choice.h"

enum {
    CARRY_MB = 256,
    CARRY_FILE_MB = 64,
    CARRY_FILES = 2000,
};

static uint64_t
number(const json_t *settings, const char *name, uint64_t otherwise)
{
    const json_t *given = json_object_get(settings, name);

    return json_is_integer(given) ? (uint64_t)json_integer_value(given) : otherwise;
}

static const char *
word_of(const json_t *settings, const json_t *flags)
{
    const char *word = json_string_value(json_object_get(flags, "carry"));

    if (!word)
        word = getenv("CELLPOD_CARRY");
    if (!word)
        word = json_string_value(json_object_get(settings, "carry"));
    return word ? word : "both";
}

/* The last component of what Jupyter's server calls the notebook. */
static char *
session_name(void)
{
    const char *name = getenv("JPY_SESSION_NAME");
    const char *slash = name ? strrchr(name, '/') : NULL;

    return name && *name ? xstrdup(slash ? slash + 1 : name) : NULL;
}

static void
choose_folder(struct carry_choice *out)
{
    AUTO(mem) char *folder = realpath(".", NULL);
    AUTO(mem) char *home = workspace_choice_home();
    const char *why =
        folder ? workspace_choice_refuses(folder, home) : "it no longer exists";

    out->is_flat = folder && home && strcmp(folder, home) == 0;
    if (!why || out->is_flat)
        out->folder = TAKE(folder);
    else
        out->notice = xasprintf(
            "cellpod: no files of %s are sent to the sandbox: %s. Start the notebook "
            "in a folder of its own.\n",
            folder ? folder : "the notebook's folder", why);
}

void
carry_choice_make(const json_t *flags, struct carry_choice *out)
{
    struct error err;
    json_auto_t *settings = settings_load_sandbox(NULL, &err);

    *out = (struct carry_choice){0};
    const char *word = settings ? word_of(settings, flags) : "none";
    if (strcmp(word, "none") == 0)
        return;
    out->is_back = strcmp(word, "send") != 0;
    settings_flags_override(settings, flags);
    out->bounds = (struct carry_bounds){
        .file_bytes = number(settings, "carry_file_mb", CARRY_FILE_MB) * MIB(1),
        .total_bytes = number(settings, "carry_mb", CARRY_MB) * MIB(1),
        .files = (unsigned)number(settings, "carry_files", CARRY_FILES),
    };
    out->session = session_name();
    choose_folder(out);
}

void
carry_choice_release(struct carry_choice *choice)
{
    free(choice->folder);
    free(choice->session);
    free(choice->notice);
    *choice = (struct carry_choice){0};
}
