#include "sandbox/network/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "sandbox/network/dial.h"
#include "sandbox/network/proxy_head.h"
#include "sandbox/network/tunnel.h"

#define LOG_COMPONENT "proxy"
#include "common/log.h"

enum {
    HEAD_MS = 30000,  /* for a request's head to come */
    IDLE_MS = 900000, /* without a byte either way */
    LINGER_MS = 2000, /* for the client to read a refusal */
    LINGER_BYTES = 1 << 20,
    RETRY_ACCEPT_MS = 500,
    ACCEPTS_AT_ONCE = 16,
};

struct connection {
    struct proxy *proxy;
    int fd;
    struct loop_watch watch;
    struct loop_timer timer;
    char head[PROXY_HEAD_BYTES];
    size_t len;
    struct dial *dial;
    struct tunnel *tunnel;
    size_t discarded; /* after a refusal */
    char name[HOST_NAME_SIZE + 8];
    struct connection *next, **at;
};

struct proxy {
    struct loop *loop;
    struct proxy_spec spec;
    struct loop_watch watch;
    struct loop_timer retry; /* accepting, after a pause */
    struct connection *connections;
    unsigned open;
    unsigned refusals;
    char *told[PROXY_REFUSALS_TOLD]; /* owned */
    size_t told_count;
};

/* Of all proxies of this process: its descriptors are theirs together. */
static unsigned open_of_all;

static unsigned
most_of_all(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
        files.rlim_cur / 8 >= PROXY_CONNECTIONS_OF_ALL)
        return PROXY_CONNECTIONS_OF_ALL;
    return (unsigned)files.rlim_cur / 8; /* a connection has two */
}

static bool
has_room(const struct proxy *proxy)
{
    if (proxy->open < PROXY_CONNECTIONS_OWN)
        return true;
    return proxy->open < PROXY_CONNECTIONS && open_of_all < most_of_all();
}

/* --- one connection's end --- */

static void accept_later(struct proxy *proxy, int64_t delay_ms);

static void
end(struct connection *c)
{
    struct proxy *proxy = c->proxy;

    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    loop_watch_stop(proxy->loop, &c->watch);
    loop_timer_cancel(proxy->loop, &c->timer);
    dial_free(c->dial);
    if (c->tunnel)
        log_debug("closed sandbox=%s host=%s out=%llu in=%llu", proxy->spec.sandbox,
                  c->name, (unsigned long long)tunnel_passed(c->tunnel, 0),
                  (unsigned long long)tunnel_passed(c->tunnel, 1));
    tunnel_free(c->tunnel);
    auto_fd(&c->fd);
    free(c);
    proxy->open--;
    open_of_all--;
    if (!proxy->watch.active)
        accept_later(proxy, 0);
}

static void
on_timer(void *context)
{
    end(context);
}

/* --- refusals --- */

static const struct {
    enum error_kind kind;
    unsigned status;
} statuses[] = {
    {ERR_BAD_INPUT, 400},
    {ERR_DENIED,    403},
    {ERR_TOO_LARGE, 431},
    {ERR_TIMEOUT,   504},
};

static unsigned
status_of(enum error_kind kind)
{
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        if (statuses[i].kind == kind)
            return statuses[i].status;
    return 502;
}

static void
log_refusal(struct proxy *proxy, const struct error *err)
{
    if (proxy->refusals > PROXY_REFUSALS_LOGGED)
        return;
    if (++proxy->refusals > PROXY_REFUSALS_LOGGED)
        log_info("further refusals are not logged sandbox=%s", proxy->spec.sandbox);
    else
        log_info("refused sandbox=%s: %s", proxy->spec.sandbox, err->text);
}

static void
tell_refusal(struct proxy *proxy, const struct error *err)
{
    if (!proxy->spec.on_refusal || err->kind != ERR_DENIED ||
        proxy->told_count == PROXY_REFUSALS_TOLD)
        return;
    for (size_t i = 0; i < proxy->told_count; i++)
        if (strcmp(proxy->told[i], err->text) == 0)
            return;
    proxy->told[proxy->told_count++] = xstrdup(err->text);
    proxy->spec.on_refusal(proxy->spec.context, err->text);
}

