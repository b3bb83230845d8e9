/*
 * registration: the handshake of protocol 5.6 (JEP 66).
 *
 * Who starts a kernel in this way names no ports: its file has `registration_ip` and
 * `registration_port` instead. The kernel binds to ports that are free, tells them
 * there, and goes on when that was acknowledged.
 */
#pragma once

#include "kernel/jupyter/connection_file.h"

/* Tells the ports that the connection has by now. Waits at most 5 s for the answer, of
 * which only the signature counts. */
int registration_announce(const struct connection *connection,
                          struct error *err) MUST_CHECK;

/* Where an ordinary connection file lets other clients find this kernel: in Jupyter's
 * runtime folder. NULL if there is none. The caller frees it. */
char *registration_path(const struct connection *connection);
