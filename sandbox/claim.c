#include "sandbox/claim.h"

#include <ctype.h>
#include <limits.h>

#include "common/limits.h"

enum {
    MAX_SECONDS = 366 * 24 * 3600,
    MAX_RESOURCE = 1 << 30,
};

typedef int (*check_fn)(const char *name, json_t *value, struct error *err);

/* A field, how it is checked, and whether it must be there. */
struct field {
    const char *name;
    check_fn check;
    bool required;
};

static int
refuse(struct error *err, const char *name, const char *why)
{
    return error_set(err, ERR_BAD_INPUT, "%s %s", name, why);
}

/* jansson keeps NUL bytes out: a string is as long as it looks. */
static int
check_text(const char *name, json_t *value, struct error *err)
{
    size_t len = json_string_length(value);

    if (!json_is_string(value) || len == 0 || len > LIMIT_REQUEST_ID)
        return refuse(err, name, "must be a text of 1 to 256 bytes");
    return 0;
}

static bool
has_dot_segment(const char *path)
{
    for (const char *at = path; (at = strchr(at, '/')); at++) {
        size_t len = strcspn(at + 1, "/");
        if ((len == 1 && at[1] == '.') || (len == 2 && at[1] == '.' && at[2] == '.'))
            return true;
    }
    return false;
}

static int
check_path(const char *name, json_t *value, struct error *err)
{
    const char *path = json_string_value(value);

    if (!path || path[0] != '/' || strlen(path) >= PATH_MAX || has_dot_segment(path))
        return refuse(err, name, "must be an absolute path without . and ..");
    return 0;
}

/* Of the daemon's side only: however it is spelled, it is run as it stands. */
static int
check_program(const char *name, json_t *value, struct error *err)
{
    const char *path = json_string_value(value);

    if (!path || path[0] != '/' || strlen(path) >= PATH_MAX)
        return refuse(err, name, "must be an absolute path");
    return 0;
}

static int
check_mode(const char *name, json_t *value, struct error *err)
{
    const char *mode = json_string_value(value);

    if (!mode || (strcmp(mode, "rw") != 0 && strcmp(mode, "ro") != 0))
        return refuse(err, name, "must be \"rw\" or \"ro\"");
    return 0;
}

static int
check_seconds(const char *name, json_t *value, struct error *err)
{
    json_int_t seconds = json_integer_value(value);

    if (!json_is_integer(value) || seconds < 1 || seconds > MAX_SECONDS)
        return refuse(err, name, "must be a number of seconds, from 1 to a year");
    return 0;
}

static int
check_amount(const char *name, json_t *value, struct error *err)
{
    json_int_t amount = json_integer_value(value);

    if (!json_is_integer(value) || amount < 1 || amount > MAX_RESOURCE)
        return refuse(err, name, "must be a whole number, from 1 to 2^30");
    return 0;
}

static int
check_flag(const char *name, json_t *value, struct error *err)
{
    return json_is_boolean(value) ? 0 : refuse(err, name, "must be true or false");
}

static const struct field *
find_field(const struct field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

/* null means: not given. */
static int
check_object(const char *name, json_t *object, const struct field *fields,
             struct error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return refuse(err, name, "must be an object");
    json_object_foreach (object, key, value) {
        const struct field *field = find_field(fields, key);
        if (!field)
            return error_set(err, ERR_BAD_INPUT, "%s has no field %.64s", name, key);
        if (!json_is_null(value) && field->check(field->name, value, err) < 0)
            return -1;
    }
    for (; fields->name; fields++)
        if (fields->required && !json_is_string(json_object_get(object, fields->name)))
            return error_set(err, ERR_BAD_INPUT, "%s lacks %s", name, fields->name);
    return 0;
}

static int
check_workspace(const char *name, json_t *value, struct error *err)
{
    static const struct field fields[] = {
        {"path", check_path, true },
        {"mode", check_mode, false},
        {NULL,   NULL,       false},
    };

    return check_object(name, value, fields, err);
}

static int
check_mount(const char *name, json_t *value, struct error *err)
{
    static const struct field fields[] = {
        {"source", check_path, true },
        {"target", check_path, false},
        {"mode",   check_mode, false},
        {NULL,     NULL,       false},
    };

    return check_object(name, value, fields, err);
}

static int
check_list(const char *name, json_t *list, check_fn check, struct error *err)
{
    size_t index;
    json_t *value;

    if (!json_is_array(list) || json_array_size(list) > LIMIT_CLAIM_LIST)
        return refuse(err, name, "must be a list of at most 256");
    json_array_foreach (list, index, value)
        if (check(name, value, err) < 0)
            return -1;
    return 0;
}

static int
check_mounts(const char *name, json_t *value, struct error *err)
{
    return check_list(name, value, check_mount, err);
}

static int
check_waive(const char *name, json_t *value, struct error *err)
{
    return check_list(name, value, check_text, err);
}

static bool
is_variable_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return !*name;
}

