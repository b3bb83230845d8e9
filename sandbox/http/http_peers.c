#include "sandbox/http/http_peers.h"

#include <netinet/in.h>
#include <sys/socket.h>

enum {
    MAX_WAITING = 16, /* of one peer; a kernel has three at most */
    PATIENCE_MS = 15000,
};

struct http_peer {
    TAILQ_ENTRY(http_peer) link; /* while it waits */
    struct http_peers *peers;
    struct in6_addr address;
    int fd;
    int64_t since_ms;
    bool waits;
};

/* IPv4 as itself; of IPv6 what one network has, 64 bits. */
static struct in6_addr
address_of(const struct sockaddr *given)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)given;
    struct in6_addr address = IN6ADDR_ANY_INIT;

    if (given && given->sa_family == AF_INET) {
        memcpy(&address.s6_addr[12], &v4->sin_addr, sizeof(v4->sin_addr));
    } else if (given && given->sa_family == AF_INET6) {
        address = ((const struct sockaddr_in6 *)given)->sin6_addr;
        if (!IN6_IS_ADDR_V4MAPPED(&address))
            memset(&address.s6_addr[8], 0, 8);
    }
    return address;
}

/* libmicrohttpd sees the end of its input, and closes. */
static void
end(struct http_peer *peer)
{
    TAILQ_REMOVE(&peer->peers->waiting, peer, link);
    peer->waits = false;
    shutdown(peer->fd, SHUT_RDWR);
}

static void
set_timer(struct http_peers *peers)
{
    const struct http_peer *first = TAILQ_FIRST(&peers->waiting);

    loop_timer_cancel(peers->loop, &peers->overdue);
    if (first)
        loop_timer_set(peers->loop, &peers->overdue,
                       first->since_ms + PATIENCE_MS - loop_now_ms());
}

static void
on_overdue(void *context)
{
    struct http_peers *peers = context;
    struct http_peer *peer;

    while ((peer = TAILQ_FIRST(&peers->waiting)) &&
           peer->since_ms + PATIENCE_MS <= loop_now_ms())
        end(peer);
    set_timer(peers);
}

static void
keep_to_limit(struct http_peers *peers, const struct in6_addr *address)
{
    struct http_peer *peer, *first = NULL;
    unsigned count = 0;

    TAILQ_FOREACH (peer, &peers->waiting, link) {
        if (memcmp(&peer->address, address, sizeof(*address)) != 0)
            continue;
        first = first ? first : peer;
        count++;
    }
    if (count > MAX_WAITING)
        end(first);
}

static void
wait(struct http_peer *peer)
{
    if (peer->waits)
        return;
    peer->waits = true;
    peer->since_ms = loop_now_ms();
    TAILQ_INSERT_TAIL(&peer->peers->waiting, peer, link);
    keep_to_limit(peer->peers, &peer->address);
    set_timer(peer->peers);
}

static struct http_peer *
new_peer(struct http_peers *peers, struct MHD_Connection *connection)
{
    struct http_peer *peer = xcalloc(1, sizeof(*peer));

    peer->peers = peers;
    peer->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
                   ->connect_fd;
    peer->address = address_of(
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
            ->client_addr);
    return peer;
}

void
http_peers_notify(void *context, struct MHD_Connection *connection,
                  void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct http_peers *peers = context;
    struct http_peer *peer = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = peer = new_peer(peers, connection);
        wait(peer);
        return;
    }
    if (peer && peer->waits)
        TAILQ_REMOVE(&peers->waiting, peer, link);
    free(peer);
    *socket_context = NULL;
}

static struct http_peer *
peer_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        ->socket_context;
}

void
http_peers_settle(struct MHD_Connection *connection)
{
    struct http_peer *peer = peer_of(connection);

    if (!peer || !peer->waits)
        return;
    TAILQ_REMOVE(&peer->peers->waiting, peer, link);
    peer->waits = false;
}

void
http_peers_wait(struct MHD_Connection *connection)
{
    struct http_peer *peer = peer_of(connection);

    if (peer)
        wait(peer);
}

bool
http_peers_make_room(struct http_peers *peers)
{
    struct http_peer *first = TAILQ_FIRST(&peers->waiting);

    if (first)
        end(first);
    return first;
}

void
http_peers_init(struct http_peers *peers, struct loop *loop)
{
    peers->loop = loop;
    TAILQ_INIT(&peers->waiting);
    peers->overdue = (struct loop_timer){.on_due = on_overdue, .context = peers};
}

void
http_peers_stop(struct http_peers *peers)
{
    loop_timer_cancel(peers->loop, &peers->overdue);
}
