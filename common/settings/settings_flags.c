#include "common/settings/settings_flags.h"

#include <errno.h>

/* A flag, and its member: of `group`, or of the section itself. */
static const struct flag {
    const char *flag, *group, *name;
} flags[] = {
    {"--cpus",            "resources", "cpus"           },
    {"--memory-mb",       "resources", "memory_mb"      },
    {"--pids",            "resources", "pids"           },
    {"--open-files",      "resources", "open_files"     },
    {"--disk-mb",         "resources", "disk_mb"        },
    {"--cell-seconds",    "resources", "cell_seconds"   },
    {"--cell-write-mb",   "resources", "cell_write_mb"  },
    {"--seconds",         "resources", "seconds"        },
    {"--checkpoints",     "resources", "checkpoints"    },
    {"--network",         "network",   "mode"           },
    {"--allow",           "network",   "allow"          },
    {"--runtime",         NULL,        "runtime"        },
    {"--html",            NULL,        "html"           },
    {"--waive",           NULL,        "waive"          },
    {"--ttl-seconds",     NULL,        "ttl_seconds"    },
    {"--idle-seconds",    NULL,        "idle_seconds"   },
    {"--keep-minutes",    NULL,        "keep_minutes"   },
    {"--outputs-mb",      NULL,        "outputs_mb"     },
    {"--outputs-days",    NULL,        "outputs_days"   },
    {"--carry",           NULL,        "carry"          },
    {"--carry-mb",        NULL,        "carry_mb"       },
    {"--carry-file-mb",   NULL,        "carry_file_mb"  },
    {"--carry-files",     NULL,        "carry_files"    },
    {"--env-passthrough", NULL,        "env_passthrough"},
};

const char settings_flags_help[] =
    "  --cpus N  --memory-mb N  --pids N  --open-files N  --disk-mb N\n"
    "                    what the sandbox may use\n"
    "  --cell-seconds N  --cell-write-mb N\n"
    "                    how long one cell may run, and what it may write to disks\n"
    "  --seconds N       how long the sandbox may live, whatever it does\n"
    "  --checkpoints N   for %undo and after a crash; 0: a crash costs all variables\n"
    "  --ttl-seconds N  --idle-seconds N\n"
    "                    when it ends: after its start, after its last request\n"
    "  --keep-minutes N  how long a session waits for the next kernel of its notebook\n"
    "  --outputs-mb N  --outputs-days N\n"
    "                    how much of a notebook's outputs %outputs has, and how long\n"
    "  --carry both|send|none  --carry-mb N  --carry-file-mb N  --carry-files N\n"
    "                    how much of the notebook's folder a sandbox elsewhere gets\n"
    "  --network none|list  --allow HOST[:PORT],…\n"
    "                    what it may reach\n"
    "  --runtime namespaces|runsc\n"
    "  --html asked|reduced|full\n"
    "                    whose HTML, widgets and scripts are shown: all but a\n"
    "                    model's code (asked), none (reduced), all (full)\n"
    "  --waive LAYER,…   layers of isolation to do without\n"
    "  --env-passthrough NAME,…\n"
    "                    environment variables passed to cells\n";

static const struct flag *
find_flag(const char *word, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (strlen(flags[i].flag) == len && strncmp(flags[i].flag, word, len) == 0)
            return &flags[i];
    return NULL;
}

static const struct field *
field_of(const struct flag *flag)
{
    const struct field *group =
        flag->group ? fields_find(settings_sandbox, flag->group) : NULL;

    return fields_find(group ? group->of : settings_sandbox, flag->name);
}

static json_t *
number_of(const char *text, enum field_type type)
{
    char *end;

    errno = 0;
    double number = strtod(text, &end);
    if (end == text || *end || errno)
        return NULL;
    if (type == FIELD_NUMBER)
        return json_real(number); /* NULL for nan and inf */
    json_int_t whole = strtoll(text, &end, 10);
    return *end || errno ? NULL : json_integer(whole);
}

static json_t *
words_of(const char *text)
{
    json_auto_t *words = json_array();

    for (const char *at = text; *at;) {
        size_t len = strcspn(at, ",");
        if (len && json_array_append_new(words, json_stringn(at, len)) < 0)
            return NULL;
        at += len;
        at += *at == ',';
    }
    return TAKE(words);
}

/* NULL: it is none of that type. */
static json_t *
value_of(const char *text, const struct field *field)
{
    switch (field->type) {
    case FIELD_WHOLE:
    case FIELD_NUMBER:
        return number_of(text, field->type);
    case FIELD_LIST:
        return words_of(text);
    case FIELD_TEXT:
        return json_string(text);
    case FIELD_FLAG:
    case FIELD_OBJECT:
        break;
    }
    return NULL;
}

static json_t *
group_in(json_t *sandbox, const char *name)
{
    json_t *group = name ? json_object_get(sandbox, name) : sandbox;

    if (group)
        return group;
    group = json_object();
    json_object_set_new(sandbox, name, group);
    return group;
}

static void
put(json_t *group, const char *name, json_t *value)
{
    json_t *there = json_object_get(group, name);

    if (json_is_array(there) && json_is_array(value))
        json_array_extend(there, value);
    else
        json_object_set(group, name, value);
}

int
settings_flags_take(char *const *argv, json_t *sandbox, int *used, struct error *err)
{
    size_t len = strcspn(argv[0], "=");
    const struct flag *flag = find_flag(argv[0], len);

    if (!flag)
        return 0;
    bool is_apart = argv[0][len] == '\0';
    const char *text = !is_apart ? argv[0] + len + 1 : argv[1] ? argv[1] : "";
    const struct field *field = field_of(flag);
    json_auto_t *value = value_of(text, field);
    json_auto_t *nothing = json_null();
    if (fields_check_value(flag->flag, field, value ? value : nothing, err) < 0)
        return -1;
    put(group_in(sandbox, flag->group), flag->name, value);
    *used = is_apart && argv[1] ? 2 : 1;
    return 1;
}

void
settings_flags_override(json_t *into, const json_t *over)
{
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *)over, name, value) {
        json_t *there = json_object_get(into, name);
        if (json_is_object(there) && json_is_object(value))
            settings_flags_override(there, value);
        else
            json_object_set_new(into, name, json_deep_copy(value));
    }
}
