/* Which files of a workspace are listed for who keeps a copy of them. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/buffer.h"
#include "sandbox/files/workspace_tree.h"
#include "tests/unit/unit.h"

static bool
make_file(const char *folder, const char *path)
{
    AUTO(mem) char *full = xasprintf("%s/%s", folder, path);
    AUTO(fd) int file = open(full, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    return file >= 0;
}

static void
make_folder(const char *folder, const char *path)
{
    AUTO(mem) char *full = xasprintf("%s/%s", folder, path);

    (void)mkdir(full, 0700);
}

/* The paths, one after the other. */
static void
list_into(const char *folder, struct buffer *out)
{
    struct workspace workspace = WORKSPACE_INIT;
    struct error err;
    const json_t *entry;
    size_t at;

    int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(workspace_set(&workspace, root, -1, &err), 0);
    json_auto_t *tree = workspace_tree(&workspace, &err);
    json_array_foreach (json_object_get(tree, "files"), at, entry)
        buffer_printf(out, "%s ", json_string_value(json_array_get(entry, 0)));
    workspace_release(&workspace);
}

static void
everything_but_what_is_left_out(void **state UNUSED)
{
    char folder[] = "/tmp/cellpod-tree-XXXXXX";

    assert_non_null(mkdtemp(folder));
    make_folder(folder, "data");
    make_folder(folder, "__pycache__");
    assert_true(make_file(folder, "a.csv"));
    assert_true(make_file(folder, "data/b.csv"));
    assert_true(make_file(folder, ".hidden"));
    assert_true(make_file(folder, "__pycache__/c.pyc"));
    AUTO(buffer) struct buffer all = BUFFER_INIT(SIZE_MAX);
    list_into(folder, &all);
    assert_string_equal(all.data, "a.csv data/b.csv ");
    AUTO(mem) char *command = xasprintf("rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static bool
write_text(const char *path, const char *text)
{
    AUTO(fd) int file = open(path, O_WRONLY | O_CLOEXEC);

    return write(file, text, strlen(text)) == (ssize_t)strlen(text);
}

/* An ordinary user becomes root of namespaces of its own. */
static bool
become_root(uid_t user, gid_t group)
{
    AUTO(mem) char *users = xasprintf("0 %u 1", user);
    AUTO(mem) char *groups = xasprintf("0 %u 1", group);

    return write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/uid_map", users) &&
           write_text("/proc/self/gid_map", groups);
}

/* In namespaces of its own. 0: as it is to be. */
static int
look_at_volume(const char *folder)
{
    AUTO(mem) char *volume = xasprintf("%s/team", folder);

    const uid_t user = geteuid();
    const gid_t group = getegid();

    if (unshare((user ? CLONE_NEWUSER : 0) | CLONE_NEWNS) < 0 ||
        (user && !become_root(user, group)))
        return 77;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("none", volume, "tmpfs", 0, "size=1m") < 0 ||
        !make_file(folder, "team/b.csv"))
        return 78;
    AUTO(buffer) struct buffer all = BUFFER_INIT(SIZE_MAX);
    list_into(folder, &all);
    return all.data && strcmp(all.data, "a.csv ") == 0 ? 0 : 1;
}

static void
a_volume_mounted_in_it_is_not_listed(void **state UNUSED)
{
    char folder[] = "/tmp/cellpod-tree-XXXXXX";
    int status;

    assert_non_null(mkdtemp(folder));
    make_folder(folder, "team");
    assert_true(make_file(folder, "a.csv"));
    pid_t child = fork();
    if (child == 0)
        _exit(look_at_volume(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    AUTO(mem) char *command = xasprintf("rm -r %s", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_but_what_is_left_out),
        cmocka_unit_test(a_volume_mounted_in_it_is_not_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
