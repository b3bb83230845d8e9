/*
 * reach_name: the sockets on which kernels tell `cellpod cp' how to reach their
 * sandboxes: unix(7), of the abstract sort, which leave nothing behind when a kernel is
 * killed. The name says whose; what counts is the peer's uid.
 */
#pragma once

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/base.h"

#define REACH_PREFIX "cellpod-reach-%u-" /* uid; then the pid */

/* Its length, for bind and connect. */
static inline socklen_t
reach_address(struct sockaddr_un *out, uid_t user, pid_t kernel)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    int len = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, REACH_PREFIX "%d",
                       user, kernel);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static inline bool
reach_is_ours(int peer)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
           who.uid == geteuid();
}
