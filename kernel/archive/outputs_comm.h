/*
 * outputs_comm: the comm target `cellpod.journal`, by which a client gets what its
 * document lacks (docs/outputs.md).
 *
 * The kernel answers it itself, also while a cell runs and before there is a sandbox.
 * What a worker says in its name is dropped.
 */
#pragma once

#include <sys/queue.h>

#include "common/envelope.h"
#include "kernel/archive/archive.h"
#include "kernel/client/sandbox.h"
#include "kernel/jupyter/publish.h"
#include "kernel/jupyter/request.h"

#define OUTPUTS_COMM_TARGET "cellpod.journal"

struct outputs_comm;
struct outputs_ask;

struct outputs_comms {
    struct archive *archive; /* borrowed, as are the next two */
    struct publisher *publisher;
    struct sandbox *sandbox; /* waits while clients read slowly */
    LIST_HEAD(, outputs_comm) open;
    LIST_HEAD(, outputs_ask) asks; /* that the archive has not answered in full */
    size_t open_count, ask_count;
};

void outputs_comm_init(struct outputs_comms *comms);
void outputs_comm_release(struct outputs_comms *comms);

/* A client's comm message to the kernel itself? */
bool outputs_comm_is_for(const struct outputs_comms *comms,
                         const struct request *request);
int outputs_comm_handle(struct outputs_comms *comms, const struct request *request,
                        struct error *err) MUST_CHECK;

/* False: it was asked by somebody else. Takes the answer if true. */
bool outputs_comm_take_answer(struct outputs_comms *comms,
                              struct archive_answer *answer);

/* A comm message of the worker's that speaks for the kernel? */
bool outputs_comm_refuses(const struct outputs_comms *comms,
                          const struct envelope *event);
/* False: a comm_info_reply is complete as it is. */
bool outputs_comm_add_info(const struct outputs_comms *comms,
                           const struct request *request, struct slice content,
                           struct buffer *out);
