#include "kernel/jupyter/channels.h"

#include <sys/un.h>
#include <zmq.h>

#include "common/limits.h"

#define LINGER_MS 1000

static const int socket_types[CHANNELS] = {
    [CHANNEL_SHELL] = ZMQ_ROUTER,     [CHANNEL_IOPUB] = ZMQ_XPUB,
    [CHANNEL_STDIN] = ZMQ_ROUTER,     [CHANNEL_CONTROL] = ZMQ_ROUTER,
    [CHANNEL_HEARTBEAT] = ZMQ_ROUTER,
};

static int
set_int(void *socket, int option, int value, struct error *err)
{
    if (zmq_setsockopt(socket, option, &value, sizeof(value)) < 0)
        return error_sys(err, "socket option %d", option);
    return 0;
}

static int
set_size(void *socket, int64_t bytes, struct error *err)
{
    if (zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes, sizeof(bytes)) < 0)
        return error_sys(err, "largest message");
    return 0;
}

/* A client that reconnects with the same identity while the kernel is busy must replace
 * its old connection (HANDOVER), or it never gets a message again. A bounded send queue
 * (HWM) would drop replies and outputs, `idle` among them. MANUAL: each subscriber gets
 * its welcome before any other message (publish_admit). */
static int
set_options(void *socket, int type, const struct connection *connection,
            struct error *err)
{
    if (set_int(socket, ZMQ_LINGER, LINGER_MS, err) < 0 ||
        set_int(socket, ZMQ_SNDHWM, 0, err) < 0 ||
        set_size(socket, LIMIT_WIRE_BYTES, err) < 0)
        return -1;
    if (strchr(connection->ip, ':') && set_int(socket, ZMQ_IPV6, 1, err) < 0)
        return -1;
    return type == ZMQ_XPUB ? set_int(socket, ZMQ_XPUB_MANUAL, 1, err)
                            : set_int(socket, ZMQ_ROUTER_HANDOVER, 1, err);
}

static int
set_text(void *socket, int option, const char *text, const char *field,
         struct error *err)
{
    if (zmq_setsockopt(socket, option, text, strlen(text) + 1) < 0)
        return error_sys(err, "%s", field);
    return 0;
}

static int
set_curve(void *socket, const struct connection *connection, struct error *err)
{
    if (!connection->curve_publickey)
        return 0;
    if (!zmq_has("curve"))
        return error_set(err, ERR_BAD_INPUT,
                         "curve_publickey: this libzmq cannot encrypt; install one "
                         "with CURVE");
    if (set_int(socket, ZMQ_CURVE_SERVER, 1, err) < 0 ||
        set_text(socket, ZMQ_CURVE_SECRETKEY, connection->curve_secretkey,
                 "curve_secretkey", err) < 0)
        return -1;
    return set_text(socket, ZMQ_CURVE_PUBLICKEY, connection->curve_publickey,
                    "curve_publickey", err);
}

char *
channels_endpoint(const struct connection *connection, int port)
{
    const char *ip = connection->ip;
    bool v6 = strchr(ip, ':') && *ip != '[';

    if (connection->is_ipc)
        return xasprintf("ipc://%s-%d", ip, port);
    if (strcmp(ip, "localhost") == 0) /* libzmq binds to numbers and interfaces */
        ip = "127.0.0.1";
    if (port)
        return xasprintf("tcp://%s%s%s:%d", v6 ? "[" : "", ip, v6 ? "]" : "", port);
    return xasprintf("tcp://%s%s%s:*", v6 ? "[" : "", ip, v6 ? "]" : "");
}

static int
bound_port(void *socket)
{
    char endpoint[256];
    size_t len = sizeof(endpoint);

    if (zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &len) < 0)
        return 0;
    const char *colon = strrchr(endpoint, ':');
    return colon ? atoi(colon + 1) : 0;
}

static int
bind_socket(void *socket, const struct connection *connection, enum channel channel,
            int *port, struct error *err)
{
    const char *name = connection_file_port_name(channel);

    if (connection->is_ipc && *port == 0)
        *port = (int)channel + 1;
    AUTO(mem) char *endpoint = channels_endpoint(connection, *port);
    if (connection->is_ipc && strlen(endpoint) - strlen("ipc://") >=
                                  sizeof(((struct sockaddr_un *)0)->sun_path))
        return error_set(err, ERR_BAD_INPUT, "ip: %s is too long for a socket's path",
                         connection->ip);
    if (zmq_bind(socket, endpoint) < 0)
        return error_set(err, ERR_SYSTEM, "%s: cannot bind %s: %s", name, endpoint,
                         zmq_strerror(zmq_errno()));
    if (*port == 0)
        *port = bound_port(socket);
    return 0;
}

int
channels_bind(struct channels *channels, struct connection *connection,
              struct error *err)
{
    channels->context = zmq_ctx_new();
    channels->heartbeat_context = zmq_ctx_new();
    for (int i = 0; i < CHANNELS; i++) {
        void *context =
            i == CHANNEL_HEARTBEAT ? channels->heartbeat_context : channels->context;
        void *socket = zmq_socket(context, socket_types[i]);
        if (!socket)
            return error_sys(err, "make a socket");
        channels->sockets[i] = socket;
        if (set_options(socket, socket_types[i], connection, err) < 0 ||
            set_curve(socket, connection, err) < 0 ||
            bind_socket(socket, connection, (enum channel)i, &connection->ports[i],
                        err) < 0)
            return -1;
    }
    return 0;
}

void
channels_release(struct channels *channels)
{
    for (int i = 0; i < CHANNELS; i++)
        if (channels->sockets[i])
            zmq_close(channels->sockets[i]);
    if (channels->context)
        zmq_ctx_term(channels->context);
    if (channels->heartbeat_context)
        zmq_ctx_term(channels->heartbeat_context);
    *channels = (struct channels)CHANNELS_INIT;
}
