#include "kernel/archive/archive_keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "tests/unit/unit.h"

/* A notebook's folder, and the kernel that keeps outputs there. */
struct place {
    char parent[64];
    struct archive_choice choice;
    struct archive_keeper keeper;
};

static void
open_place(struct place *place)
{
    struct error err;

    if (archive_keeper_open(&place->keeper, &place->choice, &err) < 0)
        fail_msg("%s", err.text);
}

static void
reopen(struct place *place)
{
    archive_keeper_close(&place->keeper);
    open_place(place);
}

static int
set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    snprintf(place->parent, sizeof(place->parent), "/tmp/cellpod-archive-XXXXXX");
    assert_non_null(mkdtemp(place->parent));
    place->choice.folder = xasprintf("%s/notebook", place->parent);
    place->choice.bytes = MIB(1);
    place->choice.seconds = 3600;
    open_place(place);
    *state = place;
    return 0;
}

static int
tear_down(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *command = xasprintf("rm -rf %s", place->parent);

    archive_keeper_close(&place->keeper);
    archive_choice_release(&place->choice);
    assert_int_equal(system(command), 0);
    free(place);
    return 0;
}

static char *
path_of(const struct place *place, const char *name)
{
    return xasprintf("%s/%s", place->choice.folder, name);
}

/* --- orders; a cell's key is its letter --- */

static struct archive_answer *
obey(struct place *place, enum archive_task task, char key, const char *names[2],
     const char *parts[ARCHIVE_PARTS], int64_t seq)
{
    const struct slice given[] = {slice_of(names[0]), slice_of(names[1])};
    const struct slice bytes[] = {slice_of(parts[0]), slice_of(parts[1]),
                                  slice_of(parts[2])};
    struct archive_order *order = archive_order_new(task, given, bytes);

    order->is_by_name = !key;
    order->seq = seq;
    memset(order->key, key, sizeof(order->key));
    archive_keeper_obey(&place->keeper, order);
    archive_order_free(order);
    struct archive_answer *answer = STAILQ_FIRST(&place->keeper.answers);
    if (answer)
        STAILQ_REMOVE_HEAD(&place->keeper.answers, link);
    return answer;
}

#define NAMES(sandbox, request) \
    (const char *[])            \
    {                           \
        (sandbox), (request)    \
    }
#define PARTS(...)                \
    (const char *[ARCHIVE_PARTS]) \
    {                             \
        __VA_ARGS__               \
    }

static void
begin(struct place *place, char key, const char *id)
{
    assert_null(obey(place, ARCHIVE_BEGIN, key, NAMES("", ""), PARTS(id, "", ""), 0));
}

static void
put(struct place *place, char key, const char *type, const char *content)
{
    assert_null(
        obey(place, ARCHIVE_PUT, key, NAMES("", ""), PARTS(type, content, ""), 0));
}

static void
print(struct place *place, char key, const char *text)
{
    AUTO(mem) char *content = xasprintf("{\"name\":\"stdout\",\"text\":\"%s\"}", text);

    put(place, key, "stream", content);
}

/* What a cell shows: "text|text"; "?" if there is no such cell, "…" behind a gap. */
static char *
shown(struct place *place, const char *wanted)
{
    AUTO(archive_answer)
    struct archive_answer *answer =
        obey(place, ARCHIVE_SHOW, 0, NAMES("", ""), PARTS(wanted, "", ""), 0);
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    if (!answer->is_found)
        return xstrdup("?");
    for (size_t i = 0; i < answer->shown.count; i++) {
        json_auto_t *content = json_loadb(answer->shown.items[i].content.data,
                                          answer->shown.items[i].content.len, 0, NULL);
        const char *word = json_string_value(json_object_get(content, "text"));
        buffer_printf(&text, "%s%s", i ? "|" : "",
                      word ? word : answer->shown.items[i].type);
    }
    buffer_append_text(&text, answer->has_gap ? "…" : "");
    return xstrndup(buffer_slice(&text).data, text.len);
}

static void
assert_shown(struct place *place, const char *wanted, const char *expected)
{
    AUTO(mem) char *text = shown(place, wanted);

    assert_string_equal(text, expected);
}

/* --- tests --- */

static void
has_a_cell_by_its_id_and_its_count_also_later(void **state)
{
    struct place *place = *state;

    begin(place, 'a', "id-a");
    put(place, 'a', "execute_input", "{\"code\":\"1\",\"execution_count\":7}");
    print(place, 'a', "one");
    begin(place, 'b', "id-b");
    print(place, 'b', "two");
    print(place, 'a', "late");
    for (int i = 0; i < 2; i++) {
        assert_shown(place, "id-a", "one|late");
        assert_shown(place, "7", "one|late");
        assert_shown(place, "id-b", "two");
        assert_shown(place, "", "two");
        assert_shown(place, "8", "?");
        reopen(place);
    }
}

static void
keeps_nothing_of_what_was_not_begun(void **state)
{
    struct place *place = *state;

    print(place, 'a', "one");
    assert_shown(place, "", "?");
}

