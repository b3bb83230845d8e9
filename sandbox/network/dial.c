#include "sandbox/network/dial.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "sandbox/network/resolver.h"

enum {
    DIAL_MS = 60000,    /* all of it */
    CONNECT_MS = 10000, /* one address; the next may be better */
};

struct dial {
    struct dial_spec spec;
    struct host host;
    struct resolver_lookup *lookup;
    struct ip addresses[RESOLVER_ADDRESSES];
    size_t count, next;
    int fd;
    struct loop_watch watch;
    struct loop_timer step; /* begin, or give up on an address */
    struct loop_timer deadline;
    struct error problem; /* the newest; a refusal stays */
    bool is_refused;
};

static void
finish(struct dial *dial, int fd)
{
    loop_watch_stop(dial->spec.loop, &dial->watch);
    loop_timer_cancel(dial->spec.loop, &dial->step);
    loop_timer_cancel(dial->spec.loop, &dial->deadline);
    dial->spec.on_done(dial->spec.context, fd, &dial->problem);
}

/* --- what the rules say --- */

/* How a rule writes this host: IPv6 in brackets. */
static const char *
rule_text(const struct dial *dial, const struct ip *address, char *out, size_t size)
{
    char text[INET6_ADDRSTRLEN];

    if (!address)
        snprintf(out, size, "%s:%u", dial->host.name, dial->spec.port);
    else
        snprintf(out, size, address->family == AF_INET ? "%s:%u" : "[%s]:%u",
                 ip_format(address, text), dial->spec.port);
    return out;
}

static void
refuse(struct dial *dial, const struct ip *address, const char *what)
{
    char named[HOST_NAME_SIZE + 16], wanted[HOST_NAME_SIZE + 16];

    dial->is_refused = true;
    rule_text(dial, dial->host.is_address ? &dial->host.address : NULL, named,
              sizeof(named));
    rule_text(dial, address, wanted, sizeof(wanted));
    if (what)
        error_format(&dial->problem, ERR_DENIED,
                     "%s resolves to %s: only \"%s\" in sandbox.network.allow of "
                     "config.json allows that",
                     named, what, wanted);
    else
        error_format(&dial->problem, ERR_DENIED,
                     "%s is not allowed for this sandbox: add \"%s\" to "
                     "sandbox.network.allow in config.json",
                     named, named);
}

