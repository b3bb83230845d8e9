#include "sandbox/life/spec.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/digest_name.h"

static int
look_at_folder(const char *path, struct stat *st, struct error *err)
{
    if (stat(path, st) < 0) {
        int sys = errno;
        return error_set(err, ERR_BAD_INPUT, "%s: %s", path, strerror(sys));
    }
    if (!S_ISDIR(st->st_mode))
        return error_set(err, ERR_BAD_INPUT, "%s is not a folder", path);
    return 0;
}

/* Whose files the sandbox's user shall own. Root without any folder needs none. */
static int
find_owner(const struct claim *claim, bool *found, struct stat *st, struct error *err)
{
    const char *path = claim->workspace_path;

    if (!path)
        path = json_string_value(
            json_object_get(json_array_get(claim->mounts, 0), "source"));
    *found = path != NULL;
    return path ? look_at_folder(path, st, err) : 0;
}

static int
make_folder(const char *path, struct error *err)
{
    return mkdir(path, 0700) < 0 && errno != EEXIST ? error_sys(err, "make %s", path)
                                                    : 0;
}

/* The sandbox writes to it, so it belongs to whom the workspace belongs. NULL: no
 * workspace, nothing to remember. */
static int
make_state(const struct claim *claim, const char *state_dir, const struct stat *owner,
           char **out, struct error *err)
{
    *out = NULL;
    if (!claim->workspace_path)
        return 0;
    AUTO(mem) char *parent = xasprintf("%s/workspaces", state_dir);
    AUTO(mem) char *path = digest_name_path(parent, slice_of(claim->workspace_path));
    if (make_folder(parent, err) < 0 || make_folder(path, err) < 0)
        return -1;
    if (geteuid() == 0 && lchown(path, owner->st_uid, owner->st_gid) < 0)
        return error_sys(err, "give %s to the workspace's owner", path);
    *out = TAKE(path);
    return 0;
}

static void
set_default(json_t *env, const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    json_object_set_new(env, name, json_string(value && *value ? value : otherwise));
}

/* The template's own programs come first, as in an activated environment: `!pip` is the
 * pip of this Python. */
static void
set_path(json_t *env, const char *python)
{
    const char *path = getenv("PATH");
    int folder = (int)(strrchr(python, '/') - python);
    AUTO(mem) char *full =
        xasprintf("%.*s:%s", folder, python,
                  path && *path ? path : "/usr/local/bin:/usr/bin:/bin");

    json_object_set_new(env, "PATH", json_string(full));
}

static json_t *
make_env(const struct claim *claim, const struct spec_place *place)
{
    json_t *env = json_object();

    set_path(env, place->python);
    set_default(env, "LANG", "C.UTF-8");
    set_default(env, "LC_ALL", "C.UTF-8");
    json_object_update(env, claim->env);
    network_set_env(place->network, env);
    return env;
}

/* What the sandbox sets for itself; the rest is sandboxd's to enforce. */
static const struct {
    const char *resource, *limit;
    int otherwise;
} limits[] = {
    {"pids",       "pids",   512 },
    {"open_files", "nofile", 4096},
    {"disk_mb",    "tmp_mb", 1024},
};

static bool
is_more(const json_t *made, const char *one, const char *other)
{
    return json_integer_value(json_object_get(made, one)) >
           json_integer_value(json_object_get(made, other));
}

static json_t *
make_limits(const struct claim *claim, const struct spec_place *place)
{
    json_t *made =
        json_pack("{s:I, s:b}", "memory_mb", (json_int_t)(place->memory_limit >> 20),
                  "is_metered", place->is_metered);

    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        json_t *value = json_object_get(claim->resources, limits[i].resource);
        json_object_set_new(made, limits[i].limit,
                            json_is_integer(value) ? json_incref(value)
                                                   : json_integer(limits[i].otherwise));
    }
    /* Scratch is memory, too; a control group would see to that. */
    if (place->is_metered && is_more(made, "tmp_mb", "memory_mb"))
        json_object_set(made, "tmp_mb", json_object_get(made, "memory_mb"));
    return made;
}

static json_t *
make_workspace(const struct claim *claim)
{
    return claim->workspace_path
               ? json_pack("{s:s, s:s}", "path", claim->workspace_path, "mode",
                           claim->workspace_mode)
               : json_null();
}

static const char *
cwd_of(const struct claim *claim)
{
    if (claim->cwd)
        return claim->cwd;
    return claim->workspace_path ? claim->workspace_path : "/workspace";
}

static bool
waives(const struct claim *claim, const char *layer)
{
    size_t index;
    json_t *name;

    json_array_foreach (claim->waive, index, name)
        if (strcmp(json_string_value(name), layer) == 0)
            return true;
    return false;
}

int
spec_make(const struct claim *claim, const struct spec_place *place, struct spec *out,
          struct error *err)
{
    const bool is_root = geteuid() == 0 && !place->is_pod;
    const uid_t uid = SANDBOX_UID_BASE + place->slot;
    AUTO(mem) char *state = NULL;
    struct stat owner = {.st_uid = 0};
    bool has_owner;
    int idmap = -1;

    if (find_owner(claim, &has_owner, &owner, err) < 0 ||
        make_state(claim, place->state_dir, &owner, &state, err) < 0)
        return -1;
    if (is_root && has_owner &&
        (idmap = idmap_cache_get(place->idmap_cache, place->slot, owner.st_uid,
                                 owner.st_gid, uid, err)) < 0)
        return -1;
    out->json = json_pack(
        "{s:o, s:s, s:o, s:O, s:s?, s:o, s:o, s:b, s:O, s:o}", "sandbox_uid",
        is_root ? json_integer(uid) : json_null(), "cwd", cwd_of(claim), "workspace",
        make_workspace(claim), "mounts", claim->mounts, "state", state, "env",
        make_env(claim, place), "limits", make_limits(claim, place), "idmap",
        idmap >= 0, "waive", claim->waive, "proxy_port", network_port(place->network));
    out->idmap = idmap;
    out->owner = is_root && !waives(claim, "users") ? (int64_t)uid : -1;
    return 0;
}

void
spec_release(struct spec *spec)
{
    json_decref(spec->json);
    spec->json = NULL;
}
