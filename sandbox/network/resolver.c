#include "sandbox/network/resolver.h"

#include <ares.h>
#include <netdb.h>

enum {
    TRY_MS = 3000,
    TRIES = 3,
};

/* A socket of c-ares's. */
struct query {
    struct resolver_lookup *lookup;
    struct loop_watch watch;
    struct query *next;
};

struct resolver_lookup {
    struct loop *loop;
    ares_channel channel;
    bool has_channel, is_done;
    struct query *queries;
    struct loop_timer timer;
    resolver_fn on_done;
    void *context;
    struct ip addresses[RESOLVER_ADDRESSES];
    size_t count;
    const char *problem;
};

/* c-ares may not be freed from its own callbacks: the answer is passed on afterwards.
 */
static void
finish(struct resolver_lookup *lookup)
{
    lookup->is_done = true;
    loop_timer_set(lookup->loop, &lookup->timer, 0);
}

static void
set_timer(struct resolver_lookup *lookup)
{
    struct timeval most = {TRY_MS / 1000, 0}, left;

    if (lookup->is_done)
        return;
    ares_timeout(lookup->channel, &most, &left);
    loop_timer_set(lookup->loop, &lookup->timer,
                   (int64_t)left.tv_sec * 1000 + left.tv_usec / 1000 + 1);
}

static void
on_timer(void *context)
{
    struct resolver_lookup *lookup = context;

    if (lookup->is_done) {
        lookup->on_done(lookup->context, lookup->addresses, lookup->count,
                        lookup->problem);
        return;
    }
    ares_process_fd(lookup->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    set_timer(lookup);
}

/* The query may be gone after c-ares has looked at it. */
static void
on_socket_ready(void *context, uint32_t events)
{
    struct query *query = context;
    struct resolver_lookup *lookup = query->lookup;
    int fd = query->watch.fd;
    bool can_read = events & (EPOLLIN | EPOLLERR | EPOLLHUP);

    ares_process_fd(lookup->channel, can_read ? fd : ARES_SOCKET_BAD,
                    events & EPOLLOUT ? fd : ARES_SOCKET_BAD);
    set_timer(lookup);
}

static void
drop_query(struct resolver_lookup *lookup, struct query **at)
{
    struct query *query = *at;

    *at = query->next;
    loop_watch_stop(lookup->loop, &query->watch);
    free(query);
}

static void
add_query(struct resolver_lookup *lookup, int fd, uint32_t events)
{
    struct query *query = xcalloc(1, sizeof(*query));
    struct error err;

    *query = (struct query){.lookup = lookup, .next = lookup->queries};
    query->watch =
        (struct loop_watch){.fd = fd, .on_ready = on_socket_ready, .context = query};
    lookup->queries = query;
    /* Without its watch the query runs into its timeout. */
    if (loop_watch_start(lookup->loop, &query->watch, events, &err) < 0)
        drop_query(lookup, &lookup->queries);
}

/* c-ares says which events it waits for: none when it is about to close the socket. */
static void
on_socket_state(void *context, ares_socket_t fd, int readable, int writable)
{
    struct resolver_lookup *lookup = context;
    uint32_t events = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
    struct query **at = &lookup->queries;

    while (*at && (*at)->watch.fd != fd)
        at = &(*at)->next;
    if (!*at && events)
        add_query(lookup, fd, events);
    else if (*at && events)
        loop_watch_change(lookup->loop, &(*at)->watch, events);
    else if (*at)
        drop_query(lookup, at);
}

static const char *
problem_of(int status)
{
    switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_EBADNAME:
        return "there is no such name";
    case ARES_ETIMEOUT:
        return "the name server does not answer";
    default:
        return "the name server refuses to answer";
    }
}

static void
on_addresses(void *context, int status, int timeouts UNUSED,
             struct ares_addrinfo *result)
{
    struct resolver_lookup *lookup = context;

    if (status == ARES_EDESTRUCTION)
        return;
    struct ares_addrinfo_node *node =
        status == ARES_SUCCESS && result ? result->nodes : NULL;
    for (; node && lookup->count < RESOLVER_ADDRESSES; node = node->ai_next)
        if (ip_from(node->ai_addr, &lookup->addresses[lookup->count]))
            lookup->count++;
    if (result)
        ares_freeaddrinfo(result);
    if (lookup->count == 0)
        lookup->problem = problem_of(status == ARES_SUCCESS ? ARES_ENODATA : status);
    finish(lookup);
}

static int
open_channel(struct resolver_lookup *lookup, struct error *err)
{
    char lookups[] = "fb"; /* files, then DNS */
    struct ares_options options = {
        .flags = ARES_FLAG_NOSEARCH,
        .timeout = TRY_MS,
        .tries = TRIES,
        .lookups = lookups,
        .sock_state_cb = on_socket_state,
        .sock_state_cb_data = lookup,
    };
    int status =
        ares_init_options(&lookup->channel, &options,
                          ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                              ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB);

    if (status != ARES_SUCCESS)
        return error_set(err, ERR_UNAVAILABLE, "start a name lookup: %s",
                         ares_strerror(status));
    lookup->has_channel = true;
    return 0;
}

struct resolver_lookup *
resolver_start(struct loop *loop, const char *name, resolver_fn on_done, void *context,
               struct error *err)
{
    const struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC,
                                              .ai_socktype = SOCK_STREAM,
                                              .ai_flags = ARES_AI_ENVHOSTS};
    struct resolver_lookup *lookup = xcalloc(1, sizeof(*lookup));

    *lookup =
        (struct resolver_lookup){.loop = loop, .on_done = on_done, .context = context};
    lookup->timer = (struct loop_timer){.on_due = on_timer, .context = lookup};
    if (open_channel(lookup, err) < 0) {
        resolver_free(lookup);
        return NULL;
    }
    ares_getaddrinfo(lookup->channel, name, NULL, &hints, on_addresses, lookup);
    set_timer(lookup);
    return lookup;
}

void
resolver_free(struct resolver_lookup *lookup)
{
    if (!lookup)
        return;
    if (lookup->has_channel)
        ares_destroy(lookup->channel); /* and its sockets' watches */
    while (lookup->queries)
        drop_query(lookup, &lookup->queries);
    loop_timer_cancel(lookup->loop, &lookup->timer);
    free(lookup);
}
