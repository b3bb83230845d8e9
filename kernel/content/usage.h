/*
 * usage: usage_request of jupyter-resource-usage: what the sandbox uses, and how much
 * of it this machine has.
 */
#pragma once

#include "common/buffer.h"

/* Processor time of the machine at the last usage_request. */
struct usage {
    unsigned long long busy, total;
};

/* The content of usage_reply. of_sandbox: what sandboxd says of it, as JSON; empty: it
 * says nothing. */
void usage_append(struct buffer *content, struct usage *last, struct slice of_sandbox);
