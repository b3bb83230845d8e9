/* Which files of a folder Python or Jupyter would load, and that are new since a
 * moment. */
#include "kernel/output/loadable_files.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MANY = 201, /* one more than are named */
    DEEP = 17,
};

static int
set_up(void **state)
{
    *state = xstrdup("/tmp/loadable-XXXXXX");
    return mkdtemp(*state) ? 0 : -1;
}

static int
tear_down(void **state)
{
    AUTO(mem) char *folder = *state;
    AUTO(mem) char *command = xasprintf("rm -r %s", folder);

    return system(command);
}

static void
make(const char *folder, const char *name)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, name);
    AUTO(fd) int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(file >= 0);
}

static void
make_folder(const char *folder, const char *name)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, name);

    assert_int_equal(mkdir(path, 0700), 0);
}

/* The only one that is found, or "" for none; not more than one. */
static const char *
only(json_t *found)
{
    assert_true(json_array_size(found) <= 1);
    return json_array_size(found) ? json_string_value(json_array_get(found, 0)) : "";
}

static void
knows_names(void **state UNUSED)
{
    static const struct {
        const char *name;
        bool is_one;
    } cases[] = {
        {"seaborn.py",               true },
        {"seaborn.pyc",              true },
        {"gui.pyw",                  true },
        {"fast.cpython-311.so",      true },
        {"evil.pth",                 true },
        {"a.egg-link",               true },
        {"model.pkl",                true },
        {"model.pickle",             true },
        {"model.joblib",             true },
        {"pyvenv.cfg",               true },
        {"jupyter_lab_config.json",  true },
        {"jupyter_server_config.py", true },
        {"data.csv",                 false},
        {"analysis.ipynb",           false},
        {"py",                       false},
        {"a.py.txt",                 false},
        {"lab_config.json",          false},
        {"",                         false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("  %s\n", cases[i].name);
        assert_int_equal(loadable_files_is_one(cases[i].name), cases[i].is_one);
    }
}

static void
finds_what_is_new(void **state)
{
    const char *folder = *state;
    const time_t now = time(NULL);

    make(folder, "data.csv");
    make_folder(folder, "package.py"); /* a folder is not loaded by its name */
    make_folder(folder, "sub");
    make(folder, "sub/module.py");
    json_auto_t *found = loadable_files_since(folder, now - 1);
    assert_string_equal(only(found), "sub/module.py");
    json_auto_t *later = loadable_files_since(folder, now + 60);
    assert_string_equal(only(later), "");
}

/* A program in a sandbox can set a file's times back, but not when it did so. */
static void
is_not_deceived_by_a_date(void **state)
{
    const struct timespec past[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    AUTO(mem) char *path = xasprintf("%s/old.py", (char *)*state);
    const time_t now = time(NULL);

    make(*state, "old.py");
    assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
    json_auto_t *found = loadable_files_since(*state, now - 1);
    assert_string_equal(only(found), "old.py");
}

static void
does_not_follow_links(void **state)
{
    AUTO(mem) char *link = xasprintf("%s/out", (char *)*state);

    assert_int_equal(symlink("/usr/lib", link), 0);
    json_auto_t *found = loadable_files_since(*state, 0);
    assert_string_equal(only(found), "");
}

static void
names_the_folder_where_there_is_too_much(void **state)
{
    char name[32];

    for (int i = 0; i < MANY; i++) {
        json_auto_t *found = loadable_files_since(*state, 0);
        assert_int_equal(json_array_size(found), i);
        snprintf(name, sizeof(name), "m%d.py", i);
        make(*state, name);
    }
    json_auto_t *found = loadable_files_since(*state, 0);
    assert_string_equal(only(found), ".");
}

static void
names_the_folder_where_it_is_too_deep(void **state)
{
    AUTO(mem) char *path = xstrdup("d");

    for (int i = 0; i < DEEP; i++) {
        make_folder(*state, path);
        AUTO(mem) char *deeper = xasprintf("%s/d", path);
        free(path);
        path = TAKE(deeper);
    }
    json_auto_t *found = loadable_files_since(*state, 0);
    assert_string_equal(only(found), ".");
}

static void
finds_nothing_where_there_is_no_folder(void **state UNUSED)
{
    json_auto_t *found = loadable_files_since("/tmp/there/is/none", 0);

    assert_string_equal(only(found), "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_names),
        cmocka_unit_test_setup_teardown(finds_what_is_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(is_not_deceived_by_a_date, set_up, tear_down),
        cmocka_unit_test_setup_teardown(does_not_follow_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_the_folder_where_there_is_too_much,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_the_folder_where_it_is_too_deep, set_up,
                                        tear_down),
        cmocka_unit_test(finds_nothing_where_there_is_no_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
