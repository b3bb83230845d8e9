#include "common/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/version.h"

static int
make_parents(const char *path)
{
    AUTO(mem) char *copy = xstrdup(path);

    for (char *at = strchr(copy + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            return -1;
        *at = '/';
    }
    return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

/* Makes the directory if need be; refuses one that others own or may write to. */
static int
ensure_private(const char *path, struct error *err)
{
    struct stat st;

    if (make_parents(path) < 0)
        return error_sys(err, "make %s", path);
    if (lstat(path, &st) < 0)
        return error_sys(err, "check %s", path);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
        return error_set(err, ERR_DENIED,
                         "%s must be a directory that only you can write to: remove it",
                         path);
    return 0;
}

static const char *
home(void)
{
    const char *path = getenv("HOME");

    if (path && path[0] == '/')
        return path;
    struct passwd *user = getpwuid(geteuid());
    return user ? user->pw_dir : "/";
}

static bool
is_absolute(const char *path)
{
    return path && path[0] == '/';
}

char *
paths_runtime_dir(struct error *err)
{
    const char *base = getenv("XDG_RUNTIME_DIR");
    AUTO(mem) char *path = is_absolute(base)
                               ? xasprintf("%s/cellpod", base)
                               : xasprintf("/tmp/cellpod-%u", (unsigned)geteuid());

    return ensure_private(path, err) < 0 ? NULL : TAKE(path);
}

/* $VARIABLE/cellpod, else ~/FALLBACK/cellpod. */
static char *
below_home(const char *variable, const char *fallback)
{
    const char *base = getenv(variable);

    return is_absolute(base) ? xasprintf("%s/cellpod", base)
                             : xasprintf("%s/%s/cellpod", home(), fallback);
}

char *
paths_state_dir(struct error *err)
{
    AUTO(mem) char *path = below_home("XDG_STATE_HOME", ".local/state");

    return ensure_private(path, err) < 0 ? NULL : TAKE(path);
}

char *
paths_cache_dir(struct error *err)
{
    AUTO(mem) char *path = below_home("XDG_CACHE_HOME", ".cache");

    return ensure_private(path, err) < 0 ? NULL : TAKE(path);
}

char *
paths_config_dir(void)
{
    return below_home("XDG_CONFIG_HOME", ".config");
}

char *
paths_expand_home(const char *path)
{
    return strncmp(path, "~/", 2) == 0 ? xasprintf("%s/%s", home(), path + 2)
                                       : xstrdup(path);
}

char *
paths_sandboxd_socket(struct error *err)
{
    AUTO(mem) char *directory = paths_runtime_dir(err);

    return directory ? xasprintf("%s/sandboxd-%s.sock", directory, cellpod_build)
                     : NULL;
}

char *
paths_installed(const char *below_prefix, struct error *err)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

    if (len < 0)
        return (void)error_sys(err, "find this program's own path"), NULL;
    program[len] = '\0';
    for (int i = 0; i < 2; i++) { /* PREFIX/bin/program */
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = '\0';
    }
    return xasprintf("%s/%s", program, below_prefix);
}

char *
paths_python(void)
{
    char line[PATH_MAX] = "";
    AUTO(mem) char *file = paths_installed("share/cellpod/python", NULL);
    FILE *in = file ? fopen(file, "re") : NULL;

    if (!in)
        return NULL;
    bool is_read = fgets(line, sizeof(line), in) != NULL;
    fclose(in);
    line[strcspn(line, "\n")] = '\0';
    return is_read && *line == '/' && access(line, X_OK) == 0 ? xstrdup(line) : NULL;
}
