/*
 * archive_order: what the thread of an archive is asked for; it owns its bytes.
 */
#pragma once

#include <sys/queue.h>

#include "common/buffer.h"
#include "kernel/archive/archive_index.h"

enum archive_task {
    ARCHIVE_BEGIN,
    ARCHIVE_CALL,  /* it has a name in the sandbox */
    ARCHIVE_GO_ON, /* an earlier kernel's */
    ARCHIVE_PUT,
    ARCHIVE_LEAVE_OUT,
    ARCHIVE_FINISH,
    ARCHIVE_SHOW,
    ARCHIVE_LIST,
    ARCHIVE_UNFOLLOW,
};

struct archive_order {
    TAILQ_ENTRY(archive_order) link;
    enum archive_task task;
    unsigned ticket;
    int64_t seq;
    bool is_by_name, follows;
    unsigned char key[ARCHIVE_KEY];
    struct slice sandbox, request;     /* C strings, if is_by_name, or of CALL */
    struct slice parts[ARCHIVE_PARTS]; /* of the record; id; C strings where wanted */
    struct buffer bytes;               /* that all of them are in */
};

/* parts are copied, each with a NUL behind it that does not count. */
struct archive_order *archive_order_new(enum archive_task task,
                                        const struct slice names[2],
                                        const struct slice parts[ARCHIVE_PARTS]);
void archive_order_free(struct archive_order *order);
size_t archive_order_size(const struct archive_order *order);
