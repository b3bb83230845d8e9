/*
 * registration: the handshake of protocol 5.6 (JEP 66).
 *
 * A program that starts a kernel this way does not name ports: its file has
 * `registration_ip` and `registration_port` instead. The kernel binds to free ports,
 * sends them to that address, and goes on when they have been acknowledged.
 */
#pragma once

#include "kernel/jupyter/connection_file.h"

/* Sends the ports of the connection. Waits at most 5 s for the answer, of which only
 * the signature counts. */
int registration_announce(const struct connection *connection,
                          struct error *err) MUST_CHECK;

/* The path for an ordinary connection file, in Jupyter's runtime folder, where other
 * clients find this kernel. NULL if there is none. The caller frees it. */
char *registration_path(const struct connection *connection);
