/* What of a folder is carried, what of a sandbox's names is taken, and where its files
 * are put. */
#include "kernel/carry/carry_ignore.h"
#include "kernel/carry/carry_load.h"
#include "kernel/carry/carry_path.h"
#include "kernel/carry/carry_store.h"
#include "kernel/carry/carry_tree.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static bool
is_valid(const char *path)
{
    return carry_path_is_valid(slice_of(path));
}

static void
paths_stay_in_the_folder(void **state UNUSED)
{
    static const char *const good[] = {"a",           "a/b.csv", "...",     "a/..b",
                                       "pr\u00fcf.c", "a b",     "C:\\x.y", "-rf"};
    static const char *const bad[] = {
        "",     "/",     "/a",       "a/",    "a//b",         ".",
        "..",   "../a",  "a/../b",   "a/./b", "a/..",         "a\nb",
        "\x1b", "a\x7f", "\xc2\x9b", "\xe9",  "a\u202egpj.x", "\u2066",
    };

    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(is_valid(good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(is_valid(bad[i]));
    assert_false(carry_path_is_valid(SLICE("a\0b")));
}

static void
paths_are_bounded(void **state UNUSED)
{
    char path[CARRY_PATH_BYTES + 2];

    memset(path, 'x', sizeof(path));
    assert_false(carry_path_is_valid((struct slice){path, 256}));
    assert_true(carry_path_is_valid((struct slice){path, 255}));
    for (size_t i = 100; i < sizeof(path); i += 101)
        path[i] = '/';
    assert_true(carry_path_is_valid((struct slice){path, CARRY_PATH_BYTES}));
    assert_false(carry_path_is_valid((struct slice){path, CARRY_PATH_BYTES + 1}));
    for (size_t i = 0; i < sizeof(path); i++)
        path[i] = i % 2 ? '/' : 'd';
    assert_true(carry_path_is_valid((struct slice){path, 2 * CARRY_PATH_DEPTH + 1}));
    assert_false(carry_path_is_valid((struct slice){path, 2 * CARRY_PATH_DEPTH + 3}));
}

static void
paths_are_encoded(void **state UNUSED)
{
    AUTO(mem) char *text = carry_path_encode("a b/%41?#&\u00e4~.c");

    assert_string_equal(text, "a%20b/%2541%3F%23%26%C3%A4~.c");
}

static void
patterns_ignore(void **state UNUSED)
{
    struct carry_ignore *ignore = carry_ignore_parse(SLICE(
        "# no\n\n*.bak \r\nraw/\n/top.csv\nout/*.tmp\nno\0nul\n********x*\n[\n/"));

    assert_true(carry_ignore_has(ignore, "a/b.bak", false));
    assert_true(carry_ignore_has(ignore, "deep/raw", true));
    assert_false(carry_ignore_has(ignore, "raw", false));
    assert_true(carry_ignore_has(ignore, "top.csv", false));
    assert_true(carry_ignore_has(ignore, "out/a.tmp", false));
    assert_false(carry_ignore_has(ignore, "in/out/a.tmp", false));
    assert_false(carry_ignore_has(ignore, "out/sub/a.tmp", false));
    assert_false(carry_ignore_has(ignore, "no", false));
    assert_false(carry_ignore_has(ignore, "zzx", false));
    assert_false(carry_ignore_has(NULL, "a", false));
    carry_ignore_free(ignore);
    assert_null(carry_ignore_parse(SLICE("# only\n\n   \n")));
}

#define FILES(list) "{\"files\":[" list "],\"is_cut\":false}"

static void
a_list_of_files_is_read(void **state UNUSED)
{
    struct carry_tree tree;
    struct error err;

    assert_int_equal(
        carry_tree_parse(SLICE(FILES("[\"b\",1,\"1-2.3\"],[\"a/c\",0,\"f\"]")), &tree,
                         &err),
        0);
    assert_int_equal(tree.count, 2);
    assert_string_equal(tree.entries[0].path, "a/c");
    assert_string_equal(tree.entries[1].state, "1-2.3");
    assert_false(tree.is_cut);
    carry_tree_release(&tree);
}

static void
what_a_sandbox_may_not_name_is_refused(void **state UNUSED)
{
    static const char text[] =
        FILES("[\"../a\",1,\"1\"],[\"/etc/x\",1,\"1\"],[\"a\",-1,"
              "\"1\"],[\"a\",1,\"\"],[\"a\",1,\"x "
              "y\"],[\"a\",1.5,\"1\"],[\"a\"],[],7,null,[1,"
              "1,\"1\"],[\".git/config\",1,\"1\"],[\"sub/"
              ".x\",1,\"1\"],[\"a\\nb\",1,\"1\"],[\"ok\","
              "1,\"1\"],[\"ok\",2,\"2\"]");
    struct carry_tree tree;
    struct error err;

    assert_int_equal(carry_tree_parse(slice_of(text), &tree, &err), 0);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.refused, 15);
    assert_string_equal(tree.entries[0].path, "ok");
    carry_tree_release(&tree);
}

static void
what_is_no_list_is_refused(void **state UNUSED)
{
    static const char *const bad[] = {"",
                                      "[]",
                                      "{}",
                                      "{\"files\":{}}",
                                      "{\"files\":[",
                                      "{\"files\":[[\"a\\u0000b\",1,\"1\"]]}"};
    char there[CARRY_STATE_SIZE];
    struct carry_tree tree;
    struct error err;

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(carry_tree_parse(slice_of(bad[i]), &tree, &err), -1);
    assert_true(carry_tree_read_state(SLICE("{\"state\":\"1-2\"}"), there));
    assert_string_equal(there, "1-2");
    assert_false(carry_tree_read_state(SLICE("{\"state\":\"&x\"}"), there));
    assert_false(carry_tree_read_state(SLICE("{\"state\":7}"), there));
    assert_false(carry_tree_read_state(SLICE("no"), there));
}

static void
what_programs_act_on_is_refused(void **state UNUSED)
{
    static const char *const refused[] = {"a.ipynb",
                                          "x/B.IPYNB",
                                          "Makefile",
                                          "sub/setup.py",
                                          "evil.pth",
                                          "conftest.py",
                                          "jupyter_notebook_config.py"};
    static const char *const fine[] = {"a.csv", "m.py", "ipynb", "makefile.txt"};

    for (size_t i = 0; i < COUNT_OF(refused); i++)
        assert_non_null(carry_store_refuses(refused[i]));
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        assert_null(carry_store_refuses(fine[i]));
}

static void
copies_have_names_of_their_own(void **state UNUSED)
{
    static const struct {
        const char *path, *copy;
        unsigned number;
    } rows[] = {
        {"sales.csv",  "sales (from the sandbox).csv",    1},
        {"a.b/sales",  "a.b/sales (from the sandbox)",    1},
        {"a/x.tar.gz", "a/x.tar (from the sandbox 3).gz", 3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(mem) char *copy = carry_store_copy_path(rows[i].path, rows[i].number);
        assert_string_equal(copy, rows[i].copy);
    }
}

/* --- in a folder ----------------------------------------------------------------- */

static int
set_up(void **state)
{
    *state = xstrdup("/tmp/carry-XXXXXX");
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
make(int root, const char *path, const char *text)
{
    AUTO(fd) int file = openat(root, path, O_CREAT | O_TRUNC | O_WRONLY, 0644);

    assert_int_equal(write(file, text, strlen(text)), strlen(text));
}

static void
assert_is(int root, const char *path, const char *text)
{
    struct carry_load load;

    carry_load_run(root, path, 100, &load);
    assert_true(load.is_loaded);
    assert_int_equal(load.bytes.len, strlen(text));
    assert_memory_equal(load.bytes.data ? load.bytes.data : "", text, strlen(text));
    carry_load_release(&load);
}

static struct carry_store
put(int root, const char *path, const char *text, const struct carry_known *known)
{
    struct carry_store store = {.root = root,
                                .path = path,
                                .bytes = slice_of(text),
                                .known = known ? *known : (struct carry_known){0}};

    carry_store_run(&store);
    free(store.copy);
    return store;
}

static void
a_file_takes_its_place(void **state)
{
    AUTO(fd) int root = open(*state, O_RDONLY | O_DIRECTORY);
    struct carry_store store = put(root, "a/b/c.csv", "one", NULL);

    assert_int_equal(store.outcome, CARRY_STORED);
    assert_is(root, "a/b/c.csv", "one");
    store = put(root, "a/b/c.csv", "two", &store.known);
    assert_int_equal(store.outcome, CARRY_STORED);
    assert_is(root, "a/b/c.csv", "two");
    store = put(root, "a/b/c.csv", "two", NULL);
    assert_int_equal(store.outcome, CARRY_STORED_SAME);
    assert_true(store.known.is_known);
}

static void
what_has_changed_here_stays(void **state)
{
    AUTO(fd) int root = open(*state, O_RDONLY | O_DIRECTORY);
    struct carry_store store = put(root, "a.csv", "one", NULL);
    const struct carry_known known = store.known;

    make(root, "a.csv", "two");
    assert_int_equal(put(root, "a.csv", "new", &known).outcome, CARRY_STORED_COPY);
    assert_is(root, "a.csv", "two");
    assert_is(root, "a (from the sandbox).csv", "new");
    assert_int_equal(put(root, "a.csv", "newer", NULL).outcome, CARRY_STORED_COPY);
    assert_is(root, "a (from the sandbox 2).csv", "newer");
    make(root, "a.csv", "one"); /* as it was sent, but for its times */
    assert_int_equal(put(root, "a.csv", "new", &known).outcome, CARRY_STORED);
    assert_is(root, "a.csv", "new");
}

static void
nothing_goes_through_a_link_or_into_a_file(void **state)
{
    AUTO(fd) int root = open(*state, O_RDONLY | O_DIRECTORY);

    make(root, "file", "here");
    assert_int_equal(symlinkat("file", root, "link"), 0);
    assert_int_equal(symlinkat("/tmp", root, "tmp"), 0);
    assert_int_equal(mkdirat(root, "folder", 0700), 0);
    assert_int_equal(put(root, "link", "x", NULL).outcome, CARRY_STORED_COPY);
    assert_int_equal(put(root, "folder", "x", NULL).outcome, CARRY_STORED_COPY);
    assert_int_equal(put(root, "tmp/a", "x", NULL).outcome, CARRY_STORED_NOT);
    assert_int_equal(put(root, "file/a", "x", NULL).outcome, CARRY_STORED_NOT);
    assert_is(root, "file", "here");
}

static void
a_scan_is_bounded_and_follows_nothing(void **state)
{
    AUTO(fd) int root = open(*state, O_RDONLY | O_DIRECTORY);
    struct carry_scan_spec spec = {
        .root = root, .except = "nb.ipynb", .bounds = {4, 10, 3}
    };
    struct carry_scan scan;

    assert_int_equal(mkdirat(root, "sub", 0700), 0);
    make(root, "sub/d", "4444");
    make(root, "sub/e", "");
    make(root, "b", "4444");
    make(root, "c", "333");
    make(root, "large", "55555");
    make(root, ".hidden", "");
    make(root, "nb.ipynb", "");
    assert_int_equal(symlinkat("b", root, "link"), 0);
    carry_scan_run(&spec, &scan);
    assert_int_equal(scan.count, 3);
    assert_string_equal(scan.files[0].path, "b");
    assert_string_equal(scan.files[1].path, "c");
    assert_string_equal(scan.files[2].path, "sub/e");
    assert_int_equal(scan.left.of[CARRY_LEFT_LARGE].count, 1);
    assert_int_equal(scan.left.of[CARRY_LEFT_LINK].count, 1);
    assert_int_equal(scan.left.of[CARRY_LEFT_TOTAL].count, 1);
    assert_int_equal(carry_left_count(&scan.left), 3);
    carry_scan_release(&scan);
    spec.bounds.files = 1;
    spec.is_flat = true;
    carry_scan_run(&spec, &scan);
    assert_int_equal(scan.count, 1);
    assert_int_equal(scan.left.of[CARRY_LEFT_COUNT].count, 1);
    carry_scan_release(&scan);
}

static struct carry_load
load(const char *folder, const char *path)
{
    AUTO(fd) int root = open(folder, O_RDONLY | O_DIRECTORY);
    struct carry_load load;

    carry_load_run(root, path, 1000, &load);
    return load;
}

/* The system's random number has the size 0, and other bytes each time. */
static void
a_file_that_changes_while_it_is_read_is_left(void **state)
{
    AUTO(fd) int root = open(*state, O_RDONLY | O_DIRECTORY);
    struct carry_load changing = load("/proc/sys/kernel/random", "uuid"), still;

    make(root, "still", "here");
    still = load(*state, "still");
    assert_true(still.is_loaded);
    assert_int_equal(still.bytes.len, 4);
    assert_false(changing.is_loaded);
    assert_int_equal(changing.why, CARRY_LEFT_CHANGING);
    carry_load_release(&changing);
    carry_load_release(&still);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_stay_in_the_folder),
        cmocka_unit_test(paths_are_bounded),
        cmocka_unit_test(paths_are_encoded),
        cmocka_unit_test(patterns_ignore),
        cmocka_unit_test(a_list_of_files_is_read),
        cmocka_unit_test(what_a_sandbox_may_not_name_is_refused),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(what_programs_act_on_is_refused),
        cmocka_unit_test(copies_have_names_of_their_own),
        cmocka_unit_test_setup_teardown(a_file_takes_its_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_changed_here_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_goes_through_a_link_or_into_a_file,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_changes_while_it_is_read_is_left,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_scan_is_bounded_and_follows_nothing, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
