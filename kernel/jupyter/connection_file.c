#include "kernel/jupyter/connection_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/buffer.h"
#include "common/limits.h"

#define Z85_KEY_LEN 40
#define MAX_ID      128

static const char *const port_names[CHANNELS] = {
    [CHANNEL_SHELL] = "shell_port",  [CHANNEL_IOPUB] = "iopub_port",
    [CHANNEL_STDIN] = "stdin_port",  [CHANNEL_CONTROL] = "control_port",
    [CHANNEL_HEARTBEAT] = "hb_port",
};

const char *
connection_file_port_name(enum channel channel)
{
    return port_names[channel];
}

/* NULL as default: the field must be there. */
static int
read_string(json_t *fields, const char *name, const char *missing, const char **out,
            struct error *err)
{
    json_t *value = json_object_get(fields, name);

    if (!value && !missing)
        return error_set(err, ERR_BAD_INPUT, "%s: missing", name);
    if (value && !json_is_string(value))
        return error_set(err, ERR_BAD_INPUT, "%s: must be a string", name);
    *out = value ? json_string_value(value) : missing;
    return 0;
}

static bool
port_of_text(const char *text, json_int_t *port)
{
    char *end;

    if (*text < '0' || *text > '9' || strlen(text) > 5)
        return false;
    *port = strtol(text, &end, 10);
    return *end == '\0';
}

static int
read_port(json_t *fields, const char *name, int *out, struct error *err)
{
    json_t *value = json_object_get(fields, name);
    json_int_t port = -1;

    if (!value)
        return error_set(err, ERR_BAD_INPUT, "%s: missing", name);
    if (json_is_integer(value))
        port = json_integer_value(value);
    else if (!json_is_string(value) || !port_of_text(json_string_value(value), &port))
        return error_set(err, ERR_BAD_INPUT, "%s: must be a port number", name);
    if (port < 0 || port > 65535)
        return error_set(err, ERR_BAD_INPUT, "%s: %lld is not a port number", name,
                         (long long)port);
    *out = (int)port;
    return 0;
}

static int
read_ports(struct connection *connection, struct error *err)
{
    for (int i = 0; i < CHANNELS; i++)
        if (read_port(connection->fields, port_names[i], &connection->ports[i], err) <
            0)
            return -1;
    for (int i = 0; i < CHANNELS; i++)
        for (int j = 0; j < i; j++)
            if (connection->ports[i] && connection->ports[i] == connection->ports[j])
                return error_set(err, ERR_BAD_INPUT, "%s: the same as %s",
                                 port_names[i], port_names[j]);
    return 0;
}

/* It becomes part of a file's name. */
static bool
is_id(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= MAX_ID && text[0] != '.' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789._-") == len;
}

/* Every port is ours to choose. */
static int
read_registration(struct connection *c, struct error *err)
{
    if (c->is_ipc)
        return error_set(err, ERR_BAD_INPUT, "transport: must be tcp to register");
    if (read_port(c->fields, "registration_port", &c->registration_port, err) < 0 ||
        read_string(c->fields, "kernel_id", NULL, &c->kernel_id, err) < 0)
        return -1;
    if (!c->registration_port)
        return error_set(err, ERR_BAD_INPUT, "registration_port: must not be 0");
    if (!is_id(c->kernel_id))
        return error_set(err, ERR_BAD_INPUT,
                         "kernel_id: must be letters, digits, `.', `_' and `-'");
    return 0;
}

static int
read_place(struct connection *c, struct error *err)
{
    if (read_string(c->fields, "registration_ip", "", &c->registration_ip, err) < 0)
        return -1;
    if (*c->registration_ip)
        return read_registration(c, err);
    c->registration_ip = NULL;
    return read_ports(c, err);
}

static int
read_transport(struct connection *connection, struct error *err)
{
    const char *transport;

    if (read_string(connection->fields, "transport", NULL, &transport, err) < 0)
        return -1;
    connection->is_ipc = strcasecmp(transport, "ipc") == 0;
    if (!connection->is_ipc && strcasecmp(transport, "tcp") != 0)
        return error_set(err, ERR_BAD_INPUT,
                         "transport: must be tcp or ipc, not `%.40s'", transport);
    /* Registration files need not have an address. */
    bool registers = json_object_get(connection->fields, "registration_ip") != NULL;
    if (read_string(connection->fields, "ip", registers ? "127.0.0.1" : NULL,
                    &connection->ip, err) < 0)
        return -1;
    if (!*connection->ip || strpbrk(connection->ip, " \n"))
        return error_set(err, ERR_BAD_INPUT, "ip: must be an address");
    return 0;
}

