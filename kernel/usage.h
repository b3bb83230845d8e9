/*
 * usage: usage_request of jupyter-resource-usage: what the sandbox uses, and how much
 * of it this machine has.
 */
#pragma once

#include "kernel/dispatch.h"

/* Processor time of the machine at the last usage_request. */
struct usage {
    unsigned long long busy, total;
};

handler_fn usage_handle;
