#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "sandbox/listen.h"
#include "tests/unit/unit.h"

struct place {
    char folder[64], path[96], address[128];
};

static int
set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    strcpy(place->folder, "/tmp/cellpod-listen-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof(place->path), "%s/s.sock", place->folder);
    snprintf(place->address, sizeof(place->address), "unix:%s", place->path);
    *state = place;
    return 0;
}

static int
tear_down(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *lock = xasprintf("%s.lock", place->path);

    unlink(place->path);
    unlink(lock);
    assert_int_equal(rmdir(place->folder), 0);
    free(place);
    return 0;
}

static int
open_at(const char *text, struct listen_socket *out, struct error *err)
{
    struct address address;

    return address_parse(text, &address, err) < 0 ? -1
                                                  : listen_open(&address, out, err);
}

static int
try_connect(const struct place *place)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(address.sun_path, place->path, strlen(place->path));
    return connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? errno : 0;
}

static void
listens_for_its_user_only(void **state)
{
    struct place *place = *state;
    AUTO(listen_socket) struct listen_socket listener = LISTENER_INIT;
    struct error err;
    struct stat st;

    assert_int_equal(open_at(place->address, &listener, &err), 0);
    assert_int_equal(try_connect(place), 0);
    assert_int_equal(stat(place->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void
gives_way_to_who_holds_the_lock(void **state)
{
    struct place *place = *state;
    AUTO(listen_socket) struct listen_socket first = LISTENER_INIT;
    AUTO(listen_socket) struct listen_socket second = LISTENER_INIT;
    struct error err;

    assert_int_equal(open_at(place->address, &first, &err), 0);
    assert_int_equal(open_at(place->address, &second, &err), 1);
    assert_int_equal(second.fd, -1);
    assert_int_equal(try_connect(place), 0);
}

static void
removes_what_a_dead_daemon_left(void **state)
{
    struct place *place = *state;
    AUTO(listen_socket) struct listen_socket listener = LISTENER_INIT;
    struct error err;

    assert_int_equal(open_at(place->address, &listener, &err), 0);
    close(listener.fd);
    close(listener.lock);
    free(listener.path);
    listener = (struct listen_socket)LISTENER_INIT;
    assert_int_equal(try_connect(place), ECONNREFUSED);
    assert_int_equal(open_at(place->address, &listener, &err), 0);
    assert_int_equal(try_connect(place), 0);
}

static void
leaves_no_socket_behind(void **state)
{
    struct place *place = *state;
    struct listen_socket listener = LISTENER_INIT;
    struct error err;

    assert_int_equal(open_at(place->address, &listener, &err), 0);
    listen_close(&listener);
    assert_int_equal(try_connect(place), ENOENT);
}

static void
refuses_other_addresses(void **state UNUSED)
{
    static const char *const addresses[] = {
        "",
        "/tmp/x.sock",
        "unix:x.sock",
        "unix:/no/such/folder/s.sock",
    };

    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        struct listen_socket listener = LISTENER_INIT;
        struct error err;
        assert_int_equal(open_at(addresses[i], &listener, &err), -1);
    }
}

static void
says_what_to_do_about_a_path_that_is_too_long(void **state)
{
    struct place *place = *state;
    AUTO(mem) char *folder =
        xasprintf("%s/a-folder-with-a-name-that-is-long-enough-for-all-"
                  "that-would-like-to-see-a-limit-passed-by-it",
                  place->folder);
    AUTO(mem) char *address = xasprintf("unix:%s/s.sock", folder);
    AUTO(mem) char *lock = xasprintf("%s/s.sock.lock", folder);
    struct listen_socket listener = LISTENER_INIT;
    struct error err;

    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(open_at(address, &listener, &err), -1);
    assert_non_null(strstr(err.text, "XDG_RUNTIME_DIR"));
    unlink(lock);
    rmdir(folder);
}

/* Whatever port is free: two daemons cannot have the same. */
static void
listens_on_tcp(void **state UNUSED)
{
    AUTO(listen_socket) struct listen_socket first = LISTENER_INIT;
    AUTO(listen_socket) struct listen_socket second = LISTENER_INIT;
    struct error err;

    assert_int_equal(open_at("tcp:127.0.0.1:0", &first, &err), 0);
    assert_null(first.path);
    AUTO(mem) char *name = address_of_socket(first.fd, &err);
    assert_true(strncmp(name, "127.0.0.1:", 10) == 0 && atoi(name + 10) > 0);
    AUTO(mem) char *address = xasprintf("tcp:%s", name);
    assert_int_equal(open_at(address, &second, &err), -1);
    assert_non_null(strstr(err.text, "in use"));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(listens_for_its_user_only),
        TEST(gives_way_to_who_holds_the_lock),
        TEST(removes_what_a_dead_daemon_left),
        TEST(leaves_no_socket_behind),
        TEST(refuses_other_addresses),
        TEST(listens_on_tcp),
        TEST(says_what_to_do_about_a_path_that_is_too_long),
    };
    return cmocka_run_group_tests_name("listen", tests, NULL, NULL);
}
