#include "sandbox/start/packet.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

int
packet_pair(int ends[2], struct error *err)
{
    int made[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, made) < 0)
        return error_sys(err, "make a socket pair");
    fcntl(made[0], F_SETFL, O_NONBLOCK);
    memcpy(ends, made, sizeof(made));
    return 0;
}

static void
take_descriptors(struct msghdr *message, struct packet *packet)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        packet->fd_count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(packet->fds, CMSG_DATA(c), packet->fd_count * sizeof(int));
    }
}

static int
parse(struct slice text, struct packet *packet, struct error *err)
{
    json_error_t at;

    packet->json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, &at);
    if (!json_is_object(packet->json))
        return error_set(err, ERR_BAD_INPUT, "packet is not a JSON object");
    const char *type = json_string_value(json_object_get(packet->json, "type"));
    packet->type = type ? type : "";
    return 0;
}

int
packet_receive(int fd, struct packet *out, struct error *err)
{
    char text[PACKET_MAX_BYTES];
    AUTO(packet) struct packet packet = PACKET_INIT;
    union {
        char bytes[CMSG_SPACE(sizeof(packet.fds))];
        struct cmsghdr align;
    } control;
    struct iovec part = {text, sizeof(text)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};

    ssize_t len = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (len < 0 && errno != ECONNRESET)
        return error_sys(err, "receive a packet");
    if (len <= 0)
        return error_set(err, ERR_UNAVAILABLE, "the peer has closed its socket");
    take_descriptors(&message, &packet);
    if (message.msg_flags & MSG_CTRUNC && packet.fd_count < COUNT_OF(packet.fds)) {
        errno = EMFILE; /* of those that came with it, some found no place here */
        return error_sys(err, "receive a packet's descriptors");
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
        return error_set(err, ERR_TOO_LARGE, "packet over its limits");
    if (parse((struct slice){text, (size_t)len}, &packet, err) < 0)
        return -1;
    *out = packet;
    packet = (struct packet)PACKET_INIT;
    return 1;
}

int
packet_take_fd(struct packet *packet, size_t index)
{
    return index < packet->fd_count ? take_fd(&packet->fds[index]) : -1;
}

void
packet_release(struct packet *packet)
{
    for (size_t i = 0; i < packet->fd_count; i++)
        auto_fd(&packet->fds[i]);
    json_decref(packet->json);
    *packet = (struct packet)PACKET_INIT;
}

int
packet_send(int fd, const json_t *json, const int *fds, size_t fd_count,
            struct error *err)
{
    AUTO(mem) char *text = json_dumps(json, JSON_COMPACT);
    union {
        char bytes[CMSG_SPACE(PACKET_MAX_FDS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {text, text ? strlen(text) : 0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    assert(fd_count <= PACKET_MAX_FDS);
    if (!text || part.iov_len > PACKET_MAX_BYTES)
        return error_set(err, ERR_TOO_LARGE, "packet over %d bytes", PACKET_MAX_BYTES);
    if (fd_count) {
        memset(&control, 0, sizeof(control));
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
    }
    if (sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        return error_sys(err, "send a packet");
    return 0;
}
