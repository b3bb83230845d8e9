/* What a daemon is started with: posix_spawn is ours (see WRAP_ in the Makefile). */
#include "common/sandboxd_spawn.h"

#include <spawn.h>

#include "tests/unit/unit.h"

static struct {
    char *path;
    char text[8192]; /* its environment, a line for each entry */
} started;

int __wrap_posix_spawn(pid_t *pid, const char *path,
                       const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[],
                       char *const envp[]);

int
__wrap_posix_spawn(pid_t *pid, const char *path,
                   const posix_spawn_file_actions_t *actions UNUSED,
                   const posix_spawnattr_t *attributes UNUSED,
                   char *const argv[] UNUSED, char *const envp[])
{
    char *end = started.text;

    started.path = xstrdup(path);
    for (size_t i = 0; envp[i]; i++)
        end = stpcpy(stpcpy(end, envp[i]), "\n");
    *pid = 1;
    return 0;
}

static void
it_has_a_small_environment(void **state UNUSED)
{
    AUTO(fd) int ready = -1;
    struct error err;

    clearenv();
    setenv("HOME", "/home/ann", 1);
    setenv("PATH", "/bin", 1);
    setenv("XDG_RUNTIME_DIR", "/run/ann", 1);
    setenv("CELLPOD_LOG", "debug", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "canary", 1);
    setenv("HOMER", "canary", 1);
    setenv("PAT", "canary", 1);
    setenv("XCELLPOD_X", "canary", 1);
    setenv("LD_PRELOAD", "canary", 1);
    assert_int_equal(sandboxd_spawn("/tmp/s.sock", &ready, &err), 0);
    assert_string_equal(started.text, "HOME=/home/ann\nPATH=/bin\nXDG_RUNTIME_DIR=/run/"
                                      "ann\nCELLPOD_LOG=debug\n");
    assert_string_equal(strrchr(started.path, '/'), "/cellpod-sandboxd");
    free(started.path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_a_small_environment),
    };
    return cmocka_run_group_tests_name("sandboxd_spawn", tests, NULL, NULL);
}
