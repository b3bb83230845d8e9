/*
 * ask_host: the execution as a question's cell sees it (kernel/ask/ask.h).
 *
 * A step that the cell sends gives the request a new id, and the answer comes to relay.
 */
#pragma once

#include "kernel/ask/ask.h"

struct kernel;

struct ask_host ask_host_make(struct kernel *kernel);
