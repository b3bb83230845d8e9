/*
 * resolver: looks up the addresses of a host name, with c-ares, on the loop.
 *
 * Each lookup has its own c-ares channel: it reads the current /etc/resolv.conf and
 * uses its own ports. /etc/hosts (or the file that CARES_HOSTS names) comes first.
 * Names are looked up as they are, without search domains. The addresses come in the
 * order in which to try them (RFC 6724). Nothing is cached.
 */
#pragma once

#include "common/net/ip.h"
#include "sandbox/loop.h"

enum {
    RESOLVER_ADDRESSES = 8, /* of one answer that are looked at */
};

struct resolver_lookup;

/* Called once, from the loop, never from resolver_start. `problem` is NULL, or what
 * went wrong: "no such name". The lookup may be freed from here. */
typedef void (*resolver_fn)(void *context, const struct ip *addresses, size_t count,
                            const char *problem);

struct resolver_lookup *resolver_start(struct loop *loop, const char *name,
                                       resolver_fn on_done, void *context,
                                       struct error *err) MUST_CHECK;
void resolver_free(struct resolver_lookup *lookup); /* it may still be under way */
