/*
 * wire: Jupyter's multipart frames in, a verified message out.
 *
 *     ident* <IDS|MSG> signature header parent_header metadata content buffer*
 *
 * Pure: no socket, clock or log. The order of checks is the security property: number
 * and size of frames, length of the signature, signature, and only then JSON. The
 * caller then checks with kernel/jupyter/replay.h whether the message is a replay.
 */
#pragma once

#include <jansson.h>

#include "kernel/jupyter/signer.h"

#define WIRE_DELIMITER SLICE("<IDS|MSG>")

enum wire_part {
    WIRE_HEADER,
    WIRE_PARENT,
    WIRE_METADATA,
    WIRE_CONTENT,
    WIRE_PARTS,
};

/* All slices are borrowed from the frames. */
struct wire_message {
    size_t ident_count;             /* frames[0 .. ident_count) route the reply */
    struct slice signature;         /* as verified; empty when signing is off */
    struct slice parts[WIRE_PARTS]; /* each one JSON object */
    const struct slice *buffers;
    size_t buffer_count;
    json_t *header;        /* owned */
    const char *type, *id; /* borrowed from header */
};

#define WIRE_MESSAGE_INIT \
    {                     \
        0                 \
    }

int wire_parse(const struct slice *frames, size_t count, struct signer *signer,
               struct wire_message *out, struct error *err) MUST_CHECK;
void wire_message_release(struct wire_message *message);

static inline void
auto_wire_message(struct wire_message *message)
{
    wire_message_release(message);
}
