/*
 * http_peers: connections of strangers that wait, so that they keep nobody else out.
 *
 * A connection waits until its request is let in (by a token, or to a handler) and
 * again between requests. Those that wait too long are closed; so is the one that has
 * waited longest when its peer has too many, or when there is no room for a new one. So
 * a request that is short, as a probe of /v1/health, always finds a place.
 *
 * For TCP, and in pods. On a unix socket of our own user nothing is counted.
 */
#pragma once

#include <sys/queue.h>

#include "sandbox/http/http_connection.h"

struct http_peer;
TAILQ_HEAD(http_peer_list, http_peer);

struct http_peers {
    struct loop *loop;
    struct http_peer_list waiting; /* who has waited longest is first */
    struct loop_timer overdue;
};

void http_peers_init(struct http_peers *peers, struct loop *loop);
void http_peers_stop(struct http_peers *peers);

/* libmicrohttpd's MHD_OPTION_NOTIFY_CONNECTION; context is the http_peers. */
void http_peers_notify(void *context, struct MHD_Connection *connection,
                       void **socket_context, enum MHD_ConnectionNotificationCode code);

/* Its request is let in; is over. Nothing happens where nothing is counted. */
void http_peers_settle(struct MHD_Connection *connection);
void http_peers_wait(struct MHD_Connection *connection);

/* Close the one that has waited longest; false: none waits. */
bool http_peers_make_room(struct http_peers *peers);