/* A packet to one of this machine's addresses would leave from that same address. */
static bool
is_own_address(const struct ip *address)
{
    struct sockaddr_storage name;
    socklen_t len = ip_to(address, 9, &name);
    AUTO(fd) int probe = socket(address->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ip source;

    if (probe < 0 || connect(probe, (struct sockaddr *)&name, len) < 0)
        return false; /* then a connection fails too */
    len = sizeof(name);
    return getsockname(probe, (struct sockaddr *)&name, &len) == 0 &&
           ip_from((struct sockaddr *)&name, &source) && ip_equals(&source, address);
}

/* Listed by its address, this machine's own may be meant. */
static bool
is_allowed(struct dial *dial, const struct ip *address)
{
    const struct ip_special *special = ip_special_of(address);
    bool is_named = !dial->host.is_address;
    enum allow_verdict verdict =
        allow_address(dial->spec.allow, address, dial->spec.port, is_named);

    if (verdict == ALLOW_YES && is_named && is_own_address(address) &&
        allow_address(dial->spec.allow, address, dial->spec.port, false) != ALLOW_YES) {
        refuse(dial, address, "an address of this machine");
        return false;
    }
    if (verdict == ALLOW_SPECIAL)
        refuse(dial, address,
               special ? special->what : "an address that is not public");
    else if (verdict == ALLOW_NOT_LISTED)
        refuse(dial, NULL, NULL);
    return verdict == ALLOW_YES;
}

/* --- connecting --- */

static void try_next(struct dial *dial);

static void
give_up_on_address(struct dial *dial, enum error_kind kind, const char *why)
{
    loop_watch_stop(dial->spec.loop, &dial->watch);
    auto_fd(&dial->fd);
    dial->fd = -1;
    if (!dial->is_refused)
        error_format(&dial->problem, kind, "%s:%u cannot be reached: %s",
                     dial->host.name, dial->spec.port, why);
    try_next(dial);
}

static void
on_connected(void *context, uint32_t events UNUSED)
{
    struct dial *dial = context;
    int failure = 0;
    socklen_t len = sizeof(failure);

    if (getsockopt(dial->fd, SOL_SOCKET, SO_ERROR, &failure, &len) < 0)
        failure = errno;
    if (failure)
        give_up_on_address(dial, ERR_UNAVAILABLE, strerror(failure));
    else
        finish(dial, take_fd(&dial->fd));
}

/* Returns -1 with errno. */
static int
begin_connection(struct dial *dial, const struct ip *address)
{
    struct sockaddr_storage name;
    socklen_t len = ip_to(address, dial->spec.port, &name);
    struct error err;
    const int yes = 1;

    dial->fd = socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (dial->fd < 0)
        return -1;
    setsockopt(dial->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (connect(dial->fd, (struct sockaddr *)&name, len) < 0 && errno != EINPROGRESS)
        return -1;
    dial->watch.fd = dial->fd;
    if (loop_watch_start(dial->spec.loop, &dial->watch, EPOLLOUT, &err) < 0) {
        errno = err.sys;
        return -1;
    }
    loop_timer_set(dial->spec.loop, &dial->step, CONNECT_MS);
    return 0;
}

static void
try_next(struct dial *dial)
{
    while (dial->next < dial->count) {
        const struct ip *address = &dial->addresses[dial->next++];
        if (!is_allowed(dial, address))
            continue;
        if (begin_connection(dial, address) == 0)
            return;
        if (!dial->is_refused)
            error_format(&dial->problem, ERR_UNAVAILABLE, "%s:%u cannot be reached: %s",
                         dial->host.name, dial->spec.port, strerror(errno));
        auto_fd(&dial->fd);
        dial->fd = -1;
    }
    finish(dial, -1);
}

static void
on_deadline(void *context)
{
    struct dial *dial = context;

    error_format(&dial->problem, ERR_TIMEOUT, "%s:%u does not answer within %d s",
                 dial->host.name, dial->spec.port, DIAL_MS / 1000);
    finish(dial, -1);
}

/* --- looking up --- */

static void
on_addresses(void *context, const struct ip *addresses, size_t count,
             const char *problem)
{
    struct dial *dial = context;

    if (problem)
        error_format(&dial->problem, ERR_UNAVAILABLE, "%s cannot be resolved: %s",
                     dial->host.name, problem);
    for (size_t i = 0; i < count; i++)
        dial->addresses[dial->count++] = addresses[i];
    resolver_free(TAKE(dial->lookup)); /* and the addresses */
    try_next(dial);
}

static void
begin(struct dial *dial)
{
    if (dial->host.is_address) {
        dial->addresses[dial->count++] = dial->host.address;
        try_next(dial);
        return;
    }
    if (!allow_name(dial->spec.allow, dial->host.name, dial->spec.port)) {
        refuse(dial, NULL, NULL);
        finish(dial, -1);
        return;
    }
    dial->lookup = resolver_start(dial->spec.loop, dial->host.name, on_addresses, dial,
                                  &dial->problem);
    if (!dial->lookup)
        finish(dial, -1);
}

static void
on_step(void *context)
{
    struct dial *dial = context;

    if (dial->fd < 0)
        begin(dial);
    else
        give_up_on_address(dial, ERR_TIMEOUT, "no answer");
}

struct dial *
dial_start(const struct dial_spec *spec)
{
    struct dial *dial = xcalloc(1, sizeof(*dial));

    *dial = (struct dial){.spec = *spec, .host = *spec->host, .fd = -1};
    dial->watch = (struct loop_watch){.on_ready = on_connected, .context = dial};
    dial->step = (struct loop_timer){.on_due = on_step, .context = dial};
    dial->deadline = (struct loop_timer){.on_due = on_deadline, .context = dial};
    loop_timer_set(spec->loop, &dial->step, 0);
    loop_timer_set(spec->loop, &dial->deadline, DIAL_MS);
    return dial;
}

void
dial_free(struct dial *dial)
{
    if (!dial)
        return;
    resolver_free(dial->lookup);
    loop_watch_stop(dial->spec.loop, &dial->watch);
    loop_timer_cancel(dial->spec.loop, &dial->step);
    loop_timer_cancel(dial->spec.loop, &dial->deadline);
    auto_fd(&dial->fd);
    free(dial);
}
