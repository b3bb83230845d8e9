#include "sandbox/gvisor/bundle.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/paths.h"

#define SCRATCH_SIZE "size=1g"

/* What programs need of this system. What is not there is left out. */
static const char *const system_paths[] = {
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/certs",
};

/* Of this installation. */
static const char *const own_paths[] = {
    "bin/cellpod-sandboxd",
    "lib/cellpod",
    "share/cellpod",
};

static void
add_mount(json_t *mounts, const char *source, const char *target, bool is_writable)
{
    json_array_append_new(
        mounts, json_pack("{s:s, s:s, s:s, s:[s, s, s, s]}", "destination", target,
                          "type", "bind", "source", source, "options", "rbind",
                          is_writable ? "rw" : "ro", "nosuid", "nodev"));
}

static void
add_system(json_t *mounts)
{
    for (size_t i = 0; i < COUNT_OF(system_paths); i++)
        if (access(system_paths[i], F_OK) == 0)
            add_mount(mounts, system_paths[i], system_paths[i], false);
}

static int
add_installation(json_t *mounts, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(own_paths); i++) {
        AUTO(mem) char *path = paths_installed(own_paths[i], err);
        if (!path)
            return -1;
        add_mount(mounts, path, path, false);
    }
    return 0;
}

/* The folder that holds PREFIX/bin/python, to be shown as a whole. */
static int
add_prefix(json_t *mounts, const char *python, struct error *err)
{
    AUTO(mem) char *prefix = xstrdup(python);
    const char *home = getenv("HOME");

    for (int up = 0; up < 2; up++)
        if (strrchr(prefix, '/'))
            *strrchr(prefix, '/') = '\0';
    if (strcmp(prefix, "/usr") == 0)
        return 0;
    if (!*prefix || (home && strncmp(home, prefix, strlen(prefix)) == 0))
        return error_set(
            err, ERR_BAD_INPUT,
            "%s is not in a folder of its own, and cells would see everything beside "
            "it: make a virtual environment, python3 -m venv ~/.venv",
            python);
    add_mount(mounts, prefix, prefix, false);
    return 0;
}

/* A virtual environment leads to the Python that made it. */
static int
add_python(json_t *mounts, const char *python, struct error *err)
{
    AUTO(mem) char *real = realpath(python, NULL);

    if (!real)
        return error_sys(err, "find %s", python);
    if (add_prefix(mounts, python, err) < 0)
        return -1;
    return strcmp(real, python) == 0 ? 0 : add_prefix(mounts, real, err);
}

/* In memory, which is the machine's: it has a size. */
static void
add_scratch(json_t *mounts, const char *target, const char *mode, const char *size)
{
    json_array_append_new(mounts,
                          json_pack("{s:s, s:s, s:s, s:[s, s, s, s]}", "destination",
                                    target, "type", "tmpfs", "source", "tmpfs",
                                    "options", "nosuid", "nodev", mode, size));
}

static int
add_mounts(json_t *mounts, const struct bundle_spec *spec, struct error *err)
{
    json_array_append_new(mounts, json_pack("{s:s, s:s, s:s}", "destination", "/proc",
                                            "type", "proc", "source", "proc"));
    add_scratch(mounts, "/dev/shm", "mode=1777", "size=256m");
    add_scratch(mounts, "/tmp", "mode=1777", SCRATCH_SIZE);
    add_system(mounts);
    add_mount(mounts, spec->sockets, BUNDLE_SOCKETS, true);
    if (add_installation(mounts, err) < 0 || add_python(mounts, spec->python, err) < 0)
        return -1;
    if (spec->workspace)
        add_mount(mounts, spec->workspace, "/workspace", true);
    else
        add_scratch(mounts, "/workspace", "mode=1777", SCRATCH_SIZE);
    return 0;
}

/* Whom the cells are: who owns the files that they may write. */
static json_t *
make_user(const struct bundle_spec *spec)
{
    struct stat status;
    const char *folder = spec->workspace ? spec->workspace : spec->folder;

    if (spec->is_rootless || stat(folder, &status) < 0) /* it has one user, 0 */
        status = (struct stat){.st_uid = 0, .st_gid = 0};
    return json_pack("{s:i, s:i}", "uid", (int)status.st_uid, "gid",
                     (int)status.st_gid);
}

static json_t *
make_process(const struct bundle_spec *spec, struct error *err)
{
    AUTO(mem) char *sandboxd = paths_installed("bin/cellpod-sandboxd", err);
    AUTO(mem) char *python = xasprintf("CELLPOD_PYTHON=%s", spec->python);
    AUTO(mem) char *notice =
        xasprintf("CELLPOD_NOTICE=%s", spec->notice ? spec->notice : "");

    if (!sandboxd)
        return NULL;
    return json_pack(
        "{s:o, s:[s, s, s, s, s, s, s], s:[s, s, s, s, s, s], s:s, s:{}, s:b}", "user",
        make_user(spec), "args", sandboxd, "--listen",
        "unix:" BUNDLE_SOCKETS "/sandboxd", "--capacity", "1", "--isolation", "pod",
        "env", "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/tmp",
        "XDG_STATE_HOME=/tmp/state", python, notice, "cwd", "/", "capabilities",
        "noNewPrivileges", true);
}

int
bundle_write(const struct bundle_spec *spec, struct error *err)
{
    static const char *const namespaces[] = {"pid", "network", "ipc", "uts", "mount"};
    AUTO(mem) char *root = xasprintf("%s/root", spec->folder);
    AUTO(mem) char *file = xasprintf("%s/config.json", spec->folder);
    json_auto_t *mounts = json_array(), *kinds = json_array();
    json_auto_t *process = make_process(spec, err);

    if (!process || add_mounts(mounts, spec, err) < 0)
        return -1;
    for (size_t i = 0; i < COUNT_OF(namespaces); i++)
        json_array_append_new(kinds, json_pack("{s:s}", "type", namespaces[i]));
    json_auto_t *config = json_pack(
        "{s:s, s:O, s:{s:s, s:b}, s:s, s:O, s:{s:O}}", "ociVersion", "1.0.2", "process",
        process, "root", "path", root, "readonly", true, "hostname", "sandbox",
        "mounts", mounts, "linux", "namespaces", kinds);
    if (mkdir(root, 0755) < 0)
        return error_sys(err, "make %s", root);
    return json_dump_file(config, file, JSON_INDENT(1)) < 0
               ? error_sys(err, "write %s", file)
               : 0;
}
