/*
 * outputs_magic: `%outputs [cell]` shows what a cell has put out, also in an earlier
 * kernel of the notebook: one that nobody saw, or that was cleared since.
 *
 * The cell is named by its execution count or its id; without one it is the last one
 * that ran. The worker counts the magic's own cell (announce_request), the rest is done
 * here. What is shown is not kept once more.
 */
#pragma once

#include "common/envelope.h"

struct archive_answer;
struct kernel;
struct request;

struct outputs_magic {
    unsigned ticket; /* of the answer that is waited for */
};

/* `%outputs`, and nothing else but its argument? */
bool outputs_magic_is_for(const struct request *request);
/* For the current request. */
void outputs_magic_begin(struct kernel *kernel);
/* False: it does not wait for that. */
bool outputs_magic_take_reply(struct kernel *kernel, const struct envelope *event);
/* Takes the answer. */
void outputs_magic_take_answer(struct kernel *kernel, struct archive_answer *answer);
