/*
 * trace: one id for what a cell causes in kernel, router and sandboxd.
 *
 * It travels as the header `traceparent` of W3C's Trace Context, version 00, so that
 * proxies which know that take part. Whoever reads it believes its form alone.
 */
#pragma once

#include "common/error.h"

#define TRACE_HEADER "traceparent"

enum {
    TRACE_ID_LEN = 32,
    TRACE_SPAN_LEN = 16,
    TRACE_PARENT_LEN = 2 + 1 + TRACE_ID_LEN + 1 + TRACE_SPAN_LEN + 1 + 2,
};

struct trace_id {
    char text[TRACE_ID_LEN + 1]; /* "": none */
};

/* A new one; where there is no randomness, none. */
void trace_begin(struct trace_id *out);
/* What the header says; false: nothing that can be used, and *out is none. */
bool trace_read(const char *header, struct trace_id *out);
/* The header's value, with a span of its own. */
void trace_write(const struct trace_id *trace, char out[TRACE_PARENT_LEN + 1]);
