/*
 * proxy: the one way out of a sandbox whose network is a list.
 *
 * The listening socket was made inside the sandbox's network namespace; its connections
 * are served here: HTTP requests for absolute URLs, and CONNECT, to the hosts that the
 * rules allow (allow.h). All input is hostile. A refusal is an answer with status 403
 * and one sentence, as its reason phrase and as its body. Connections above the limits
 * wait in the socket's queue.
 */
#pragma once

#include "common/net/allow.h"
#include "sandbox/loop.h"

enum {
    PROXY_PORT = 3128,
    PROXY_CONNECTIONS = 128,         /* of one sandbox, at a time */
    PROXY_CONNECTIONS_OWN = 8,       /* of these, whatever other sandboxes have */
    PROXY_CONNECTIONS_OF_ALL = 1024, /* of one daemon, and no more than a quarter of
                                        the descriptors that it may have */
    PROXY_REFUSALS_LOGGED = 200,     /* of one sandbox */
    PROXY_REFUSALS_TOLD = 20,        /* of one sandbox, to its user */
};

struct proxy;

struct proxy_spec {
    struct loop *loop;
    int listener;                   /* taken, also on failure */
    const struct allow_list *allow; /* borrowed for as long as the proxy lives */
    const char *sandbox;            /* its id, for the log; borrowed likewise */
    int64_t idle_ms;                /* 0: the usual limit */
    /* Reports a refusal by the rules, each one only once. May be NULL. */
    void (*on_refusal)(void *context, const char *sentence);
    void *context;
};

/* ERR_ISOLATION when the listener is not what init should have made. */
struct proxy *proxy_new(const struct proxy_spec *spec, struct error *err) MUST_CHECK;
void proxy_free(struct proxy *proxy); /* and every connection */
