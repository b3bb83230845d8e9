/*
 * envelope: one message of the worker's channel or of sandboxd's event stream.
 *
 *     {"type":"display_data","parent":"REQUEST","bytes":N,"metadata":M,"buffers":[B,…]}
 *     <N bytes content><M bytes metadata><B bytes>…<newline>
 *
 * The line is JSON and names the lengths; content and metadata are JSON objects that
 * travel as they are, so that a message that is only relayed is not rebuilt.
 * docs/sandbox-protocol.md lists the types and who may send them. Pure functions: no
 * descriptor. Content is not checked here, but by the code that shows it to a client
 * (kernel/jupyter/json_scan.h).
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

struct envelope {
    json_t *line;          /* owned; all fields, also those not named below */
    const char *type;      /* borrowed from line */
    const char *parent;    /* "" when absent */
    const char *id;        /* requests: their id; "" when absent */
    json_int_t seq;        /* events: 1 and up; 0 when absent */
    struct slice content;  /* borrowed from the bytes that were parsed */
    struct slice metadata; /* likewise; empty means {} */
    struct slice *buffers; /* owned array of borrowed bytes */
    size_t buffer_count;
    size_t unread; /* bytes of a content that its reader has skipped */
};

#define ENVELOPE_INIT \
    {                 \
        0             \
    }

/*
 * Take one envelope off the front of bytes. Returns how many bytes it used, 0 when more
 * are needed (*needed, if not NULL, then says how many at least in total), or -1. After
 * -1 the stream cannot be read on and must be closed.
 */
ssize_t envelope_parse(struct slice bytes, struct envelope *out, size_t *needed,
                       struct error *err) MUST_CHECK;
void envelope_release(struct envelope *envelope);

/* Its line alone, with the lengths of what follows; *total is the whole envelope's. 1,
 * or 0 when more bytes are needed, or -1. */
int envelope_peek(struct slice bytes, struct envelope *out, size_t *total,
                  struct error *err) MUST_CHECK;

/*
 * Append an envelope. `line` must be an object without "bytes", "metadata" and
 * "buffers": these are added (line itself is not changed). Fails when over a limit.
 */
int envelope_append(struct buffer *out, const json_t *line, struct slice content,
                    struct slice metadata, const struct slice *buffers,
                    size_t buffer_count, struct error *err) MUST_CHECK;

static inline void
auto_envelope(struct envelope *envelope)
{
    envelope_release(envelope);
}