static int
read_curve_key(json_t *fields, const char *name, const char **out, struct error *err)
{
    if (read_string(fields, name, "", out, err) < 0)
        return -1;
    if (!**out)
        *out = NULL;
    else if (strlen(*out) != Z85_KEY_LEN)
        return error_set(err, ERR_BAD_INPUT, "%s: must have %d characters", name,
                         Z85_KEY_LEN);
    return 0;
}

static int
read_curve(struct connection *c, struct error *err)
{
    if (read_curve_key(c->fields, "curve_publickey", &c->curve_publickey, err) < 0 ||
        read_curve_key(c->fields, "curve_secretkey", &c->curve_secretkey, err) < 0)
        return -1;
    if (!c->curve_publickey != !c->curve_secretkey)
        return error_set(err, ERR_BAD_INPUT, "%s: missing, but the other key is set",
                         c->curve_publickey ? "curve_secretkey" : "curve_publickey");
    return 0;
}

int
connection_file_parse(struct slice text, struct connection *out, struct error *err)
{
    AUTO(connection) struct connection c = CONNECTION_INIT;
    json_error_t at;

    c.fields = json_loadb(text.data, text.len, 0, &at);
    if (!c.fields)
        return error_set(err, ERR_BAD_INPUT, "not valid JSON, see line %d", at.line);
    if (!json_is_object(c.fields))
        return error_set(err, ERR_BAD_INPUT, "must be a JSON object");
    if (read_transport(&c, err) < 0 || read_place(&c, err) < 0 ||
        read_string(c.fields, "key", NULL, &c.key, err) < 0 ||
        read_string(c.fields, "signature_scheme", "hmac-sha256", &c.signature_scheme,
                    err) < 0 ||
        read_curve(&c, err) < 0)
        return -1;
    *out = c;
    c = (struct connection)CONNECTION_INIT;
    return 0;
}

/* Not a pipe or a device: opening must not wait. */
static int
open_regular(const char *path, struct error *err)
{
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return error_sys(err, "open");
    if (!S_ISREG(st.st_mode))
        return error_set(err, ERR_BAD_INPUT, "not a regular file");
    if (st.st_size > LIMIT_CONNECTION_FILE)
        return error_set(err, ERR_TOO_LARGE, "over %d bytes", LIMIT_CONNECTION_FILE);
    return take_fd(&fd);
}

static int
read_all(int fd, struct buffer *out, struct error *err)
{
    for (;;) {
        char *end = buffer_reserve(out, KIB(4));
        if (!end)
            return error_set(err, ERR_TOO_LARGE, "over %d bytes",
                             LIMIT_CONNECTION_FILE);
        ssize_t got = read(fd, end, KIB(4));
        if (got < 0)
            return error_sys(err, "read");
        if (got == 0)
            return 0;
        buffer_advance(out, (size_t)got);
    }
}

int
connection_file_read(const char *path, struct connection *out, struct error *err)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(LIMIT_CONNECTION_FILE + KIB(4));
    AUTO(fd) int fd = open_regular(path, err);

    if (fd < 0 || read_all(fd, &text, err) < 0 ||
        connection_file_parse(buffer_slice(&text), out, err) < 0)
        return error_wrap(err, "connection file %s", path);
    return 0;
}

static int
write_text(const char *path, const char *text, struct error *err)
{
    AUTO(fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t len = strlen(text);

    if (fd < 0 || write(fd, text, len) != (ssize_t)len)
        return error_sys(err, "write %s", path);
    return 0;
}

int
connection_file_write(const char *path, const struct connection *connection,
                      struct error *err)
{
    json_auto_t *fields = json_copy(connection->fields);

    for (int i = 0; i < CHANNELS; i++)
        json_object_set_new(fields, port_names[i], json_integer(connection->ports[i]));
    json_object_set_new(fields, "ip", json_string(connection->ip));
    json_object_del(fields, "registration_ip");
    json_object_del(fields, "registration_port");
    AUTO(mem) char *text = json_dumps(fields, JSON_INDENT(2));
    AUTO(mem) char *fresh = xasprintf("%s.%d", path, (int)getpid());
    int failed = write_text(fresh, text, err);
    if (!failed && rename(fresh, path) < 0)
        failed = error_sys(err, "replace");
    if (failed) {
        unlink(fresh);
        return error_wrap(err, "connection file %s", path);
    }
    return 0;
}

void
connection_file_release(struct connection *connection)
{
    json_decref(connection->fields);
    *connection = (struct connection)CONNECTION_INIT;
}
