/*
 * network: what a claim's `network` means for one sandbox.
 *
 * Mode "none": nothing but the sandbox's own loopback. Mode "list": besides, the proxy
 * (proxy.h) of this sandbox, which its init listens for, to the hosts of `allow`.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"
#include "sandbox/network/proxy.h"

struct network {
    struct allow_list *allow; /* NULL: mode none */
    struct proxy *proxy;      /* while there is an init */
};

#define NETWORK_INIT \
    {                \
        NULL, NULL,  \
    }

/* `claimed` is a checked object, or NULL. ERR_BAD_INPUT for a list that cannot be kept
 * to: with the network layer waived, or behind a proxy that this machine needs itself.
 */
int network_plan(struct network *network, const json_t *claimed, const json_t *waived,
                 struct error *err) MUST_CHECK;

/* Init is there. Adds the rules to `spec`; its listener may be -1 in mode none. */
int network_open(struct network *network, const struct proxy_spec *spec,
                 struct error *err) MUST_CHECK;
void network_close(struct network *network); /* init is gone; may be opened again */
void network_release(struct network *network);

/* What the zygote is told: where init shall listen; null in mode none. */
json_t *network_port(const struct network *network);
/* Variables that lead programs to the proxy. */
void network_set_env(const struct network *network, json_t *env);