static void
clears_and_updates(void **state)
{
    struct place *place = *state;

    begin(place, 'a', "a");
    print(place, 'a', "gone");
    put(place, 'a', "clear_output", "{\"wait\":true}");
    assert_shown(place, "a", "gone");
    put(place, 'a', "display_data",
        "{\"text\":\"first\",\"transient\":{\"display_id\":\"d\"}}");
    put(place, 'a', "display_data",
        "{\"text\":\"other\",\"transient\":{\"display_id\":\"e\"}}");
    begin(place, 'b', "b");
    put(place, 'b', "update_display_data",
        "{\"text\":\"second\",\"transient\":{\"display_id\":\"d\"}}");
    assert_shown(place, "a", "second|other");
    assert_shown(place, "b", "");
    put(place, 'a', "clear_output", "{\"wait\":false}");
    assert_shown(place, "a", "");
}

static void
shows_no_text_that_clients_cannot_read(void **state)
{
    struct place *place = *state;

    begin(place, 'a', "a");
    put(place, 'a', "stream", "{\"text\":");
    put(place, 'a', "comm_msg", "{\"text\":\"x\"}");
    print(place, 'a', "one");
    assert_shown(place, "a", "one");
}

static void
put_of_earlier(struct place *place, const char *sandbox, const char *text, int64_t seq)
{
    AUTO(mem) char *content = xasprintf("{\"text\":\"%s\"}", text);

    assert_null(obey(place, ARCHIVE_PUT, 0, NAMES(sandbox, "x1"),
                     PARTS("stream", content, ""), seq));
}

static void
goes_on_with_an_earlier_kernels_cell_and_doubles_nothing(void **state)
{
    struct place *place = *state;

    begin(place, 'a', "a");
    obey(place, ARCHIVE_CALL, 'a', NAMES("sandbox", "x1"), PARTS("", "", ""), 0);
    obey(place, ARCHIVE_PUT, 'a', NAMES("", ""),
         PARTS("stream", "{\"text\":\"1\"}", ""), 11);
    obey(place, ARCHIVE_PUT, 'a', NAMES("", ""),
         PARTS("stream", "{\"text\":\"2\"}", ""), 12);
    reopen(place);
    put_of_earlier(place, "sandbox", "1", 11);
    put_of_earlier(place, "sandbox", "2", 12);
    put_of_earlier(place, "sandbox", "3", 13);
    put_of_earlier(place, "another", "4", 14);
    assert_shown(place, "a", "1|2|3");
}

static void
keeps_of_one_cell_no_more_than_a_quarter(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *large = xcalloc(1, KIB(60) + 1);

    memset(large, 'x', KIB(60));
    begin(place, 'a', "a");
    for (int i = 0; i < 100; i++)
        print(place, 'a', large);
    begin(place, 'b', "b");
    print(place, 'b', "two");
    reopen(place);
    AUTO(mem) char *text = shown(place, "a");
    assert_true(strlen(text) < KIB(256) && strlen(text) > KIB(200));
    assert_string_equal(text + strlen(text) - strlen("x…"), "x…");
    assert_shown(place, "b", "two");
}

static void
forgets_the_oldest_cells_when_it_is_full(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *large = xcalloc(1, KIB(200) + 1);
    struct stat st;

    memset(large, 'x', KIB(200));
    begin(place, 'z', "open");
    print(place, 'z', "beginning");
    for (char key = 'a'; key < 'p'; key++) {
        begin(place, key, (char[]){key, '\0'});
        print(place, key, large);
        obey(place, ARCHIVE_FINISH, key, NAMES("", ""), PARTS("", "", ""), 0);
    }
    print(place, 'z', "end");
    reopen(place);
    assert_shown(place, "a", "?");
    AUTO(mem) char *newest = shown(place, "o");
    assert_int_equal(strlen(newest), KIB(200));
    assert_shown(place, "open", "end…");
    AUTO(mem) char *now = path_of(place, "now"), *before = path_of(place, "before");
    assert_int_equal(stat(now, &st), 0);
    assert_true(st.st_size <= (off_t)MIB(1) / 2);
    assert_int_equal(stat(before, &st), 0);
    assert_true(st.st_size <= (off_t)MIB(1) / 2);
}

static void
forgets_what_is_too_old(void **state)
{
    struct place *place = *state;

    begin(place, 'a', "a");
    place->choice.seconds = -1; /* so all is */
    reopen(place);
    assert_shown(place, "a", "?");
}

static void
removes_what_another_notebook_has_not_touched_for_long(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *mine = xstrdup(place->choice.folder);
    AUTO(mem) char *now = path_of(place, "now");
    const struct timespec old[2] = {
        {1000, 0},
        {1000, 0}
    };

    begin(place, 'a', "a");
    archive_keeper_close(&place->keeper);
    assert_int_equal(utimensat(AT_FDCWD, now, old, 0), 0);
    free(place->choice.folder);
    place->choice.folder = xasprintf("%s/another", place->parent);
    open_place(place);
    assert_int_equal(access(mine, F_OK), -1);
}

