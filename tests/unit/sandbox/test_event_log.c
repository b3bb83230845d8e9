#include <stdio.h>

#include "common/buffer.h"
#include "common/envelope.h"
#include "sandbox/messages/event_log.h"
#include "tests/unit/unit.h"

enum {
    KEEP = 200000
};

struct fixture {
    struct event_log *log;
    unsigned rooms, news;
};

static void
on_room(void *context)
{
    ((struct fixture *)context)->rooms++;
}

static void
on_news(void *context)
{
    ((struct fixture *)context)->news++;
}

static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    f->log = event_log_new(KEEP, on_room, f);
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    event_log_free(f->log);
    free(f);
    return 0;
}

/* An event whose content has len bytes, all of them the same. */
static void
append(struct fixture *f, size_t len, char fill)
{
    AUTO(mem) char *content = xcalloc(len, 1);

    memset(content, fill, len);
    event_log_append(
        f->log, &(struct event){
                    .type = "stream", .parent = "r\"1", .content = {content, len}
    });
}

static struct event_reader
reader(struct fixture *f)
{
    return (struct event_reader){.on_news = on_news, .context = f};
}

static void
attach(struct fixture *f, struct event_reader *r, uint64_t after)
{
    struct error err;

    assert_int_equal(event_log_attach(f->log, r, after, &err), 0);
}

/* Everything that the reader has to read, in pieces of `piece` bytes. */
static void
drain(struct event_reader *r, struct buffer *out, size_t piece)
{
    size_t len;

    do {
        char *room = buffer_reserve(out, piece);
        len = event_log_read(r, room, piece);
        buffer_advance(out, len);
    } while (len);
}

/* Takes events off the front and checks that they count on from *seq. */
static size_t
check_events(struct slice bytes, json_int_t *seq)
{
    size_t count = 0;

    while (bytes.len) {
        AUTO(envelope) struct envelope e = ENVELOPE_INIT;
        struct error err;
        ssize_t used = envelope_parse(bytes, &e, NULL, &err);
        assert_true(used > 0);
        assert_int_equal(e.seq, ++*seq);
        bytes = (struct slice){bytes.data + used, bytes.len - (size_t)used};
        count++;
    }
    return count;
}

static void
numbers_events_and_relays_every_part(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;
    const struct slice buffers[] = {SLICE("abc"), SLICE(""), SLICE("d")};
    struct event_reader r = reader(f);
    struct error err;

    event_log_append(f->log, &(struct event){.type = "comm_msg",
                                             .parent = "r\"\n1",
                                             .content = SLICE("{\"a\":1}"),
                                             .metadata = SLICE("{\"b\":2}"),
                                             .buffers = buffers,
                                             .buffer_count = 3});
    attach(f, &r, 0);
    drain(&r, &bytes, 7);
    assert_int_equal(envelope_parse(buffer_slice(&bytes), &e, NULL, &err), bytes.len);
    assert_int_equal(e.seq, 1);
    assert_string_equal(e.type, "comm_msg");
    assert_string_equal(e.parent, "r\"\n1");
    assert_true(slice_equals(e.content, SLICE("{\"a\":1}")));
    assert_true(slice_equals(e.metadata, SLICE("{\"b\":2}")));
    assert_int_equal(e.buffer_count, 3);
    assert_true(slice_equals(e.buffers[0], SLICE("abc")));
    assert_true(slice_equals(e.buffers[2], SLICE("d")));
    event_log_detach(&r);
}

static void
adopts_an_event_without_a_copy(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct event_reader r = reader(f);
    json_int_t seq = 0;
    char *memory = xstrdup("its old line\n{\"text\":\"long\"}{}\n");
    const char *content = memory + strlen("its old line\n");
    struct event event = {
        .type = "stream",
        .parent = "r",
        .content = {content,                                 strlen("{\"text\":\"long\"}")},
        .metadata = {content + strlen("{\"text\":\"long\"}"), 2                            }
    };

    append(f, 10, 'x');
    event_log_adopt(f->log, &event, &memory);
    assert_null(memory);
    append(f, 10, 'y');
    attach(f, &r, 0);
    drain(&r, &bytes, 1000);
    assert_int_equal(check_events(buffer_slice(&bytes), &seq), 3);
    assert_non_null(strstr(bytes.data, "\n{\"text\":\"long\"}{}\n{\"seq\":3,"));
    event_log_detach(&r);
}

static void
resumes_after_any_event_that_is_kept(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 20; i++)
        append(f, (size_t)i * 1000, 'x');
    for (uint64_t after = 0; after <= 20; after++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        struct event_reader r = reader(f);
        json_int_t seq = (json_int_t)after;
        attach(f, &r, after);
        drain(&r, &bytes, 65536);
        assert_int_equal(check_events(buffer_slice(&bytes), &seq), 20 - after);
        event_log_detach(&r);
    }
}

