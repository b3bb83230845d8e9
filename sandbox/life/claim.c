#include "sandbox/life/claim.h"

#include <limits.h>

#include "common/limits.h"
#include "common/settings/settings.h"

enum {
    MIN_REMOTE_TASK_ID = 16,
};

/* Of the daemon's side only: however it is spelled, it is run as it stands. */
static bool
is_program(const json_t *value)
{
    const char *path = json_string_value(value);

    return path[0] == '/' && strlen(path) < PATH_MAX;
}

static bool
is_environment(const json_t *env)
{
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *)env, name, value)
        if (!settings_is_variable(name) || !json_is_string(value))
            return false;
    return true;
}

static const struct field workspace_fields[] = {
    FIELD("path", TEXT, SETTINGS_PATH, .required = true),
    FIELD("mode", TEXT, SETTINGS_MODE),
    FIELDS_END,
};

static const struct field task = {
    .type = FIELD_TEXT, .least = 1, .most = LIMIT_REQUEST_ID};

/* Which notebook's session it is, and for how long that waits for its next kernel; over
 * TCP, by which task_id it was claimed before. */
static const struct field keep_fields[] = {
    FIELD("notebook", TEXT, .least = 1, .most = PATH_MAX, .required = true),
    FIELD("build", TEXT, .least = 1, .most = 64, .required = true),
    FIELD("seconds", WHOLE, SETTINGS_SECONDS, .required = true),
    FIELD("fresh", FLAG),
    FIELD("before", LIST, .least = 1, .most = LIMIT_CLAIM_TASKS, .of = &task),
    FIELDS_END,
};

static const struct field claim_fields[] = {
    FIELD("task_id", TEXT, .least = 1, .most = LIMIT_REQUEST_ID, .required = true),
    FIELD("template", TEXT, .must = "an absolute path", .is_valid = is_program),
    FIELD("workspace", OBJECT, .of = workspace_fields),
    FIELD("mounts", LIST, SETTINGS_MOUNTS),
    FIELD("env", OBJECT, .most = LIMIT_CLAIM_LIST,
          .must = "an object of at most 256 variables, names and strings",
          .is_valid = is_environment),
    FIELD("cwd", TEXT, SETTINGS_PATH),
    FIELD("ttl_seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("idle_seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("resources", OBJECT, .of = settings_resources),
    FIELD("network", OBJECT, .of = settings_network),
    FIELD("runtime", TEXT, SETTINGS_RUNTIME),
    FIELD("waive", LIST, SETTINGS_WAIVE),
    FIELD("owner", FLAG),
    FIELD("keep", OBJECT, .of = keep_fields),
    FIELDS_END,
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
    claim->network = get_or_add(tree, "network", json_object());
    claim->runtime = text_or(tree, "runtime", "namespaces");
    claim->waive = get_or_add(tree, "waive", json_array());
    claim->ttl_seconds = json_integer_value(json_object_get(tree, "ttl_seconds"));
    claim->idle_seconds = json_integer_value(json_object_get(tree, "idle_seconds"));
    claim->owner = json_is_true(json_object_get(tree, "owner"));
    claim->keep = json_object_get(tree, "keep");
    if (json_is_null(claim->keep))
        claim->keep = NULL;
    complete_mounts(claim->mounts);
}

/* What others do: never a silent default. */
static int
refuse_missing(const struct claim *claim, struct error *err)
{
    if (strcmp(claim->runtime, "runsc") == 0)
        return error_set(err, ERR_BAD_INPUT,
                         "runtime \"runsc\" is for cellpod-kernel, which then starts a "
                         "sandboxd of its own under gVisor; leave it out here");
    return 0;
}

static json_t *
parse_tree(const char *name, struct slice body, const struct field *fields,
           struct error *err)
{
    json_error_t at;
    json_auto_t *tree = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, &at);

    if (!tree)
        return (void)error_set(err, ERR_BAD_INPUT,
                               "the body is not valid JSON, at byte %d", at.position),
               NULL;
    if (fields_check("", tree, fields, err) < 0)
        return (void)error_wrap(err, "%s", name), NULL;
    return TAKE(tree);
}

int
claim_parse(struct slice body, struct claim *out, struct error *err)
{
    AUTO(claim) struct claim claim = {
        .tree = parse_tree("the claim", body, claim_fields, err)};

    if (!claim.tree)
        return -1;
    fill(&claim);
    if (refuse_missing(&claim, err) < 0)
        return error_wrap(err, "the claim");
    *out = claim;
    claim.tree = NULL;
    return 0;
}

int
claim_check_local(const struct claim *claim, struct error *err)
{
    if (claim->keep && !claim->owner)
        return error_set(err, ERR_BAD_INPUT,
                         "the claim: keep is for a claim with an owner");
    if (json_object_get(claim->keep, "before"))
        return error_set(err, ERR_BAD_INPUT,
                         "the claim: before is for claims over TCP");
    return 0;
}

int
claim_check_remote(const struct claim *claim, struct error *err)
{
    const char *mode = text_or(claim->network, "mode", "none");
    const struct {
        const char *name;
        bool is_given;
    } local[] = {
        {"workspace", claim->workspace_path != NULL     },
        {"mounts",    json_array_size(claim->mounts) > 0},
        {"template",  claim->template != NULL           },
        {"network",   strcmp(mode,                        "none") != 0},
        {"waive",           json_array_size(claim->waive) > 0                                      },
        {"owner",           claim->owner},
    };

    for (size_t i = 0; i < COUNT_OF(local); i++)
        if (local[i].is_given)
            return error_set(
                err, ERR_DENIED,
                "%s is not allowed in claims over TCP: only this machine's user may "
                "grant its folders, programs, hosts and layers, on the unix socket",
                local[i].name);
    if (strlen(claim->task_id) < MIN_REMOTE_TASK_ID)
        return error_set(err, ERR_BAD_INPUT,
                         "task_id must have %d bytes or more over TCP, and be random: "
                         "whoever knows it owns the sandbox. Use a UUID",
                         MIN_REMOTE_TASK_ID);
    return 0;
}

/* What a session is: the claim without what differs from kernel to kernel. */
static json_t *
session_of(const struct claim *claim)
{
    static const char *const varying[] = {"task_id", "keep", "env"};
    json_t *session = json_copy(claim->tree);
    json_t *keep = json_object_get(claim->tree, "keep");

    for (size_t i = 0; i < COUNT_OF(varying); i++)
        json_object_del(session, varying[i]);
    json_object_set(session, "notebook", json_object_get(keep, "notebook"));
    json_object_set(session, "build", json_object_get(keep, "build"));
    return session;
}

bool
claim_is_same_session(const struct claim *a, const struct claim *b)
{
    json_auto_t *one = session_of(a), *other = session_of(b);

    return a->keep && b->keep && json_equal(one, other);
}

static const struct field extension_fields[] = {
    FIELD("ttl_seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("idle_seconds", WHOLE, SETTINGS_SECONDS),
    FIELDS_END,
};

int
claim_parse_extension(struct slice body, struct extension *out, struct error *err)
{
    json_auto_t *tree = parse_tree("the change", body, extension_fields, err);

    if (!tree)
        return -1;
    out->ttl_seconds = json_integer_value(json_object_get(tree, "ttl_seconds"));
    out->idle_seconds = json_integer_value(json_object_get(tree, "idle_seconds"));
    return 0;
}

void
claim_release(struct claim *claim)
{
    json_decref(claim->tree);
    *claim = (struct claim){.tree = NULL};
}
