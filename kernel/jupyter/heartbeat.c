#include "kernel/jupyter/heartbeat.h"

#include <errno.h>
#include <zmq.h>

static void *
echo(void *socket)
{
    int linger = 0;

    zmq_proxy(socket, socket, NULL); /* until its context ends */
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
    zmq_close(socket);
    return NULL;
}

int
heartbeat_start(struct heartbeat *heartbeat, struct channels *channels,
                struct error *err)
{
    errno = pthread_create(&heartbeat->thread, NULL, echo,
                           channels->sockets[CHANNEL_HEARTBEAT]);
    if (errno)
        return error_sys(err, "start the heartbeat");
    heartbeat->is_running = true;
    heartbeat->context = TAKE(channels->heartbeat_context);
    channels->sockets[CHANNEL_HEARTBEAT] = NULL;
    return 0;
}

void
heartbeat_stop(struct heartbeat *heartbeat)
{
    if (!heartbeat->is_running)
        return;
    zmq_ctx_shutdown(heartbeat->context);
    pthread_join(heartbeat->thread, NULL);
    zmq_ctx_term(heartbeat->context);
    heartbeat->is_running = false;
}