/* To close with unread bytes would reset the connection, and the answer with it. */
static void
on_lingering(void *context, uint32_t events UNUSED)
{
    struct connection *c = context;
    char scrap[4096];
    ssize_t got = recv(c->fd, scrap, sizeof(scrap), 0);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || (c->discarded += (size_t)got) > LINGER_BYTES)
        end(c);
}

static int
watch_client(struct connection *c, loop_ready_fn on_ready, int64_t patience_ms)
{
    struct error err;

    c->watch.on_ready = on_ready;
    loop_timer_set(c->proxy->loop, &c->timer, patience_ms);
    if (c->watch.active)
        return 0;
    return loop_watch_start(c->proxy->loop, &c->watch, EPOLLIN, &err);
}

/* The texts of these errors are ours: printable, in one line. */
static void
refuse(struct connection *c, const struct error *err)
{
    unsigned status = status_of(err->kind);
    AUTO(mem) char *answer =
        xasprintf("HTTP/1.1 %u %s\r\n"
                  "Content-Type: text/plain; charset=utf-8\r\n"
                  "Content-Length: %zu\r\n"
                  "Connection: close\r\n\r\n%s\n",
                  status, err->text, strlen(err->text) + 1, err->text);

    log_refusal(c->proxy, err);
    tell_refusal(c->proxy, err);
    if (send(c->fd, answer, strlen(answer), MSG_NOSIGNAL) < 0 ||
        shutdown(c->fd, SHUT_WR) < 0 || watch_client(c, on_lingering, LINGER_MS) < 0)
        end(c);
}

/* --- from the head to the tunnel --- */

static void
on_tunnel_end(void *context)
{
    end(context);
}

/* What the host is sent first, and the client. The head was parsed before: it is whole.
 * Returns -1 when it has grown too long. */
static int
first_bytes(const struct connection *c, struct buffer *to_host, struct slice *to_client)
{
    struct proxy_head head;
    struct error err;

    if (proxy_head_parse((struct slice){c->head, c->len}, &head, &err) != 1)
        return -1;
    if (head.is_connect)
        *to_client = SLICE("HTTP/1.1 200 Connection established\r\n\r\n");
    else if (proxy_head_rewrite(&head, to_host) < 0)
        return -1;
    return buffer_append(to_host, c->head + head.len, c->len - head.len);
}

static void
open_tunnel(struct connection *c, int host)
{
    AUTO(buffer) struct buffer to_host = BUFFER_INIT(TUNNEL_BYTES);
    struct slice to_client = {"", 0};
    struct tunnel_spec spec = {
        .loop = c->proxy->loop,
        .idle_ms = c->proxy->spec.idle_ms ? c->proxy->spec.idle_ms : IDLE_MS,
        .on_end = on_tunnel_end,
        .context = c,
    };

    if (first_bytes(c, &to_host, &to_client) < 0) {
        close(host);
        end(c);
        return;
    }
    spec.ends[0] = take_fd(&c->fd);
    spec.ends[1] = host;
    spec.waiting[0] = buffer_slice(&to_host);
    spec.waiting[1] = to_client;
    c->tunnel = tunnel_new(&spec);
}

static void
on_dialed(void *context, int fd, const struct error *err)
{
    struct connection *c = context;
    struct error problem = *err;

    dial_free(TAKE(c->dial));
    if (fd < 0)
        refuse(c, &problem);
    else
        open_tunnel(c, fd);
}

static void
dial(struct connection *c, const struct proxy_head *head)
{
    const struct dial_spec spec = {
        .loop = c->proxy->loop,
        .allow = c->proxy->spec.allow,
        .host = &head->host,
        .port = head->port,
        .on_done = on_dialed,
        .context = c,
    };

    snprintf(c->name, sizeof(c->name), "%s:%u", head->host.name, head->port);
    loop_watch_stop(c->proxy->loop, &c->watch);
    loop_timer_cancel(c->proxy->loop, &c->timer);
    c->dial = dial_start(&spec);
}

