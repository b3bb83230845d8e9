/* cellpod install: a kernelspec, where Jupyter looks for it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/capture.h"
#include "cli/command.h"
#include "common/paths.h"
#include "kernel/place/claim.h"

/* Beside kernel.json, copied as they are. */
static const char *const logos[] = {"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"};

struct install {
    bool is_sys_prefix;
    const char *prefix; /* NULL: the user's own folder */
    char *python;
};

/* --- where to --- */

static char *
users_folder(struct error *err)
{
    const char *named = getenv("JUPYTER_DATA_DIR"), *data = getenv("XDG_DATA_HOME");

    if (named && *named)
        return xstrdup(named);
    if (data && data[0] == '/')
        return xasprintf("%s/jupyter", data);
    char *home = paths_expand_home("~/.local/share/jupyter");
    if (home[0] == '/')
        return home;
    free(home);
    error_format(err, ERR_NOT_FOUND, "HOME is not a folder: give --prefix DIR");
    return NULL;
}

static char *
prefix_of(char *python, struct error *err)
{
    char isolated[] = "-I", run[] = "-c", code[] = "import sys; print(sys.prefix)";
    char *arguments[] = {python, isolated, run, code, NULL};

    return capture_line(arguments, err);
}

static char *
spec_folder(const struct install *install, struct error *err)
{
    AUTO(mem) char *own = NULL;

    if (install->prefix)
        return xasprintf("%s/share/jupyter/kernels/cellpod", install->prefix);
    own = install->is_sys_prefix ? prefix_of(install->python, err) : users_folder(err);
    if (!own)
        return NULL;
    return xasprintf("%s%s/kernels/cellpod", own,
                     install->is_sys_prefix ? "/share/jupyter" : "");
}

/* --- what --- */

static char *
replace(const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);

    if (!at)
        return xstrdup(text);
    return xasprintf("%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
}

static json_t *
filled(const json_t *value, const char *programs, const char *python)
{
    AUTO(mem) char *half = replace(json_string_value(value), "@BINDIR@", programs);
    AUTO(mem) char *whole = replace(half, "@PYTHON@", python);

    return json_string(whole);
}

static json_t *
make_spec(const struct install *install, const char *source, struct error *err)
{
    AUTO(mem) char *template = xasprintf("%s/kernel.json.in", source);
    AUTO(mem) char *programs = paths_installed("bin", err);
    json_auto_t *spec = json_load_file(template, 0, NULL);
    json_t *argv = json_object_get(spec, "argv"), *env = json_object_get(spec, "env");
    const char *name;
    json_t *value;
    void *next;
    size_t i;

    if (!programs)
        return NULL;
    if (!json_is_array(argv) || !json_is_object(env)) {
        error_format(err, ERR_NOT_FOUND, "%s is missing: install cellpod again",
                     template);
        return NULL;
    }
    json_array_foreach (argv, i, value)
        json_array_set_new(argv, i, filled(value, programs, install->python));
    json_object_foreach_safe(env, next, name, value)
        json_object_set_new(env, name, filled(value, programs, install->python));
    return TAKE(spec);
}

/* --- writing it --- */

static int
make_folders(const char *path, struct error *err)
{
    AUTO(mem) char *copy = xasprintf("%s/", path);

    for (char *at = strchr(copy + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(copy, 0777) < 0 && errno != EEXIST)
            return error_sys(err, "make %s", copy);
        *at = '/';
    }
    return 0;
}

/* Whole or not at all: a client may read it at any time. */
static int
write_file(const char *path, struct slice bytes, struct error *err)
{
    AUTO(mem) char *fresh = xasprintf("%s.%d", path, (int)getpid());
    AUTO(fd) int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (file < 0)
        return error_sys(err, "write %s", fresh);
    if (write(file, bytes.data, bytes.len) != (ssize_t)bytes.len ||
        rename(fresh, path) < 0) {
        (void)error_sys(err, "write %s", path);
        unlink(fresh);
        return -1;
    }
    return 0;
}

static int
copy_file(const char *from, const char *to, struct error *err)
{
    char bytes[KIB(64)];
    AUTO(fd) int file = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t len = file < 0 ? -1 : read(file, bytes, sizeof(bytes));

    if (len < 0)
        return error_sys(err, "read %s", from);
    return write_file(to, (struct slice){bytes, (size_t)len}, err);
}

static int
write_spec(const struct install *install, struct error *err)
{
    AUTO(mem) char *source = paths_installed("share/cellpod/kernelspec/cellpod", err);
    AUTO(mem) char *folder = source ? spec_folder(install, err) : NULL;
    json_auto_t *spec = folder ? make_spec(install, source, err) : NULL;

    if (!spec || make_folders(folder, err) < 0)
        return -1;
    for (size_t i = 0; i < COUNT_OF(logos); i++) {
        AUTO(mem) char *from = xasprintf("%s/%s", source, logos[i]);
        AUTO(mem) char *to = xasprintf("%s/%s", folder, logos[i]);
        if (copy_file(from, to, err) < 0)
            return -1;
    }
    AUTO(mem) char *text = json_dumps(spec, JSON_INDENT(2));
    AUTO(mem) char *path = xasprintf("%s/kernel.json", folder);
    if (write_file(path, slice_of(text), err) < 0)
        return -1;
    printf("%s: cells run %s\n", path, install->python);
    return 0;
}

/* --- the command --- */

static int
parse_arguments(struct install *install, char **arguments)
{
    int places = 0;

    for (char **at = arguments + 1; *at; at++) {
        bool has_value = strcmp(*at, "--prefix") == 0 || strcmp(*at, "--python") == 0;
        if (has_value && !at[1])
            return command_misused("install: %s needs a path", *at);
        if (strcmp(*at, "--python") == 0) {
            setenv("CELLPOD_PYTHON", *++at, 1);
            continue;
        }
        places++;
        if (strcmp(*at, "--prefix") == 0)
            install->prefix = *++at;
        else if (strcmp(*at, "--sys-prefix") == 0)
            install->is_sys_prefix = true;
        else if (strcmp(*at, "--user") != 0)
            return command_misused("install: unknown option `%.60s'", *at);
    }
    if (places > 1)
        return command_misused(
            "install: give only one of --user, --sys-prefix and --prefix");
    return EXIT_FINE;
}

int
command_install(char **arguments)
{
    struct install install = {0};
    struct error err;
    int misused = parse_arguments(&install, arguments);

    if (misused)
        return misused;
    AUTO(mem) char *python = install.python = claim_find_python(&err);
    if (!python || write_spec(&install, &err) < 0)
        return command_fail(&err);
    return EXIT_FINE;
}
