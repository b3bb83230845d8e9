#include "sandbox/messages/event_log.h"

#include <assert.h>
#include <inttypes.h>

#include "common/buffer.h"
#include "sandbox/loop.h"

enum {
    BLOCK_BYTES = 64 << 10
};

/* A run of the byte stream. Small events share a block; an adopted one is its own. */
struct block {
    uint64_t start;
    size_t len, capacity;
    const char *data;
    char *memory; /* owned; data points into it */
};

struct event_log {
    size_t keep;
    event_log_fn on_room;
    void *context;
    bool was_full;
    struct block *blocks; /* in order, without a gap */
    size_t block_count, block_capacity;
    uint64_t *ends; /* of each kept event; ends[ends_first] is the oldest's */
    size_t ends_first, ends_count, ends_capacity;
    uint64_t dropped;   /* events: the oldest kept has seq dropped + 1 */
    uint64_t oldest_at; /* where it begins */
    uint64_t end, delivered;
    struct event_reader *readers;
    int64_t left_ms; /* when one left; loop_now_ms */
};

struct event_log *
event_log_new(size_t keep, event_log_fn on_room, void *context)
{
    struct event_log *log = xcalloc(1, sizeof(*log));

    log->keep = keep;
    log->on_room = on_room;
    log->context = context;
    return log;
}

void
event_log_end_readers(struct event_log *log)
{
    while (log->readers) {
        struct event_reader *reader = log->readers;
        log->readers = reader->next;
        reader->log = NULL;
        reader->on_news(reader->context);
    }
}

void
event_log_free(struct event_log *log)
{
    if (!log)
        return;
    event_log_end_readers(log);
    for (size_t i = 0; i < log->block_count; i++)
        free(log->blocks[i].memory);
    free(log->blocks);
    free(log->ends);
    free(log);
}

uint64_t
event_log_last_seq(const struct event_log *log)
{
    return log->dropped + log->ends_count;
}

uint64_t
event_log_first_seq(const struct event_log *log)
{
    return log->dropped + 1;
}

bool
event_log_is_read(const struct event_log *log)
{
    return log->delivered >= log->end;
}

bool
event_log_has_readers(const struct event_log *log)
{
    return log->readers;
}

int64_t
event_log_left_ms(const struct event_log *log)
{
    return log->readers ? 0 : log->left_ms;
}

/* The slowest client's place; without clients, how far any ever came. */
static uint64_t
read_floor(const struct event_log *log)
{
    uint64_t floor = log->delivered;

    for (const struct event_reader *r = log->readers; r; r = r->next)
        if (r->at < floor)
            floor = r->at;
    return floor;
}

bool
event_log_is_full(const struct event_log *log)
{
    return log->end - read_floor(log) > log->keep;
}

/* --- what comes in --- */

static struct block *
add_block(struct event_log *log, char *memory, const char *data, size_t capacity)
{
    if (log->block_count == log->block_capacity) {
        log->block_capacity = log->block_capacity ? log->block_capacity * 2 : 8;
        log->blocks = xrealloc(log->blocks, log->block_capacity * sizeof(*log->blocks));
    }
    struct block *block = &log->blocks[log->block_count++];
    *block = (struct block){
        .start = log->end, .capacity = capacity, .data = data, .memory = memory};
    return block;
}

static void
put(struct event_log *log, struct slice bytes)
{
    while (bytes.len) {
        struct block *last =
            log->block_count ? &log->blocks[log->block_count - 1] : NULL;
        if (!last || last->len == last->capacity) {
            char *memory = xrealloc(NULL, BLOCK_BYTES);
            last = add_block(log, memory, memory, BLOCK_BYTES);
        }
        size_t room = last->capacity - last->len;
        size_t len = bytes.len < room ? bytes.len : room;
        memcpy(last->memory + last->len, bytes.data, len);
        last->len += len;
        log->end += len;
        bytes = (struct slice){bytes.data + len, bytes.len - len};
    }
}

static void
put_line(struct event_log *log, const struct event *event)
{
    AUTO(buffer) struct buffer line = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&line, "{\"seq\":%" PRIu64 ",\"type\":\"%s\"",
                  event_log_last_seq(log) + 1, event->type);
    if (*event->parent) {
        buffer_append_text(&line, ",\"parent\":");
        buffer_append_json_string(&line, slice_of(event->parent));
    }
    buffer_printf(&line, ",\"bytes\":%zu", event->content.len);
    if (event->metadata.len)
        buffer_printf(&line, ",\"metadata\":%zu", event->metadata.len);
    for (size_t i = 0; i < event->buffer_count; i++)
        buffer_printf(&line, "%s%zu", i ? "," : ",\"buffers\":[",
                      event->buffers[i].len);
    buffer_append_text(&line, event->buffer_count ? "]}\n" : "}\n");
    put(log, buffer_slice(&line));
}

