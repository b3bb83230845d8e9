/*
 * allow: which hosts a sandbox may reach, from the rules of `network.allow`.
 *
 *     pypi.org              a name, at ports 80 and 443
 *     *.example.org:8443    what ends in .example.org, at this port; not example.org
 *     10.0.0.5:5432         an address
 *     10.0.0.0/8:*          a range of addresses, at every port
 *     [fd00::1]:443         IPv6 stands in brackets; [fd00::]/8 is a range
 *
 * Pure. A name rule opens the public addresses that the name has at the moment. Only an
 * address rule can open addresses that are not public: private, loopback, link-local,
 * metadata and the like (ip.h). A range that is wider than such a special range
 * (0.0.0.0/0) does not open it.
 */
#pragma once

#include <jansson.h>

#include "common/net/host.h"

enum {
    ALLOW_RULE_BYTES = 300,
};

struct allow_list;

/* What a request may do with an address. */
enum allow_verdict {
    ALLOW_YES,
    ALLOW_NOT_LISTED,
    ALLOW_SPECIAL, /* the name is listed, but leads to an address that is not public */
};

/* Whether a text is a rule. */
int allow_check_rule(const char *text, struct error *err) MUST_CHECK;

/* From an array of texts. The error names the first one that is wrong. */
int allow_list_parse(const json_t *rules, struct allow_list **out,
                     struct error *err) MUST_CHECK;
void allow_list_free(struct allow_list *list);

/* Before a name is looked up. Not for addresses. */
bool allow_name(const struct allow_list *list, const char *name, uint16_t port);
/* Before a connection. `is_named`: the address comes from a name that was allowed. */
enum allow_verdict allow_address(const struct allow_list *list,
                                 const struct ip *address, uint16_t port,
                                 bool is_named);

/* Whether a rule names exactly this host, written "localhost" or "::1". */
bool allow_mentions(const struct allow_list *list, const char *host);

static inline void
auto_allow_list(struct allow_list **list)
{
    allow_list_free(*list);
}