/* Of two cells, the second damaged: the first is there; both can be written to. */
static void
survives_damage_at_any_byte(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *now = path_of(place, "now"), *aside = path_of(place, "damaged");
    char bytes[2048];

    begin(place, 'a', "a");
    print(place, 'a', "one");
    const size_t first = place->keeper.files.written;
    begin(place, 'b', "b");
    print(place, 'b', "two");
    const size_t len = place->keeper.files.written;
    AUTO(fd) int fd = open(now, O_RDONLY);
    assert_int_equal(read(fd, bytes, sizeof(bytes)), len);
    for (size_t at = first; at < len; at++) {
        for (int cut = 0; cut < 2; cut++) {
            archive_keeper_close(&place->keeper);
            AUTO(fd) int out = open(now, O_WRONLY | O_TRUNC);
            bytes[at] ^= (char)!cut;
            assert_true(write(out, bytes, cut ? at : len) >= 0);
            bytes[at] ^= (char)!cut;
            open_place(place);
            assert_shown(place, "a", "one");
            if (!cut || at > first)
                assert_true(cut || place->keeper.notice);
            begin(place, 'c', "c");
            print(place, 'c', "three");
            reopen(place);
            assert_null(place->keeper.notice); /* it was told */
            assert_shown(place, "c", "three");
            assert_shown(place, "a", "one");
        }
    }
    assert_int_equal(access(aside, F_OK), 0); /* nothing was thrown away */
}

static void
goes_on_when_the_disk_has_room_again(void **state)
{
    struct place *place = *state;
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit limit = unlimited;

    begin(place, 'a', "a");
    print(place, 'a', "one");
    signal(SIGXFSZ, SIG_IGN); /* the archive's thread blocks it */
    limit.rlim_cur = place->keeper.files.written + 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    print(place, 'a', "two");
    print(place, 'a', "three");
    begin(place, 'b', "b");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    assert_non_null(
        strstr(place->keeper.notice, "What was kept before is still there"));
    assert_shown(place, "a", "one…");
    begin(place, 'c', "c");
    print(place, 'c', "four");
    reopen(place);
    assert_null(place->keeper.notice);
    assert_shown(place, "c", "four");
    AUTO(mem) char *text = shown(place, "a");
    assert_int_equal(strncmp(text, "one", 3), 0);
}

static void
assert_refused(struct place *place, enum error_kind kind)
{
    struct archive_keeper second;
    struct error err;

    assert_int_equal(archive_keeper_open(&second, &place->choice, &err), -1);
    assert_int_equal(err.kind, kind);
    archive_keeper_close(&second);
}

static void
leaves_it_to_the_kernel_that_came_first(void **state)
{
    assert_refused(*state, ERR_BUSY);
}

static void
make_anothers(const char *path)
{
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    assert_int_equal(fchown(fd, 65534, 65534), 0);
}

static void
follows_no_link_and_uses_no_file_of_others(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *now = path_of(place, "now"), *before = path_of(place, "before");
    AUTO(mem) char *bait = xasprintf("%s/bait", place->parent);
    struct stat st;

    archive_keeper_close(&place->keeper);
    AUTO(fd) int fd = open(bait, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(unlink(now), 0);
    assert_int_equal(symlink(bait, now), 0);
    assert_refused(place, ERR_SYSTEM);
    assert_int_equal(unlink(now), 0);
    assert_int_equal(link(bait, now), 0);
    assert_refused(place, ERR_DENIED);
    assert_int_equal(unlink(now), 0);
    assert_int_equal(mkfifo(before, 0600), 0);
    assert_refused(place, ERR_DENIED);
    assert_int_equal(unlink(before), 0);
    if (geteuid() == 0) { /* only root can give one away */
        assert_int_equal(unlink(now), 0);
        make_anothers(now);
        assert_refused(place, ERR_DENIED);
        assert_int_equal(unlink(now), 0);
        assert_int_equal(chown(place->choice.folder, 65534, 65534), 0);
        assert_refused(place, ERR_DENIED);
        assert_int_equal(chown(place->choice.folder, 0, 0), 0);
    }
    assert_int_equal(chmod(place->choice.folder, 0777), 0);
    assert_refused(place, ERR_DENIED);
    assert_int_equal(chmod(place->choice.folder, 0700), 0);
    assert_int_equal(stat(bait, &st), 0);
    assert_int_equal(st.st_size, 0);
    open_place(place);
    assert_int_equal(stat(now, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_a_cell_by_its_id_and_its_count_also_later),
        TEST(keeps_nothing_of_what_was_not_begun),
        TEST(clears_and_updates),
        TEST(shows_no_text_that_clients_cannot_read),
        TEST(goes_on_with_an_earlier_kernels_cell_and_doubles_nothing),
        TEST(keeps_of_one_cell_no_more_than_a_quarter),
        TEST(forgets_the_oldest_cells_when_it_is_full),
        TEST(forgets_what_is_too_old),
        TEST(removes_what_another_notebook_has_not_touched_for_long),
        TEST(survives_damage_at_any_byte),
        TEST(goes_on_when_the_disk_has_room_again),
        TEST(leaves_it_to_the_kernel_that_came_first),
        TEST(follows_no_link_and_uses_no_file_of_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