static void
on_head(void *context, uint32_t events UNUSED)
{
    struct connection *c = context;
    struct proxy_head head;
    struct error err;
    ssize_t got = recv(c->fd, c->head + c->len, sizeof(c->head) - c->len, 0);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        end(c);
        return;
    }
    c->len += (size_t)got;
    int whole = proxy_head_parse((struct slice){c->head, c->len}, &head, &err);
    if (whole < 0)
        refuse(c, &err);
    else if (whole > 0)
        dial(c, &head);
}

/* --- accepting --- */

static void
add_connection(struct proxy *proxy, int fd)
{
    struct connection *c = xcalloc(1, sizeof(*c));
    const int yes = 1;

    *c = (struct connection){.proxy = proxy, .fd = fd, .next = proxy->connections};
    c->watch = (struct loop_watch){.fd = fd, .context = c};
    c->timer = (struct loop_timer){.on_due = on_timer, .context = c};
    c->at = &proxy->connections;
    if (c->next)
        c->next->at = &c->next;
    proxy->connections = c;
    proxy->open++;
    open_of_all++;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (watch_client(c, on_head, HEAD_MS) < 0)
        end(c);
}

static void
on_connections(void *context, uint32_t events UNUSED)
{
    struct proxy *proxy = context;

    for (int i = 0; i < ACCEPTS_AT_ONCE && has_room(proxy); i++) {
        int fd =
            accept4(proxy->spec.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
            return;
        if (fd < 0) {
            accept_later(proxy, RETRY_ACCEPT_MS);
            return;
        }
        add_connection(proxy, fd);
    }
    if (!has_room(proxy))
        accept_later(proxy, RETRY_ACCEPT_MS);
}

static void
accept_again(void *context)
{
    struct proxy *proxy = context;
    struct error err;

    if (!has_room(proxy) ||
        loop_watch_start(proxy->loop, &proxy->watch, EPOLLIN, &err) < 0)
        accept_later(proxy, RETRY_ACCEPT_MS);
}

/* Connections wait in the listener's queue meanwhile. */
static void
accept_later(struct proxy *proxy, int64_t delay_ms)
{
    loop_watch_stop(proxy->loop, &proxy->watch);
    loop_timer_set(proxy->loop, &proxy->retry, delay_ms);
}

/* Init is trusted until the first worker runs, but the descriptor that it passes is
 * checked. */
static int
check_listener(int fd, struct error *err)
{
    int listens = 0, type = 0;
    socklen_t len = sizeof(listens);
    struct sockaddr_in name = {.sin_port = 0};
    socklen_t name_len = sizeof(name);

    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
        getsockname(fd, (struct sockaddr *)&name, &name_len) < 0 || !listens ||
        type != SOCK_STREAM || name.sin_family != AF_INET ||
        name.sin_addr.s_addr != htonl(INADDR_LOOPBACK) ||
        fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return error_set(err, ERR_ISOLATION,
                         "init passed no listening socket of its loopback");
    return 0;
}

struct proxy *
proxy_new(const struct proxy_spec *spec, struct error *err)
{
    struct proxy *proxy = xcalloc(1, sizeof(*proxy));

    *proxy = (struct proxy){.loop = spec->loop, .spec = *spec};
    proxy->watch = (struct loop_watch){
        .fd = spec->listener, .on_ready = on_connections, .context = proxy};
    proxy->retry = (struct loop_timer){.on_due = accept_again, .context = proxy};
    if (check_listener(spec->listener, err) < 0 ||
        loop_watch_start(proxy->loop, &proxy->watch, EPOLLIN, err) < 0) {
        proxy_free(proxy);
        return NULL;
    }
    return proxy;
}

void
proxy_free(struct proxy *proxy)
{
    if (!proxy)
        return;
    while (proxy->connections)
        end(proxy->connections);
    loop_watch_stop(proxy->loop, &proxy->watch);
    loop_timer_cancel(proxy->loop, &proxy->retry);
    auto_fd(&proxy->spec.listener);
    while (proxy->told_count)
        free(proxy->told[--proxy->told_count]);
    free(proxy);
}
