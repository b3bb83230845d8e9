/*
 * ip: IP addresses, ranges of them, and which are not public.
 *
 * Pure. An address is taken as it is written: an IPv4 address inside an IPv6 one
 * (mapped, NAT64, 6to4) is not extracted; such ranges count as not public as a whole.
 */
#pragma once

#include <arpa/inet.h>

#include "common/base.h"

struct ip {
    sa_family_t family;      /* AF_INET or AF_INET6 */
    unsigned char bytes[16]; /* in network order; 4 or 16 of them */
};

struct ip_range {
    struct ip base;
    unsigned bits; /* how many leading bits count */
};

/* Addresses that do not lead to a public host. */
struct ip_special {
    const char *text; /* "10.0.0.0" */
    unsigned bits;
    const char *what; /* "a private address" */
};

/* Dotted quads and IPv6 without brackets or zone; nothing else that inet_aton knows. */
bool ip_parse(struct slice text, struct ip *out) MUST_CHECK;
bool ip_from(const struct sockaddr *from, struct ip *out) MUST_CHECK;
/* Returns the length of *out that counts. */
socklen_t ip_to(const struct ip *address, uint16_t port, struct sockaddr_storage *out);
const char *ip_format(const struct ip *address, char out[INET6_ADDRSTRLEN]);
unsigned ip_bits(const struct ip *address); /* 32 or 128 */
bool ip_equals(const struct ip *a, const struct ip *b);

bool ip_range_holds(const struct ip_range *range, const struct ip *address);
/* Nothing but zeros follows the bits that count. */
bool ip_range_is_exact(const struct ip_range *range);

/* The narrowest special range that holds it, or NULL for a public address. */
const struct ip_special *ip_special_of(const struct ip *address);
