/*
 * The proxy on a loop of its own; its client is a child process, and so is the host
 * that it is asked for. Run under ASan too: connections end at every moment there is.
 */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/buffer.h"
#include "sandbox/network/proxy.h"

static char hosts[] = "/tmp/cellpod-unit-hosts-XXXXXX";

struct stage {
    struct loop *loop;
    struct allow_list *allow;
    struct proxy *proxy;
    uint16_t port;      /* of the proxy */
    uint16_t host_port; /* of the host */
    int host;           /* its listener */
    char told[512];     /* the newest refusal */
    unsigned told_count;
};

static int
listen_somewhere(uint16_t *port)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(name);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &len), 0);
    *port = ntohs(name.sin_port);
    return fd;
}

static void
on_refusal(void *context, const char *sentence)
{
    struct stage *stage = context;

    snprintf(stage->told, sizeof(stage->told), "%s", sentence);
    stage->told_count++;
}

/* Each PORT in the text becomes the host's. */
static char *
with_port(const char *text, uint16_t port)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    const char *at;

    for (; (at = strstr(text, "PORT")); text = at + strlen("PORT"))
        buffer_printf(&out, "%.*s%u", (int)(at - text), text, port);
    buffer_append_text(&out, text);
    return xstrdup(out.data);
}

static struct stage *
set_stage(const char *rules, int64_t idle_ms)
{
    struct stage *stage = xcalloc(1, sizeof(*stage));
    struct error err;

    stage->host = listen_somewhere(&stage->host_port);
    AUTO(mem) char *text = with_port(rules, stage->host_port);
    json_auto_t *list = json_loads(text, 0, NULL);
    assert_non_null(list);
    assert_int_equal(allow_list_parse(list, &stage->allow, &err), 0);
    stage->loop = loop_new(&err);
    const struct proxy_spec spec = {.loop = stage->loop,
                                    .listener = listen_somewhere(&stage->port),
                                    .allow = stage->allow,
                                    .sandbox = "test",
                                    .idle_ms = idle_ms,
                                    .on_refusal = on_refusal,
                                    .context = stage};
    stage->proxy = proxy_new(&spec, &err);
    assert_non_null(stage->proxy);
    return stage;
}

static void
strike_stage(struct stage *stage)
{
    proxy_free(stage->proxy);
    allow_list_free(stage->allow);
    loop_free(stage->loop);
    close(stage->host);
    free(stage);
}

static void
lead(const char *name, const char *address)
{
    AUTO(mem) char *line = xasprintf("%s %s\n", address, name);
    AUTO(fd) int file = open(hosts, O_WRONLY | O_TRUNC | O_CLOEXEC);

    assert_int_equal(write(file, line, strlen(line)), (ssize_t)strlen(line));
}

/* --- in the child --- */

