/*
 * proxy_head: parses the head of one request to the proxy, strictly by RFC 9112.
 *
 * Pure. Either `CONNECT host:port HTTP/1.1`, or a request for an absolute URL, `GET
 * http://host/path HTTP/1.1`, which is sent to its host with only the path in the first
 * line. Lines end with CRLF; a bare CR or LF, a control character, a folded line or a
 * header without a name is an error, since other programs might read it differently.
 */
#pragma once

#include "common/buffer.h"
#include "common/net/host.h"

enum {
    PROXY_HEAD_BYTES = 16 << 10, /* of a head */
    PROXY_HEAD_LINES = 128,
};

struct proxy_head {
    bool is_connect;
    struct host host;
    uint16_t port;
    size_t len;          /* of the head, with the empty line */
    struct slice method; /* borrowed from the text, like the rest */
    struct slice path;   /* with the query; "" for "/" */
    struct slice authority;
    struct slice version; /* "HTTP/1.1" */
    struct slice fields;  /* the lines of the header, each with its CRLF */
};

/* 1: *out is filled. 0: more must come. -1: ERR_BAD_INPUT or ERR_TOO_LARGE. */
int proxy_head_parse(struct slice text, struct proxy_head *out,
                     struct error *err) MUST_CHECK;

/* What the host gets instead: only the path, Host as in the URL, no fields that are for
 * the proxy, and `Connection: close`. -1 when it does not fit. */
int proxy_head_rewrite(const struct proxy_head *head, struct buffer *out) MUST_CHECK;