static void
drops_only_what_was_delivered_long_ago(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer again = BUFFER_INIT(SIZE_MAX);
    struct event_reader r = reader(f), late = reader(f);
    json_int_t seq = 0;
    uint64_t oldest = 0;
    struct error err;

    attach(f, &r, 0);
    for (int i = 0; i < 1000; i++) {
        append(f, 1000, 'x');
        drain(&r, &bytes, 4096);
    }
    assert_int_equal(check_events(buffer_slice(&bytes), &seq), 1000);
    while (event_log_attach(f->log, &late, oldest, &err) < 0) {
        assert_int_equal(err.kind, ERR_GONE);
        oldest++;
    }
    assert_in_range(oldest, 1000 - KEEP / 1000, 1000 - KEEP / 1100);
    drain(&late, &again, 4096);
    assert_true(again.len >= KEEP && again.len <= KEEP + 1100);
    event_log_detach(&late);
    event_log_detach(&r);
}

static void
refuses_a_place_in_the_future(void **state)
{
    struct fixture *f = *state;
    struct event_reader r = reader(f);
    struct error err;

    append(f, 1, 'x');
    assert_int_equal(event_log_attach(f->log, &r, 2, &err), -1);
    assert_int_equal(err.kind, ERR_BAD_INPUT);
}

static void
is_full_when_nobody_has_read_and_loses_nothing(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct event_reader r = reader(f);
    json_int_t seq = 0;
    size_t count = 0;

    while (!event_log_is_full(f->log)) {
        append(f, 5000, 'x');
        count++;
    }
    assert_in_range(count, KEEP / 5100, KEEP / 5000 + 1);
    append(f, 5000, 'x'); /* what was on its way still comes in */
    attach(f, &r, 0);
    assert_int_equal(f->rooms, 0);
    drain(&r, &bytes, 1000);
    assert_int_equal(f->rooms, 1);
    assert_int_equal(check_events(buffer_slice(&bytes), &seq), count + 1);
    event_log_detach(&r);
}

static void
is_full_when_one_of_two_clients_stalls(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct event_reader fast = reader(f), stalled = reader(f);

    attach(f, &fast, 0);
    attach(f, &stalled, 0);
    for (int i = 0; i < 50; i++) {
        append(f, 5000, 'x');
        drain(&fast, &bytes, 65536);
    }
    assert_true(event_log_is_full(f->log));
    assert_int_equal(f->rooms, 0);
    event_log_detach(&stalled);
    assert_false(event_log_is_full(f->log));
    assert_int_equal(f->rooms, 1);
    event_log_detach(&fast);
}

/* What was handed to a connection that then broke may never have arrived. */
static void
keeps_what_was_delivered_while_nobody_is_there(void **state)
{
    struct fixture *f = *state;
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
    struct event_reader r = reader(f);
    json_int_t seq = 0;
    size_t count = 1;

    append(f, 1000, 'a');
    attach(f, &r, 0);
    drain(&r, &bytes, 65536);
    event_log_detach(&r);
    for (; !event_log_is_full(f->log); count++)
        append(f, 10000, 'b');
    buffer_clear(&bytes);
    attach(f, &r, 0);
    drain(&r, &bytes, 65536);
    assert_int_equal(check_events(buffer_slice(&bytes), &seq), count);
    event_log_detach(&r);
    assert_false(event_log_has_readers(f->log));
}

static void
tells_its_readers_of_news_and_of_the_end(void **state UNUSED)
{
    struct fixture f = {.log = NULL};
    struct event_reader r = reader(&f);
    char out[16];

    f.log = event_log_new(KEEP, on_room, &f);
    assert_false(event_log_has_readers(f.log));
    attach(&f, &r, 0);
    assert_true(event_log_has_readers(f.log));
    append(&f, 1, 'x');
    assert_int_equal(f.news, 1);
    assert_false(event_log_has_ended(&r));
    event_log_free(f.log);
    assert_int_equal(f.news, 2);
    assert_true(event_log_has_ended(&r));
    assert_int_equal(event_log_read(&r, out, sizeof(out)), 0);
    event_log_detach(&r);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(numbers_events_and_relays_every_part),
        TEST(adopts_an_event_without_a_copy),
        TEST(resumes_after_any_event_that_is_kept),
        TEST(drops_only_what_was_delivered_long_ago),
        TEST(refuses_a_place_in_the_future),
        TEST(is_full_when_nobody_has_read_and_loses_nothing),
        TEST(is_full_when_one_of_two_clients_stalls),
        TEST(keeps_what_was_delivered_while_nobody_is_there),
        cmocka_unit_test(tells_its_readers_of_news_and_of_the_end),
    };
    return cmocka_run_group_tests_name("event_log", tests, NULL, NULL);
}
