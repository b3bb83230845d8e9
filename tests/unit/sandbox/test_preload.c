#include "sandbox/start/preload.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define PYTHON "/usr/bin/python3"

static char folder[] = "/tmp/cellpod-preload-XXXXXX";
static char *path;

static int
make_folder(void **state UNUSED)
{
    path = xasprintf("%s/preload.json", mkdtemp(folder) ? folder : "");
    return 0;
}

static int
remove_folder(void **state UNUSED)
{
    unlink(path);
    free(path);
    return rmdir(folder);
}

static int
forget(void **state UNUSED)
{
    unlink(path);
    return 0;
}

static void
write_state(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
}

static bool
learn(struct preload *preload, const char *name)
{
    json_auto_t *names = json_pack("[s]", name);

    return preload_learn(preload, PYTHON, names);
}

/* As one text, of who starts anew. */
static char *
known(void)
{
    AUTO(preload) struct preload *preload = preload_new(folder, 256);
    json_auto_t *order = preload_order(preload, PYTHON);

    return order ? json_dumps(json_object_get(order, "names"), JSON_COMPACT)
                 : xstrdup("");
}

static void
assert_known(const char *expected)
{
    AUTO(mem) char *text = known();

    assert_string_equal(text, expected);
}

static void
only_names_are_names(void **state UNUSED)
{
    static const char *const good[] = {"a", "_", "sklearn", "a1.b_2.C"};
    static const char *const bad[] = {"",    ".",       "a.",       ".a",        "a..b",
                                      "1a",  "a-b",     "a b",      "a/b",       "../a",
                                      "a\n", "a.b.c.d", "\xc3\xa4", "a;import b"};
    char longest[PRELOAD_NAME_BYTES + 2];

    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_true(preload_is_name(good[i]));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(preload_is_name(bad[i]));
    memset(longest, 'a', sizeof(longest));
    longest[PRELOAD_NAME_BYTES + 1] = '\0';
    assert_false(preload_is_name(longest));
    longest[PRELOAD_NAME_BYTES] = '\0';
    assert_true(preload_is_name(longest));
    assert_false(preload_is_name(NULL));
}

static void
it_is_remembered_the_newest_first(void **state UNUSED)
{
    AUTO(preload) struct preload *preload = preload_new(folder, 256);
    struct stat st;

    assert_null(preload_order(preload, PYTHON));
    assert_true(learn(preload, "seaborn"));
    assert_true(learn(preload, "sklearn.svm"));
    assert_false(learn(preload, "seaborn"));
    assert_false(learn(preload, "../x"));
    assert_known("[\"sklearn.svm\",\"seaborn\"]"); /* of one day, whichever */
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void
there_are_no_more_than_so_many(void **state UNUSED)
{
    AUTO(preload) struct preload *preload = preload_new(folder, 256);
    char name[16];

    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "m%d", i);
        learn(preload, name);
    }
    json_auto_t *order = preload_order(preload, PYTHON);
    const json_t *names = json_object_get(order, "names");
    assert_int_equal(json_array_size(names), PRELOAD_NAMES);
    assert_string_equal(json_string_value(json_array_get(names, 0)), "m99");
    assert_int_equal(json_integer_value(json_object_get(order, "memory_mb")), 256);
}

static void
other_pythons_have_their_own(void **state UNUSED)
{
    AUTO(preload) struct preload *preload = preload_new(folder, 256);
    json_auto_t *names = json_pack("[s]", "sklearn");
    char python[32];

    for (int i = 0; i < 100; i++) {
        snprintf(python, sizeof(python), "/opt/%d/python", i);
        preload_learn(preload, python, names);
    }
    assert_null(preload_order(preload, PYTHON));
    json_auto_t *order = preload_order(preload, python);
    assert_non_null(order);
}

static void
a_damaged_file_counts_as_empty(void **state UNUSED)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"version\":2,\"pythons\":{\"" PYTHON "\":[{\"name\":\"a\",\"day\":20000}]}}",
        "{\"version\":1,\"pythons\":[]}",
        "{\"version\":1,\"pythons\":{\"" PYTHON "\":7}}",
        "{\"version\":1,\"pythons\":{\"" PYTHON "\":[7,{},{\"name\":3}]}}",
        "{\"version\":1,\"pythons\":{\"" PYTHON "\":[{\"name\":\"old\",\"day\":1}]}}",
        "{\"version\":1,\"pythons\":{\"" PYTHON
        "\":[{\"name\":\"a\",\"day\":99999999}]}}",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        write_state(texts[i], 0600);
        assert_known("");
    }
}

static void
a_file_that_is_not_ours_counts_as_empty(void **state UNUSED)
{
    AUTO(preload) struct preload *preload = preload_new(folder, 256);
    AUTO(mem) char *elsewhere = xasprintf("%s.moved", path);

    learn(preload, "sklearn");
    assert_known("[\"sklearn\"]");
    chmod(path, 0620);
    assert_known("");
    chmod(path, 0600);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_known("");
    unlink(elsewhere);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(only_names_are_names, forget),
        cmocka_unit_test_teardown(it_is_remembered_the_newest_first, forget),
        cmocka_unit_test_teardown(there_are_no_more_than_so_many, forget),
        cmocka_unit_test_teardown(other_pythons_have_their_own, forget),
        cmocka_unit_test_teardown(a_damaged_file_counts_as_empty, forget),
        cmocka_unit_test_teardown(a_file_that_is_not_ours_counts_as_empty, forget),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
