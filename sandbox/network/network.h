/*
 * network: what a claim's `network` means for one sandbox.
 *
 * Mode "none": only the sandbox's own loopback. Mode "list": also the hosts of `allow`,
 * through this sandbox's proxy (proxy.h), whose listening socket init makes.
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

/* `claimed` is a checked object, or NULL. ERR_BAD_INPUT for a list that could not be
 * enforced: with the network layer waived, or where this machine itself needs a
 * proxy. */
int network_plan(struct network *network, const json_t *claimed, const json_t *waived,
                 struct error *err) MUST_CHECK;

/* Init has started. Adds the rules to `spec`; its listener may be -1 in mode none. */
int network_open(struct network *network, const struct proxy_spec *spec,
                 struct error *err) MUST_CHECK;
void network_close(struct network *network); /* init is gone; may be opened again */
void network_release(struct network *network);

/* For the zygote: the port on which init is to listen; null in mode none. */
json_t *network_port(const struct network *network);
/* Environment variables that point programs to the proxy. */
void network_set_env(const struct network *network, json_t *env);