static void
index_event(struct event_log *log)
{
    if (log->ends_first + log->ends_count == log->ends_capacity) {
        if (log->ends_first > log->ends_count) {
            memcpy(log->ends, log->ends + log->ends_first,
                   log->ends_count * sizeof(*log->ends));
            log->ends_first = 0;
        } else {
            log->ends_capacity = log->ends_capacity ? log->ends_capacity * 2 : 64;
            log->ends = xrealloc(log->ends, log->ends_capacity * sizeof(*log->ends));
        }
    }
    log->ends[log->ends_first + log->ends_count++] = log->end;
}

static void
tell_readers(struct event_log *log)
{
    log->was_full = event_log_is_full(log);
    for (struct event_reader *r = log->readers; r; r = r->next)
        r->on_news(r->context);
}

size_t
event_bytes(const struct event *event)
{
    size_t total = event->content.len + event->metadata.len;

    for (size_t i = 0; i < event->buffer_count; i++)
        total += event->buffers[i].len;
    return total;
}

void
event_log_append(struct event_log *log, const struct event *event)
{
    put_line(log, event);
    put(log, event->content);
    put(log, event->metadata);
    for (size_t i = 0; i < event->buffer_count; i++)
        put(log, event->buffers[i]);
    put(log, SLICE("\n"));
    index_event(log);
    tell_readers(log);
}

void
event_log_adopt(struct event_log *log, const struct event *event, char **memory)
{
    size_t len = event_bytes(event) + 1;

    put_line(log, event);
    struct block *block = add_block(log, *memory, event->content.data, len);
    *memory = NULL;
    block->len = len;
    log->end += len;
    index_event(log);
    tell_readers(log);
}

/* --- what goes out --- */

/* The last block stays while it has room: the next events go there. */
static bool
is_spent(const struct event_log *log, size_t index)
{
    const struct block *block = &log->blocks[index];

    return block->start + block->len <= log->oldest_at &&
           (index + 1 < log->block_count || block->len == block->capacity);
}

static void
drop_blocks(struct event_log *log)
{
    size_t spent = 0;

    while (spent < log->block_count && is_spent(log, spent))
        free(log->blocks[spent++].memory);
    log->block_count -= spent;
    if (spent)
        memmove(log->blocks, log->blocks + spent,
                log->block_count * sizeof(*log->blocks));
}

/* Drop events that were delivered more than `keep` bytes ago. */
static void
trim(struct event_log *log, uint64_t floor)
{
    while (log->ends_count && log->ends[log->ends_first] + log->keep < floor) {
        log->oldest_at = log->ends[log->ends_first++];
        log->ends_count--;
        log->dropped++;
    }
    drop_blocks(log);
}

static void
after_progress(struct event_log *log)
{
    trim(log, read_floor(log));
    if (log->was_full && !event_log_is_full(log)) {
        log->was_full = false;
        log->on_room(log->context);
    }
}

int
event_log_attach(struct event_log *log, struct event_reader *reader, uint64_t after,
                 struct error *err)
{
    uint64_t last = event_log_last_seq(log);

    if (after > last)
        return error_set(err, ERR_BAD_INPUT,
                         "after=%" PRIu64 ", but the last event is %" PRIu64, after,
                         last);
    if (after < log->dropped)
        return error_set(err, ERR_GONE,
                         "events after %" PRIu64 " are no longer kept, the oldest "
                         "is %" PRIu64,
                         after, log->dropped + 1);
    reader->at = after == log->dropped
                     ? log->oldest_at
                     : log->ends[log->ends_first + (after - log->dropped) - 1];
    reader->log = log;
    reader->next = log->readers;
    log->readers = reader;
    log->was_full = event_log_is_full(log);
    return 0;
}

void
event_log_detach(struct event_reader *reader)
{
    struct event_log *log = reader->log;

    if (!log)
        return;
    for (struct event_reader **at = &log->readers; *at; at = &(*at)->next)
        if (*at == reader) {
            *at = reader->next;
            break;
        }
    reader->log = NULL;
    log->left_ms = loop_now_ms();
    after_progress(log);
}

static const struct block *
find_block(const struct event_log *log, uint64_t at)
{
    size_t low = 0, high = log->block_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (log->blocks[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return &log->blocks[low];
}

size_t
event_log_read(struct event_reader *reader, char *out, size_t max)
{
    struct event_log *log = reader->log;
    size_t done = 0;

    if (!log)
        return 0;
    while (done < max && reader->at < log->end) {
        const struct block *block = find_block(log, reader->at);
        size_t from = (size_t)(reader->at - block->start);
        size_t len = block->len - from;
        len = len < max - done ? len : max - done;
        memcpy(out + done, block->data + from, len);
        done += len;
        reader->at += len;
    }
    if (reader->at > log->delivered)
        log->delivered = reader->at;
    after_progress(log);
    return done;
}

bool
event_log_has_ended(const struct event_reader *reader)
{
    return !reader->log;
}
