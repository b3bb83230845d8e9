/* Who connects and says nothing keeps nobody out, however many they are. */
#include "sandbox/http/httpd.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

enum {
    ROOM = 256,    /* connections that it has at once */
    OF_A_PEER = 8, /* fewer than a peer may have waiting */
    SOON_MS = 1000,
};

void __real_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t ms);
void __wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t ms);

/* The time after which whoever waits is ended anyway never comes. */
void
__wrap_loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t ms)
{
    if (ms < SOON_MS)
        __real_loop_timer_set(loop, timer, ms);
}

static int
listen_on(struct sockaddr_in *address)
{
    socklen_t len = sizeof(*address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    *address = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_addr = {htonl(INADDR_LOOPBACK)}};
    assert_int_equal(bind(fd, (struct sockaddr *)address, sizeof(*address)), 0);
    assert_int_equal(listen(fd, SOMAXCONN), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)address, &len), 0);
    return fd;
}

/* From one of the addresses of this machine; each is a peer of its own. */
static int
connect_as(unsigned peer, const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in own = {.sin_family = AF_INET,
                                    .sin_addr = {htonl(0x7F000101 + peer)}};

    if (bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0 ||
        connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
        _exit(1);
    return fd;
}

/* Exit status 0: there was an answer. */
static NORETURN void
ask_after_the_silent(const struct sockaddr_in *address)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    char answer[12];

    for (unsigned i = 0; i < ROOM; i++)
        connect_as(i / OF_A_PEER, address);
    int fd = connect_as(ROOM / OF_A_PEER, address);
    if (write(fd, request, sizeof(request) - 1) < 0)
        _exit(1);
    _exit(recv(fd, answer, sizeof(answer), MSG_WAITALL) != sizeof(answer));
}

static void
stop(void *context, uint32_t events UNUSED)
{
    loop_stop(context);
}

static void
the_silent_make_room_for_who_asks(void **state UNUSED)
{
    struct error err;
    struct sockaddr_in address;
    int status;
    AUTO(loop) struct loop *loop = loop_new(&err);
    AUTO(fd) int listener = listen_on(&address);
    struct httpd *httpd = httpd_new(
        &(struct httpd_spec){.loop = loop, .listener = listener, .is_remote = true},
        &err);
    assert_non_null(httpd);
    pid_t client = fork();
    if (client == 0)
        ask_after_the_silent(&address);
    AUTO(fd) int pidfd = (int)syscall(SYS_pidfd_open, client, 0);
    struct loop_watch watch = {.fd = pidfd, .on_ready = stop, .context = loop};
    assert_int_equal(loop_watch_start(loop, &watch, EPOLLIN, &err), 0);
    assert_int_equal(loop_run(loop, &err), 0);
    loop_watch_stop(loop, &watch);
    assert_int_equal(waitpid(client, &status, 0), client);
    assert_int_equal(status, 0);
    httpd_free(httpd);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_silent_make_room_for_who_asks),
    };
    return cmocka_run_group_tests_name("httpd", tests, NULL, NULL);
}
