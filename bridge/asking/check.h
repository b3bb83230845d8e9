/*
 * check: Python itself checks code in the sandbox, before it runs.
 *
 * Writes the request and reads the reply (docs/ask.md has the members). The reply comes
 * from a worker, so it is not trusted: it is bounded, and the worst it can do is to let
 * code run in its own sandbox.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

/* Content of a check_request: owned. `is_repair`: a cell of the user's, which may bind
 * his names and show nothing. `goes_on`: the longest prefix that parses will do. */
char *check_request(const char *code, const json_t *profile, bool is_repair,
                    bool goes_on);

struct check_verdict {
    bool is_ok;
    char *code;       /* the code to run: unchanged, or with safe local fixes */
    json_t *problems; /* [{"kind","line","message","nearest":[…]}] */
};

void check_read(struct check_verdict *out, struct slice content, const char *code);
void check_release(struct check_verdict *verdict);
bool check_has(const struct check_verdict *verdict, const char *kind);

static inline void
auto_check(struct check_verdict *verdict)
{
    check_release(verdict);
}
