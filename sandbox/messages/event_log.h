/*
 * event_log: the numbered events of a sandbox, for clients that read at their own pace.
 *
 * The newest `keep` bytes that were delivered stay, for a client that reconnects with
 * `after`. Events that were not delivered are never dropped: when a reader is more than
 * `keep` bytes behind, or that much has never been read, the log is full, and the code
 * that feeds it from a worker must stop until on_room is called.
 *
 * Bytes are copied once on the way in (large events that are adopted: not at all) and
 * once on the way out. The log knows nothing of HTTP or of workers.
 */
#pragma once

#include "common/error.h"

struct event_log;

/* One event; everything is borrowed. `type` is one of ours or of the allow-list: plain
 * ASCII. */
struct event {
    const char *type;
    const char *parent; /* "" for none */
    struct slice content, metadata;
    const struct slice *buffers;
    size_t buffer_count;
};

size_t event_bytes(const struct event *event); /* without its line */

typedef void (*event_log_fn)(void *context);

/* A client's place in the log; embedded in what serves the client. */
struct event_reader {
    event_log_fn on_news; /* there is more to read, or the log has ended */
    void *context;
    struct event_log *log; /* NULL once the log has ended */
    uint64_t at;
    struct event_reader *next;
};

struct event_log *event_log_new(size_t keep, event_log_fn on_room, void *context);
/* Ends all readers: each is notified, and then reads the end. */
void event_log_free(struct event_log *log);

void event_log_append(struct event_log *log, const struct event *event);
/* The same, without a copy: content, metadata, buffers and a newline are contiguous in
 * *memory. Takes *memory. */
void event_log_adopt(struct event_log *log, const struct event *event, char **memory);

bool event_log_is_full(const struct event_log *log);
uint64_t event_log_last_seq(const struct event_log *log);
uint64_t event_log_first_seq(const struct event_log *log); /* of those kept */
bool event_log_is_read(const struct event_log *log);       /* all of it, by somebody */
bool event_log_has_readers(const struct event_log *log);
/* loop_now_ms at which its last reader left; 0: somebody reads, or nobody ever did. */
int64_t event_log_left_ms(const struct event_log *log);
/* Each reader is notified, and then reads the end; others may come. */
void event_log_end_readers(struct event_log *log);

/* From the event after `after` on. ERR_GONE: no longer kept. */
int event_log_attach(struct event_log *log, struct event_reader *reader, uint64_t after,
                     struct error *err) MUST_CHECK;
void event_log_detach(struct event_reader *reader); /* also when not attached */

/* Copies at most max bytes; 0 when there is nothing new. */
size_t event_log_read(struct event_reader *reader, char *out, size_t max);
bool event_log_has_ended(const struct event_reader *reader);

static inline void
auto_event_log(struct event_log **log)
{
    event_log_free(*log);
}