static int
connect_to(uint16_t port)
{
    const struct sockaddr_in name = {.sin_family = AF_INET,
                                     .sin_port = htons(port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return connect(fd, (const struct sockaddr *)&name, sizeof(name)) < 0 ? -1 : fd;
}

static void
say(int fd, const char *text)
{
    if (send(fd, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
        _exit(11);
}

/* Up to this text, or to the end. */
static void
hear(int fd, const char *wanted, char *text, size_t size)
{
    size_t len = 0;

    while (len < size - 1 && recv(fd, text + len, 1, 0) == 1) {
        text[++len] = '\0';
        if (wanted && strstr(text, wanted))
            return;
    }
    text[len] = '\0';
}

static void
expect(int fd, const char *wanted)
{
    char text[4096] = "";

    hear(fd, wanted, text, sizeof(text));
    if (!strstr(text, wanted)) {
        fprintf(stderr, "wanted %s, heard %s\n", wanted, text);
        _exit(12);
    }
}

static void
expect_end(int fd)
{
    char byte;

    if (recv(fd, &byte, 1, 0) > 0)
        _exit(13);
}

struct play {
    struct stage *stage;
    const char *request; /* with PORT */
    const char *answer;  /* that the client waits for */
    void (*client)(struct stage *stage, int fd);
    void (*host)(int peer);
};

static void
start_host(const struct play *play)
{
    if (!play->host || fork() != 0)
        return;
    alarm(30);
    int peer = accept(play->stage->host, NULL, NULL);
    if (peer < 0)
        _exit(14);
    play->host(peer);
    _exit(0);
}

NORETURN static void
be_client(const struct play *play)
{
    AUTO(mem) char *request = with_port(play->request, play->stage->host_port);

    alarm(30);
    int fd = connect_to(play->stage->port);
    if (fd < 0)
        _exit(10);
    say(fd, request);
    if (play->answer)
        expect(fd, play->answer);
    if (play->client)
        play->client(play->stage, fd);
    _exit(0);
}

/* --- in the parent --- */

static void
on_child_end(void *context, uint32_t events UNUSED)
{
    loop_stop(context);
}

static void
perform(const struct play *play)
{
    struct error err;
    int status;

    start_host(play);
    pid_t pid = fork();
    if (pid == 0)
        be_client(play);
    AUTO(fd) int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct loop_watch watch = {
        .fd = pidfd, .on_ready = on_child_end, .context = play->stage->loop};
    assert_int_equal(loop_watch_start(play->stage->loop, &watch, EPOLLIN, &err), 0);
    assert_int_equal(loop_run(play->stage->loop, &err), 0);
    loop_watch_stop(play->stage->loop, &watch);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void
end_play(struct stage *stage)
{
    strike_stage(stage);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}

/* --- hosts and clients --- */

static void
echo(int peer)
{
    char bytes[4096];
    ssize_t got;

    while ((got = recv(peer, bytes, sizeof(bytes), 0)) > 0)
        if (send(peer, bytes, (size_t)got, MSG_NOSIGNAL) != got)
            return;
}

static void
serve_page(int peer)
{
    char head[4096];

    hear(peer, "\r\n\r\n", head, sizeof(head));
    if (strncmp(head, "GET /page HTTP/1.1\r\nHost: ", 26) != 0)
        _exit(15);
    say(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nthe page");
}

static void
speak_and_end(struct stage *stage UNUSED, int fd)
{
    say(fd, "some words");
    expect(fd, "some words");
    shutdown(fd, SHUT_WR);
    expect_end(fd);
}

static void
wait_for_the_end(struct stage *stage UNUSED, int fd)
{
    expect_end(fd);
}

static void
many_at_once(struct stage *stage, int fd UNUSED)
{
    /* Each in another state: nothing said, half a head, refused and not read, left. */
    for (int i = 0; i < 40; i++) {
        int other = connect_to(stage->port);
        if (i % 4 == 1)
            say(other, "GET http://a.example/ HT");
        if (i % 4 == 2)
            say(other, "CONNECT b.example:80 HTTP/1.1\r\n\r\n");
        if (i % 4 == 3)
            close(other);
    }
}

#define CONNECTED "HTTP/1.1 200 Connection established\r\n\r\n"

static void
carries_both_ways_until_both_have_ended(void **state UNUSED)
{
    struct stage *stage = set_stage("[\"127.0.0.1:PORT\"]", 0);

    perform(&(struct play){stage, "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n", CONNECTED,
                           speak_and_end, echo});
    assert_int_equal(stage->told_count, 0);
    end_play(stage);
}

static void
fetches_a_page_by_a_name(void **state UNUSED)
{
    struct stage *stage = set_stage("[\"a.example:PORT\", \"127.0.0.1:PORT\"]", 0);

    lead("a.example", "127.0.0.1");
    perform(&(struct play){stage, "GET http://A.example:PORT/page HTTP/1.1\r\n\r\n",
                           "the page", wait_for_the_end, serve_page});
    end_play(stage);
}

static void
refuses_and_tells_once(void **state UNUSED)
{
    static const struct {
        const char *rules, *request, *answer, *told;
    } cases[] = {
        {"[]",                   "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n",
         "HTTP/1.1 403 127.0.0.1:",                                                          "is not allowed"                },
        {"[\"a.example:PORT\"]", "CONNECT a.example:PORT HTTP/1.1\r\n\r\n",
         "HTTP/1.1 403 a.example:",                                                          "resolves to a loopback address"},
        {"[\"a.example\"]",      "GET http://b.example/ HTTP/1.1\r\n\r\n",
         "HTTP/1.1 403 b.example:80",                                                        "b.example:80"                  },
        {"[\"a.example\"]",      "nonsense\r\n\r\n",                        "HTTP/1.1 400 ", ""                              },
    };

    lead("a.example", "127.0.0.1");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct stage *stage = set_stage(cases[i].rules, 0);
        print_message("  %s", cases[i].request);
        const struct play play = {stage, cases[i].request, cases[i].answer, NULL, NULL};
        perform(&play);
        perform(&play);
        assert_non_null(strstr(stage->told, cases[i].told));
        assert_int_equal(stage->told_count, *cases[i].told ? 1 : 0);
        end_play(stage);
    }
}

static void
says_when_a_host_cannot_be_reached(void **state UNUSED)
{
    struct stage *stage = set_stage("[\"127.0.0.1:*\"]", 0);
    uint16_t nobody;
    close(listen_somewhere(&nobody));
    AUTO(mem) char *request =
        xasprintf("CONNECT 127.0.0.1:%u HTTP/1.1\r\n\r\n", nobody);

    perform(&(struct play){stage, request, "HTTP/1.1 502 127.0.0.1:", NULL, NULL});
    assert_int_equal(stage->told_count, 0);
    end_play(stage);
}

static void
ends_what_is_quiet_for_too_long(void **state UNUSED)
{
    struct stage *stage = set_stage("[\"127.0.0.1:PORT\"]", 50);

    perform(&(struct play){stage, "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n", CONNECTED,
                           wait_for_the_end, echo});
    end_play(stage);
}

static void
may_end_whatever_its_connections_do(void **state UNUSED)
{
    struct stage *stage = set_stage("[\"b.example\", \"127.0.0.1:PORT\"]", 0);

    lead("b.example", "127.0.0.1");
    perform(&(struct play){stage, "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n", CONNECTED,
                           many_at_once, echo});
    end_play(stage);
}

static void
takes_nothing_but_a_listening_socket(void **state UNUSED)
{
    struct error err;
    AUTO(loop) struct loop *loop = loop_new(&err);
    const int others[] = {-1, socket(AF_INET, SOCK_STREAM, 0),
                          socket(AF_INET, SOCK_DGRAM, 0),
                          socket(AF_UNIX, SOCK_STREAM, 0)};

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        const struct proxy_spec spec = {
            .loop = loop, .listener = others[i], .sandbox = "test"};
        assert_null(proxy_new(&spec, &err));
        assert_int_equal(err.kind, ERR_ISOLATION);
    }
}

static int
make_hosts(void **state UNUSED)
{
    AUTO(fd) int file = mkstemp(hosts);

    signal(SIGPIPE, SIG_IGN);
    return file < 0 ? -1 : setenv("CARES_HOSTS", hosts, 1);
}

static int
remove_hosts(void **state UNUSED)
{
    return unlink(hosts);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_both_ways_until_both_have_ended),
        cmocka_unit_test(fetches_a_page_by_a_name),
        cmocka_unit_test(refuses_and_tells_once),
        cmocka_unit_test(says_when_a_host_cannot_be_reached),
        cmocka_unit_test(ends_what_is_quiet_for_too_long),
        cmocka_unit_test(may_end_whatever_its_connections_do),
        cmocka_unit_test(takes_nothing_but_a_listening_socket),
    };
    return cmocka_run_group_tests_name("proxy", tests, make_hosts, remove_hosts);
}
