#include "common/paths.h"

#include <stdio.h>
#include <sys/stat.h>

#include "common/version.h"
#include "tests/unit/unit.h"

static char base[] = "/tmp/cellpod-test-paths-XXXXXX";

static int
make_base(void **state UNUSED)
{
    return mkdtemp(base) && setenv("XDG_RUNTIME_DIR", base, 1) == 0 ? 0 : -1;
}

static int
remove_base(void **state UNUSED)
{
    AUTO(mem) char *inner = xasprintf("%s/cellpod", base);

    rmdir(inner);
    return rmdir(base);
}

static void
makes_a_private_runtime_directory(void **state UNUSED)
{
    struct error err;
    struct stat st;
    AUTO(mem) char *path = paths_runtime_dir(&err);

    assert_non_null(path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void
refuses_a_directory_that_others_may_write_to(void **state UNUSED)
{
    struct error err;
    AUTO(mem) char *path = paths_runtime_dir(&err);

    assert_int_equal(chmod(path, 0777), 0);
    assert_null(paths_runtime_dir(&err));
    assert_int_equal(err.kind, ERR_DENIED);
    assert_int_equal(chmod(path, 0700), 0);
}

static void
refuses_a_link_in_its_place(void **state UNUSED)
{
    AUTO(mem) char *path = xasprintf("%s/cellpod", base);
    struct error err;

    rmdir(path);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_null(paths_runtime_dir(&err));
    assert_int_equal(unlink(path), 0);
}

static void
names_the_socket_after_the_build(void **state UNUSED)
{
    struct error err;
    AUTO(mem) char *path = paths_sandboxd_socket(&err);

    assert_non_null(path);
    assert_non_null(strstr(path, cellpod_build));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_private_runtime_directory),
        cmocka_unit_test(refuses_a_directory_that_others_may_write_to),
        cmocka_unit_test(refuses_a_link_in_its_place),
        cmocka_unit_test(names_the_socket_after_the_build),
    };
    return cmocka_run_group_tests_name("paths", tests, make_base, remove_base);
}
