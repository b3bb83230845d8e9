/*
 * address: what --listen names, "unix:/PATH" or "tcp:HOST:PORT".
 *
 * Pure. HOST is an address, never a name: what a name means is decided by others.
 */
#pragma once

#include <sys/socket.h>

#include "common/error.h"

struct address {
    const char *unix_path; /* borrowed; NULL: TCP */
    struct sockaddr_storage tcp;
    socklen_t tcp_len;
};

int address_parse(const char *text, struct address *out, struct error *err) MUST_CHECK;

/* Only processes of this machine can connect to it. */
bool address_is_loopback(const struct address *address);

/* "127.0.0.1:8888", "[::1]:8888"; the caller frees it. */
char *address_of_socket(int socket, struct error *err) MUST_CHECK;
