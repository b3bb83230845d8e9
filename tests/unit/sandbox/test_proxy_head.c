#include "sandbox/network/proxy_head.h"
#include "tests/unit/unit.h"

static void
reads_a_connect(void **state UNUSED)
{
    struct proxy_head head;
    struct error err;
    const struct slice text =
        SLICE("CONNECT PyPI.org:443 HTTP/1.1\r\nHost: pypi.org:443\r\n\r\nTLS");

    assert_int_equal(proxy_head_parse(text, &head, &err), 1);
    assert_true(head.is_connect);
    assert_string_equal(head.host.name, "pypi.org");
    assert_int_equal(head.port, 443);
    assert_int_equal(head.len, text.len - 3);
}

static void
reads_addresses(void **state UNUSED)
{
    struct proxy_head head;
    struct error err;

    assert_int_equal(
        proxy_head_parse(SLICE("CONNECT [fd00::1]:5432 HTTP/1.1\r\n\r\n"), &head, &err),
        1);
    assert_true(head.host.is_address);
    assert_string_equal(head.host.name, "fd00::1");
    assert_int_equal(
        proxy_head_parse(SLICE("GET http://10.0.0.5:8000/a HTTP/1.0\r\n\r\n"), &head,
                         &err),
        1);
    assert_true(head.host.is_address);
    assert_int_equal(head.port, 8000);
}

static void
check_rewritten(const char *text, const char *wanted)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(4096);
    struct proxy_head head;
    struct error err;

    assert_int_equal(proxy_head_parse(slice_of(text), &head, &err), 1);
    assert_int_equal(proxy_head_rewrite(&head, &out), 0);
    assert_string_equal(out.data, wanted);
}

static void
rewrites_what_goes_to_the_host(void **state UNUSED)
{
    check_rewritten("GET http://A.example:8080/x?y=z HTTP/1.1\r\n"
                    "Host: other.example\r\nUser-Agent: pip\r\n"
                    "Proxy-Authorization: Basic secret\r\n"
                    "proxy-connection: keep-alive\r\nConnection: keep-alive\r\n"
                    "Accept: */*\r\n\r\n",
                    "GET /x?y=z HTTP/1.1\r\nHost: A.example:8080\r\n"
                    "Connection: close\r\nUser-Agent: pip\r\nAccept: */*\r\n\r\n");
    check_rewritten("POST HTTP://a.example?q HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
                    "POST /?q HTTP/1.1\r\nHost: a.example\r\n"
                    "Connection: close\r\nContent-Length: 3\r\n\r\n");
    check_rewritten("GET http://a.example HTTP/1.0\r\n\r\n",
                    "GET / HTTP/1.0\r\nHost: a.example\r\nConnection: close\r\n\r\n");
}

static void
a_rewrite_that_does_not_fit_is_an_error(void **state UNUSED)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(40);
    struct proxy_head head;
    struct error err;

    assert_int_equal(
        proxy_head_parse(SLICE("GET http://a.example/ HTTP/1.1\r\nA: b\r\n\r\n"), &head,
                         &err),
        1);
    assert_int_equal(proxy_head_rewrite(&head, &out), -1);
}

static void
every_truncation_waits_for_more(void **state UNUSED)
{
    static const struct slice whole =
        SLICE("GET http://a.example:81/ HTTP/1.1\r\nHost: a.example\r\nA: b\r\n\r\n");

    for (size_t len = 0; len < whole.len; len++) {
        struct proxy_head head;
        struct error err;
        assert_int_equal(proxy_head_parse((struct slice){whole.data, len}, &head, &err),
                         0);
    }
}

static void
refuses_what_others_might_read_differently(void **state UNUSED)
{
    static const struct slice cases[] = {
        SLICE("\r\n\r\n"),
        SLICE(" GET http://a/ HTTP/1.1\r\n\r\n"),
        SLICE("GET  http://a/ HTTP/1.1\r\n\r\n"),
        SLICE("GET\thttp://a/ HTTP/1.1\r\n\r\n"),
        SLICE("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        SLICE("GET * HTTP/1.1\r\n\r\n"),
        SLICE("GET https://a/ HTTP/1.1\r\n\r\n"),
        SLICE("GET ftp://a/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http:/a/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http:/// HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a@b/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a%2eb/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a\\b/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://127.1/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://0x7f000001/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://2130706433/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://017700000001/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://::1/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://[::1/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://[::1]x/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a:b/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a:/ HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a/# HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a/ HTTP/2.0\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1 \r\n\r\n"),
        SLICE("GET http://a/\r\n\r\n"),
        SLICE("G(T http://a/ HTTP/1.1\r\n\r\n"),
        SLICE("CONNECT a HTTP/1.1\r\n\r\n"),
        SLICE("CONNECT a:0 HTTP/1.1\r\n\r\n"),
        SLICE("CONNECT a:443/x HTTP/1.1\r\n\r\n"),
        SLICE("CONNECT a/8:443 HTTP/1.1\r\n\r\n"),
        SLICE("CONNECT *.a:443 HTTP/1.1\r\n\r\n"),
        SLICE("CONNECT http://a:443 HTTP/1.1\r\n\r\n"),
        SLICE("connect a:443 HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\n: b\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\nA b\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\nA : b\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\n A: folded\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\nA: b\n\n"),
        SLICE("GET http://a/ HTTP/1.1\r\nA: b\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n"),
        SLICE("GET http://a/ HTTP/1.1\r\nA: \0\r\n\r\n"),
        SLICE("GET http://a/\x01 HTTP/1.1\r\n\r\n"),
        SLICE("GET http://a/\xc3\xbc HTTP/1.1\r\n\r\n"),
        SLICE("\x16\x03\x01\x02\x00\x01\r\n\r\n"),
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct proxy_head head;
        struct error err;
        print_message("  %.60s\n", cases[i].data);
        assert_int_equal(proxy_head_parse(cases[i], &head, &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
    }
}

static void
takes_heads_up_to_their_limit(void **state UNUSED)
{
    static const char first[] = "GET http://a/ HTTP/1.1\r\nA: ";
    struct proxy_head head;
    struct error err;

    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
        buffer_append_text(&text, first);
        while (text.len < PROXY_HEAD_BYTES - 4 + extra)
            buffer_append_text(&text, "x");
        buffer_append_text(&text, "\r\n\r\n");
        assert_int_equal(proxy_head_parse(buffer_slice(&text), &head, &err),
                         extra ? -1 : 1);
        if (extra)
            assert_int_equal(err.kind, ERR_TOO_LARGE);
    }
    for (int extra = 0; extra < 2; extra++) {
        AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
        buffer_append_text(&text, "GET http://a/ HTTP/1.1\r\n");
        for (int i = 0; i < PROXY_HEAD_LINES + extra; i++)
            buffer_append_text(&text, "A: b\r\n");
        buffer_append_text(&text, "\r\n");
        assert_int_equal(proxy_head_parse(buffer_slice(&text), &head, &err),
                         extra ? -1 : 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_connect),
        cmocka_unit_test(reads_addresses),
        cmocka_unit_test(rewrites_what_goes_to_the_host),
        cmocka_unit_test(a_rewrite_that_does_not_fit_is_an_error),
        cmocka_unit_test(every_truncation_waits_for_more),
        cmocka_unit_test(refuses_what_others_might_read_differently),
        cmocka_unit_test(takes_heads_up_to_their_limit),
    };
    return cmocka_run_group_tests_name("proxy_head", tests, NULL, NULL);
}
