/*
 * connect: the ports, for connect_reply. Deprecated, but some clients still ask.
 */
#pragma once

#include "common/buffer.h"
#include "kernel/jupyter/connection_file.h"

void connect_append(struct buffer *content, const struct connection *connection);