static int
check_env(const char *name, json_t *env, struct error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(env) || json_object_size(env) > LIMIT_CLAIM_LIST)
        return refuse(err, name, "must be an object of at most 256 variables");
    json_object_foreach (env, key, value)
        if (!is_variable_name(key) || !json_is_string(value))
            return refuse(err, name, "must map names of variables to texts");
    return 0;
}

static int
check_resources(const char *name, json_t *value, struct error *err)
{
    static const struct field fields[] = {
        {"memory_mb", check_amount, false},
        {"pids",      check_amount, false},
        {"nofile",    check_amount, false},
        {"tmp_mb",    check_amount, false},
        {NULL,        NULL,         false},
    };

    return check_object(name, value, fields, err);
}

static const struct field claim_fields[] = {
    {"task_id",      check_text,      true },
    {"template",     check_program,   false},
    {"workspace",    check_workspace, false},
    {"mounts",       check_mounts,    false},
    {"env",          check_env,       false},
    {"cwd",          check_path,      false},
    {"ttl_seconds",  check_seconds,   false},
    {"idle_seconds", check_seconds,   false},
    {"resources",    check_resources, false},
    {"waive",        check_waive,     false},
    {"owner",        check_flag,      false},
    {NULL,           NULL,            false},
};

/* --- from the checked tree --- */

static const char *
text_or(const json_t *object, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : otherwise;
}

static json_t *
get_or_add(json_t *tree, const char *name, json_t *otherwise)
{
    json_t *value = json_object_get(tree, name);

    if (value && !json_is_null(value)) {
        json_decref(otherwise);
        return value;
    }
    json_object_set_new(tree, name, otherwise);
    return otherwise;
}

static void
complete_mounts(json_t *mounts)
{
    size_t index;
    json_t *mount;

    json_array_foreach (mounts, index, mount) {
        const char *source = text_or(mount, "source", "");
        get_or_add(mount, "target", json_string(source));
        get_or_add(mount, "mode", json_string("ro"));
    }
}

static void
fill(struct claim *claim)
{
    json_t *tree = claim->tree;
    json_t *workspace = json_object_get(tree, "workspace");

    claim->task_id = text_or(tree, "task_id", "");
    claim->template = text_or(tree, "template", NULL);
    claim->cwd = text_or(tree, "cwd", NULL);
    claim->workspace_path = text_or(workspace, "path", NULL);
    claim->workspace_mode = text_or(workspace, "mode", "rw");
    claim->mounts = get_or_add(tree, "mounts", json_array());
    claim->env = get_or_add(tree, "env", json_object());
    claim->resources = get_or_add(tree, "resources", json_object());
    claim->waive = get_or_add(tree, "waive", json_array());
    claim->ttl_seconds = json_integer_value(json_object_get(tree, "ttl_seconds"));
    claim->idle_seconds = json_integer_value(json_object_get(tree, "idle_seconds"));
    claim->owner = json_is_true(json_object_get(tree, "owner"));
    complete_mounts(claim->mounts);
}

int
claim_parse(struct slice body, struct claim *out, struct error *err)
{
    json_error_t at;
    json_auto_t *tree = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, &at);

    if (!tree)
        return error_set(err, ERR_BAD_INPUT, "the body is no JSON, at byte %d",
                         at.position);
    if (check_object("the claim", tree, claim_fields, err) < 0)
        return -1;
    *out = (struct claim){.tree = TAKE(tree)};
    fill(out);
    return 0;
}

void
claim_release(struct claim *claim)
{
    json_decref(claim->tree);
    *claim = (struct claim){.tree = NULL};
}
