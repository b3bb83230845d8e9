/*
 * connection_file: where to bind and how to sign, as written by the program that
 * started us.
 *
 * Every refusal is one line that names the field. The file belongs to that program: it
 * is written only if a port was 0, so that clients learn which one we took. A
 * registration file (registration.h) is one without ports.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

enum channel {
    CHANNEL_SHELL,
    CHANNEL_IOPUB,
    CHANNEL_STDIN,
    CHANNEL_CONTROL,
    CHANNEL_HEARTBEAT,
    CHANNELS,
};

struct connection {
    json_t *fields; /* owned; the strings below are borrowed from it */
    bool is_ipc;
    const char *ip; /* for ipc the start of the sockets' paths */
    int ports[CHANNELS];
    const char *key, *signature_scheme;
    const char *curve_publickey, *curve_secretkey; /* both, or NULL both */
    /* From a file that has, in place of ports, the address to report them to
     * (registration.h); else NULL, 0 and NULL. The id can be used in a file name. */
    const char *registration_ip;
    int registration_port;
    const char *kernel_id;
};

#define CONNECTION_INIT \
    {                   \
        0               \
    }

/* "shell_port", … */
const char *connection_file_port_name(enum channel channel);

int connection_file_parse(struct slice text, struct connection *out,
                          struct error *err) MUST_CHECK;
int connection_file_read(const char *path, struct connection *out,
                         struct error *err) MUST_CHECK;
/* With the ports as they are now, and no word of a registration; replaces the file in
 * one step. */
int connection_file_write(const char *path, const struct connection *connection,
                          struct error *err) MUST_CHECK;
void connection_file_release(struct connection *connection);

static inline void
auto_connection(struct connection *connection)
{
    connection_file_release(connection);
}
