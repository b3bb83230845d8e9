/*
 * host: "pypi.org:443", "10.0.0.5", "[fd00::]/8:443" taken apart, and checked.
 *
 * Pure. Names are ASCII: letters, digits, hyphens, underscores (an international name
 * is written in its xn-- form), kept in lower case and without a dot at the end. Text
 * that other programs may read as a number (127.1, 0x7f.1) is an address or an error,
 * never a name.
 */
#pragma once

#include "common/error.h"
#include "common/net/ip.h"

enum {
    HOST_NAME_SIZE = 254, /* with the NUL */
};

struct host {
    char name[HOST_NAME_SIZE]; /* as it was written, in lower case, without brackets */
    bool is_address;
    struct ip address;
};

/* Absent parts have NULL as data. Only the borders between the parts are checked. */
struct host_parts {
    struct slice host; /* without brackets */
    bool has_brackets;
    struct slice bits; /* behind a slash */
    struct slice port; /* behind a colon */
};

int host_split(struct slice text, struct host_parts *out, struct error *err) MUST_CHECK;
int host_parse(struct slice text, bool has_brackets, struct host *out,
               struct error *err) MUST_CHECK;
int host_parse_port(struct slice text, uint16_t *out, struct error *err) MUST_CHECK;
/* Digits, no sign, no zero in front, at most `most`. */
int host_parse_number(struct slice text, unsigned most, unsigned *out,
                      struct error *err) MUST_CHECK;
