/* Names in a folder that programs act on, looked for in slices. */
#include "sandbox/life/autorun_names.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MANY = 5000,
    FEW_SLICES = 3, /* of 2,000 */
};

struct place {
    char path[32];
    int folder;
    struct autorun_names names;
};

static void
make(struct place *place, const char *name)
{
    AUTO(fd) int file = openat(place->folder, name, O_CREAT | O_WRONLY, 0600);

    assert_true(file >= 0);
}

static int
set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    *state = place;
    snprintf(place->path, sizeof(place->path), "/tmp/autorun-XXXXXX");
    if (!mkdtemp(place->path))
        return -1;
    place->folder = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return place->folder < 0 ? -1 : 0;
}

static int
tear_down(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *command = xasprintf("rm -r %s", place->path);

    autorun_names_release(&place->names);
    close(place->folder);
    free(place);
    return system(command);
}

static int
slices_of(struct place *place)
{
    int slices = 1;

    while (autorun_names_go_on(&place->names))
        slices++;
    return slices;
}

static char *
look(struct place *place)
{
    assert_true(autorun_names_look(&place->names, place->folder));
    slices_of(place);
    return autorun_names_news(&place->names);
}

static void
begin(struct place *place)
{
    autorun_names_begin(&place->names, place->folder);
    slices_of(place);
    free(autorun_names_news(&place->names));
}

static void
what_is_new_is_told_once(void **state)
{
    struct place *place = *state;

    make(place, "Makefile");
    begin(place);
    assert_false(autorun_names_look(&place->names, place->folder));
    make(place, ".envrc");
    AUTO(mem) char *first = look(place);
    assert_non_null(strstr(first, ".envrc (direnv"));
    assert_null(strstr(first, "Makefile"));
    make(place, "harmless");
    AUTO(mem) char *second = look(place);
    assert_null(second);
}

static void
many_names_are_looked_at_in_slices_and_none_is_left_out(void **state)
{
    struct place *place = *state;
    char name[16];

    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "%05d", i);
        make(place, name);
    }
    autorun_names_begin(&place->names, place->folder);
    assert_true(autorun_names_is_looking(&place->names));
    assert_int_equal(slices_of(place), FEW_SLICES);
    assert_false(autorun_names_is_looking(&place->names));
    assert_null(autorun_names_news(&place->names));
    make(place, ".git");
    assert_true(autorun_names_look(&place->names, place->folder));
    assert_false(autorun_names_look(&place->names, place->folder)); /* it goes on */
    assert_int_equal(slices_of(place), FEW_SLICES);
    AUTO(mem) char *news = autorun_names_news(&place->names);
    assert_non_null(strstr(news, ".git (git"));
}

static void
a_look_may_be_left(void **state)
{
    struct place *place = *state;
    char name[16];

    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "%05d.pth", i);
        make(place, name);
    }
    autorun_names_begin(&place->names, place->folder);
    assert_true(autorun_names_go_on(&place->names));
    autorun_names_release(&place->names);
    assert_false(autorun_names_go_on(&place->names));
    assert_null(autorun_names_news(&place->names));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_new_is_told_once),
        TEST(many_names_are_looked_at_in_slices_and_none_is_left_out),
        TEST(a_look_may_be_left),
    };
    return cmocka_run_group_tests_name("autorun_names", tests, NULL, NULL);
}
