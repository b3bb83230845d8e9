/* What a model's code has left in a folder is remembered until the user says otherwise.
 */
#include "kernel/output/folder_trust.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    char root[32];
    char *folder;
    struct folder_trust kernel;
};

static int
set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    *state = place;
    snprintf(place->root, sizeof(place->root), "/tmp/trust-XXXXXX");
    if (!mkdtemp(place->root))
        return -1;
    place->folder = xasprintf("%s/notebooks", place->root);
    setenv("XDG_STATE_HOME", place->root, 1);
    folder_trust_init(&place->kernel, place->folder);
    return mkdir(place->folder, 0700);
}

static int
tear_down(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *command = xasprintf("rm -r %s", place->root);

    folder_trust_release(&place->kernel);
    free(place->folder);
    free(place);
    return system(command);
}

static void
leave(const struct place *place, const char *name)
{
    AUTO(mem) char *path = xasprintf("%s/%s", place->folder, name);
    AUTO(fd) int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(file >= 0);
}

static void
assert_told(struct folder_trust *kernel, const char *names)
{
    AUTO(mem) char *line = folder_trust_look(kernel);

    if (!names) {
        assert_null(line);
        return;
    }
    AUTO(mem) char *wanted = xasprintf("in this folder: %s. Python", names);
    assert_non_null(line);
    assert_non_null(strstr(line, wanted));
}

static void
assert_another_kernel_finds(const struct place *place, const char *names)
{
    struct folder_trust other;

    folder_trust_init(&other, place->folder);
    assert_told(&other, names);
    assert_int_equal(folder_trust_is_untrusted(&other), names != NULL);
    folder_trust_release(&other);
}

static void
forget(const struct place *place, size_t count)
{
    json_auto_t *files = NULL;
    struct error err;

    assert_int_equal(folder_trust_forget(place->folder, &files, &err), 0);
    assert_int_equal(json_array_size(files), count);
}

static void
without_a_model_nothing_is_looked_at(void **state)
{
    struct place *place = *state;

    leave(place, "own.py");
    assert_told(&place->kernel, NULL);
    assert_false(folder_trust_is_untrusted(&place->kernel));
}

static void
a_file_is_told_once_and_stays(void **state)
{
    struct place *place = *state;

    folder_trust_begin(&place->kernel);
    leave(place, "data.csv");
    assert_told(&place->kernel, NULL);
    leave(place, "seaborn.py");
    assert_told(&place->kernel, "seaborn.py");
    assert_told(&place->kernel, NULL);
    folder_trust_end(&place->kernel);
    assert_told(&place->kernel, NULL);
    assert_true(folder_trust_is_untrusted(&place->kernel));
    assert_another_kernel_finds(place, "seaborn.py");
}

static void
what_is_written_after_the_end_is_the_users(void **state)
{
    struct place *place = *state;

    folder_trust_begin(&place->kernel);
    folder_trust_end(&place->kernel);
    leave(place, "own.py");
    assert_told(&place->kernel, NULL);
    assert_another_kernel_finds(place, NULL);
}

static void
what_is_gone_is_trusted(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *path = xasprintf("%s/seaborn.py", place->folder);

    folder_trust_begin(&place->kernel);
    leave(place, "seaborn.py");
    assert_told(&place->kernel, "seaborn.py");
    assert_int_equal(unlink(path), 0);
    assert_told(&place->kernel, NULL);
    assert_false(folder_trust_is_untrusted(&place->kernel));
}

static void
the_user_says_that_it_is_fine(void **state)
{
    struct place *place = *state;

    folder_trust_begin(&place->kernel);
    leave(place, "seaborn.py");
    folder_trust_end(&place->kernel);
    forget(place, 1);
    assert_told(&place->kernel, NULL);
    assert_false(folder_trust_is_untrusted(&place->kernel));
    assert_another_kernel_finds(place, NULL);
    forget(place, 0);
}

/* Killed, it has written nothing down; the next finds what it left. */
static void
a_kernel_that_was_killed_leaves_it_to_the_next(void **state)
{
    struct place *place = *state;
    const pid_t child = fork();

    if (child == 0) {
        folder_trust_begin(&place->kernel);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    leave(place, "seaborn.py");
    assert_another_kernel_finds(place, "seaborn.py");
    leave(place, "later.py"); /* no model's code can have made it */
    assert_another_kernel_finds(place, "seaborn.py");
}

static void
many_are_counted_and_odd_names_cannot_write(void **state)
{
    struct place *place = *state;

    folder_trust_begin(&place->kernel);
    leave(place, "a\n\033[2Jb.py");
    assert_told(&place->kernel, "a??[2Jb.py");
    for (char name[] = "0.py"; name[0] <= '6'; name[0]++)
        leave(place, name);
    AUTO(mem) char *line = folder_trust_look(&place->kernel);
    assert_non_null(strstr(line, " and 2 more."));
}

/* What is in the record is not believed. */
static void
a_damaged_record_is_begun_anew(void **state)
{
    static const char *const records[] = {
        "",
        "{",
        "[]",
        "{\"open\": 1, \"files\": []}",
        "{\"open\": {}, \"files\": {}}",
        "{\"open\": {\"1\": \"x\", \"-1\": 1, \"\": []}, \"files\": [1, null, "
        "\"gone.py\"]}",
    };
    struct place *place = *state;

    for (size_t i = 0; i < COUNT_OF(records); i++) {
        AUTO(mem) char *command = xasprintf(
            "cd %s/cellpod/untrusted && for f in *.json; do printf %%s '%s' > \"$f\"; "
            "done",
            place->root, records[i]);
        print_message("  %s\n", records[i]);
        folder_trust_begin(&place->kernel);
        assert_int_equal(system(command), 0);
        assert_told(&place->kernel, NULL);
        assert_false(folder_trust_is_untrusted(&place->kernel));
        AUTO(mem) char *name = xasprintf("new%zu.py", i);
        leave(place, name);
        assert_told(&place->kernel, name);
        folder_trust_end(&place->kernel);
        forget(place, 1);
        AUTO(mem) char *path = xasprintf("%s/%s", place->folder, name);
        assert_int_equal(unlink(path), 0);
    }
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(without_a_model_nothing_is_looked_at),
        TEST(a_file_is_told_once_and_stays),
        TEST(what_is_written_after_the_end_is_the_users),
        TEST(what_is_gone_is_trusted),
        TEST(the_user_says_that_it_is_fine),
        TEST(a_kernel_that_was_killed_leaves_it_to_the_next),
        TEST(many_are_counted_and_odd_names_cannot_write),
        TEST(a_damaged_record_is_begun_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
