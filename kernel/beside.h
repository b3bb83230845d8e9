/*
 * beside: requests that the worker works on beside kernel->execution's: those of
 * subshells, and comm messages for the main thread while a cell runs there, which may
 * await them.
 *
 * Each is posted once there is a sandbox and sandboxd has the one before, so that none
 * overtakes another. It ends with its reply, or when it is lost with its worker. Which
 * is next is decided in subshell.c and shell.c.
 */
#pragma once

#include <sys/queue.h>

#include "common/envelope.h"
#include "kernel/dispatch.h"

struct beside;
struct subshell;

struct besides {
    TAILQ_HEAD(, beside) open; /* as they came */
    struct beside *in_flight;  /* sandboxd has not said yet that it has it; or NULL */
    size_t of_main;            /* how many are for the main thread */
};

void beside_init(struct besides *besides);
void beside_release(struct besides *besides);

handler_fn beside_handle; /* of a request with is_beside */

/* Order the worker to begin (`open`) or end (`close`) a subshell. Takes the request,
 * which is answered when that is done; NULL: nobody asks. */
void beside_order(struct kernel *kernel, struct subshell *subshell, const char *order,
                  struct request *request);
/* Interrupt all of them. */
void beside_interrupt(struct kernel *kernel);
/* Interrupt those of a subshell, and answer them at once; what they still say is shown,
 * their replies are not. */
void beside_abandon(struct kernel *kernel, struct subshell *subshell);

bool beside_is_any(const struct besides *besides);
/* The sandbox is ready for those that wait for it. */
void beside_send(struct kernel *kernel);
/* sandboxd has, or has not (err), taken a request. */
void beside_sent(struct kernel *kernel, const char *id, const struct error *err);
/* NULL: there is none of that id, or nobody asks any more. */
const struct request *beside_find(const struct kernel *kernel, const char *id);
/* True if this is the reply to one of them. */
bool beside_take_reply(struct kernel *kernel, const struct envelope *event);
/* True if one has this id: its reply cannot be relayed. */
bool beside_refuse(struct kernel *kernel, const char *id, const char *why);
/* request_lost: with its worker. */
void beside_take_loss(struct kernel *kernel, const struct envelope *event,
                      struct slice parent);
/* The sandbox has ended. */
void beside_end(struct kernel *kernel, const char *why);
