#include "kernel/jupyter/registration.h"

#include <zmq.h>

#include "common/paths.h"
#include "kernel/jupyter/signer.h"
#include "kernel/jupyter/wire.h"

#define ANSWER_MS  5000
#define MAX_ANSWER 4096

/* A DEALER in a context of its own, which ends with it. */
struct caller {
    void *context, *socket;
};

static void
auto_caller(struct caller *caller)
{
    if (caller->socket)
        zmq_close(caller->socket);
    if (caller->context)
        zmq_ctx_term(caller->context);
}

static int
call(struct caller *caller, const struct connection *connection, struct error *err)
{
    const char *ip = connection->registration_ip;
    int patience = ANSWER_MS, linger = 0, v6 = strchr(ip, ':') != NULL;
    AUTO(mem) char *endpoint = xasprintf(v6 ? "tcp://[%s]:%d" : "tcp://%s:%d", ip,
                                         connection->registration_port);
    int64_t largest = MAX_ANSWER;

    caller->context = zmq_ctx_new();
    caller->socket = zmq_socket(caller->context, ZMQ_DEALER);
    if (!caller->socket ||
        zmq_setsockopt(caller->socket, ZMQ_IPV6, &v6, sizeof(v6)) < 0 ||
        zmq_setsockopt(caller->socket, ZMQ_LINGER, &linger, sizeof(linger)) < 0 ||
        zmq_setsockopt(caller->socket, ZMQ_SNDTIMEO, &patience, sizeof(patience)) < 0 ||
        zmq_setsockopt(caller->socket, ZMQ_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
        zmq_setsockopt(caller->socket, ZMQ_MAXMSGSIZE, &largest, sizeof(largest)) < 0 ||
        zmq_connect(caller->socket, endpoint) < 0)
        return error_sys(err, "connect to %s", endpoint);
    return 0;
}

/* Ports as strings: so the protocol's documentation has it. */
static char *
describe(const struct connection *connection)
{
    json_auto_t *content = json_object();

    json_object_set_new(content, "kernel_id", json_string(connection->kernel_id));
    for (int i = 0; i < CHANNELS; i++)
        json_object_set_new(content, connection_file_port_name(i),
                            json_sprintf("%d", connection->ports[i]));
    return json_dumps(content, JSON_COMPACT);
}

static int
tell(void *socket, struct signer *signer, const struct connection *connection,
     struct error *err)
{
    AUTO(mem) char *text = describe(connection);
    const struct slice content = slice_of(text);
    const struct slice delimiter = WIRE_DELIMITER;
    char hex[SIGNATURE_HEX_MAX];

    signer_sign(signer, &content, 1, hex);
    if (zmq_send(socket, delimiter.data, delimiter.len, ZMQ_SNDMORE) < 0 ||
        zmq_send(socket, hex, signer_hex_len(signer), ZMQ_SNDMORE) < 0 ||
        zmq_send(socket, content.data, content.len, 0) < 0)
        return error_sys(err, "send");
    return 0;
}

/* The next frame; whether it is the last one must be as expected. */
static int
take_frame(void *socket, char out[MAX_ANSWER], struct slice *frame, bool is_last,
           struct error *err)
{
    int more = 0;
    size_t size = sizeof(more);
    int len = zmq_recv(socket, out, MAX_ANSWER, 0);

    if (len < 0 && errno == EAGAIN)
        return error_set(err, ERR_UNAVAILABLE, "no answer within %d seconds",
                         ANSWER_MS / 1000);
    if (len < 0 || zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) < 0)
        return error_sys(err, "receive");
    if (len > MAX_ANSWER || !more != is_last)
        return error_set(err, ERR_BAD_INPUT, "the answer is not an acknowledgement");
    *frame = (struct slice){out, (size_t)len};
    return 0;
}

static int
hear(void *socket, struct signer *signer, struct error *err)
{
    char bytes[3][MAX_ANSWER];
    struct slice frames[3];

    for (int i = 0; i < 3; i++)
        if (take_frame(socket, bytes[i], &frames[i], i == 2, err) < 0)
            return -1;
    if (!slice_equals(frames[0], WIRE_DELIMITER))
        return error_set(err, ERR_BAD_INPUT, "the answer is not an acknowledgement");
    if (!signer_is_off(signer) && !signer_verify(signer, &frames[2], 1, frames[1]))
        return error_set(err, ERR_BAD_INPUT, "the answer's signature is wrong");
    return 0;
}

int
registration_announce(const struct connection *connection, struct error *err)
{
    AUTO(caller) struct caller caller = {NULL, NULL};
    AUTO(signer) struct signer *signer = NULL;

    if (signer_new(&signer, connection->signature_scheme, slice_of(connection->key),
                   err) < 0 ||
        call(&caller, connection, err) < 0 ||
        tell(caller.socket, signer, connection, err) < 0 ||
        hear(caller.socket, signer, err) < 0)
        return error_wrap(err, "register with %s:%d", connection->registration_ip,
                          connection->registration_port);
    return 0;
}

char *
registration_path(const struct connection *connection)
{
    const char *named = getenv("JUPYTER_RUNTIME_DIR"), *data = getenv("XDG_DATA_HOME");
    AUTO(mem) char *folder = NULL;

    if (named && *named)
        folder = xstrdup(named);
    else if (data && data[0] == '/')
        folder = xasprintf("%s/jupyter/runtime", data);
    else
        folder = paths_expand_home("~/.local/share/jupyter/runtime");
    if (access(folder, W_OK | X_OK) < 0)
        return NULL;
    return xasprintf("%s/kernel-%s.json", folder, connection->kernel_id);
}
