/*
 * messages: every type of message, from common/messages.def, which says what the
 * columns mean. A switch over enum message_id must have all of them, or the build
 * fails.
 */
#pragma once

#include "common/base.h"

enum message_id {
    MESSAGE_NONE, /* unknown type; no reply */
#define MESSAGE(ID, ...) MESSAGE_##ID,
#include "common/messages.def"
};

enum {
    MESSAGES = 1 /* with MESSAGE_NONE */
#define MESSAGE(...) +1
#include "common/messages.def"
};

enum message_kind {
    MESSAGE_IS_REQUEST,
    MESSAGE_IS_COMM,
    MESSAGE_IS_ASIDE,
    MESSAGE_IS_STEP,
    MESSAGE_IS_QUERY,
    MESSAGE_IS_REPLY,
    MESSAGE_IS_OUTPUT,
    MESSAGE_IS_QUESTION,
    MESSAGE_IS_ANSWER,
    MESSAGE_IS_SIGN,
    MESSAGE_IS_EVENT,
    MESSAGE_IS_STATUS,
};

enum message_sender { /* bits */
    BY_CLIENT = 1 << 0,
    BY_KERNEL = 1 << 1,
    BY_WORKER = 1 << 2,
    BY_SANDBOXD = 1 << 3,
};

enum message_channel { /* bits */
    ON_SHELL = 1 << 0,
    ON_CONTROL = 1 << 1,
    ON_IOPUB = 1 << 2,
    ON_STDIN = 1 << 3,
    ON_SAME = 1 << 4, /* of the request that it replies to */
};

enum message_phase {
    PHASE_NEVER,
    PHASE_FIRST,
    PHASE_ANY,
    PHASE_KNOWN,
    PHASE_RUNNING,
    PHASE_BEGIN,
    PHASE_ASIDE,
};

enum message_load { /* bits */
    CARRIES_METADATA = 1 << 0,
    CARRIES_BUFFERS = 1 << 1,
    IS_COUNTED = 1 << 2,
};

enum message_field_kind {
    HOLDS_TEXT,
    HOLDS_NUMBER,
    HOLDS_BOOLEAN,
    HOLDS_ARRAY,
    HOLDS_OBJECT,
    HOLDS_BUNDLE, /* an object of MIME types */
};

enum {
    MESSAGE_FIELDS = 4 /* of one type, and the end of them */
};

struct message_field {
    const char *name; /* NULL: the end */
    enum message_field_kind kind;
};

struct message_type {
    enum message_id id;
    const char *type;
    enum message_kind kind;
    unsigned senders, channels; /* enum message_sender, message_channel */
    enum message_id reply;
    enum message_phase phase;
    unsigned carries; /* enum message_load */
    struct message_field fields[MESSAGE_FIELDS];
};

/* NULL when no type is called that. */
const struct message_type *messages_find(const char *type);

/* Not of MESSAGE_NONE. */
const struct message_type *messages_row(enum message_id id);
const char *messages_name(enum message_id id);

/* What a worker answers: requests, asides, comms and the kernel's steps. */
bool messages_is_for_worker(const struct message_type *type);

/* What a cell shows. */
bool messages_is_output(const struct message_type *type);
