/*
 * dial: a connection to a host that the rules allow, to an address that was checked.
 *
 * A name is looked up once, each of its addresses is checked against the rules, and the
 * connection is made to exactly the address that was checked: if the name changes
 * later, that does not matter. This machine's own addresses count as loopback. If an
 * address does not answer, the next one is tried.
 */
#pragma once

#include "common/net/allow.h"
#include "sandbox/loop.h"

struct dial;

/* Called once, from the loop, never from dial_start. Takes fd; if fd is -1, *err says
 * why: ERR_DENIED, ERR_UNAVAILABLE or ERR_TIMEOUT. The dial may be freed from here. */
typedef void (*dial_fn)(void *context, int fd, const struct error *err);

struct dial_spec {
    struct loop *loop;
    const struct allow_list *allow; /* borrowed for as long as the dial lives */
    const struct host *host;        /* borrowed for the call */
    uint16_t port;
    dial_fn on_done;
    void *context;
};

struct dial *dial_start(const struct dial_spec *spec);
void dial_free(struct dial *dial);
