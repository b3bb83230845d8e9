#include "kube/access/exec_credential.h"

#include "kube/access/rfc3339.h"
#include "tests/unit/unit.h"

#define V1      "client.authentication.k8s.io/v1"
#define HEAD(v) "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" v "\",\"status\":"

static void
reads_a_token_and_when_it_expires(void **state UNUSED)
{
    AUTO(exec_credential) struct exec_credential found = {0};
    struct error err;

    assert_int_equal(exec_credential_parse(
                         SLICE(HEAD(V1) "{\"token\":\"abc\",\"expirationTimestamp\":"
                                        "\"2026-11-22T01:02:03Z\"}}"),
                         V1, &found, &err),
                     0);
    assert_string_equal(found.token, "abc");
    assert_int_equal(found.expires, 1795309323);
}

static void
refuses_what_is_no_credential(void **state UNUSED)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"",                                                               "no ExecCredential"},
        {"Please run: gcloud auth login",                                  "no ExecCredential"},
        {"{\"kind\":\"Pod\"}",                                             "no ExecCredential"},
        {HEAD("client.authentication.k8s.io/v1beta1") "{}}",               "a version other"  },
        {HEAD(V1) "{}}",                                                   "neither token"    },
        {HEAD(V1) "{\"token\":\"\"}}",                                     "neither token"    },
        {HEAD(V1) "{\"token\":\"s3cret x\"}}",                             "a malformed token"},
        {HEAD(V1) "{\"clientKeyData\":\"s3cret\"}}",                       "not both"         },
        {HEAD(V1) "{\"token\":\"s3cret\",\"expirationTimestamp\":\"x\"}}",
         "expirationTimestamp"                                                                },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct exec_credential found = {0};
        struct error err = {0};
        assert_int_equal(
            exec_credential_parse(slice_of(cases[i].text), V1, &found, &err), -1);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_null(strstr(err.text, "s3cret"));
    }
}

static void
tells_a_plugin_of_the_cluster_when_asked_to(void **state UNUSED)
{
    char server[] = "https://k", ca[] = "CA", version[] = V1;
    struct kube_access access = {
        .server = server, .ca_pem = ca, .exec = {.api_version = version}};
    AUTO(mem) char *less = exec_credential_info(&access);

    access.exec.wants_cluster = true;
    AUTO(mem) char *more = exec_credential_info(&access);
    assert_null(strstr(less, "server"));
    assert_non_null(strstr(more, "\"certificate-authority-data\":\"Q0E=\""));
    assert_non_null(strstr(more, "\"interactive\":false"));
}

static void
reads_and_writes_times(void **state UNUSED)
{
    static const char *const bad[] = {"",
                                      "2026-11-22",
                                      "2026-11-22 01:02:03Z",
                                      "2026-11-22T01:02:03",
                                      "2026-11-22T01:02:03+1",
                                      "2026-11-22T01:02:03Zz",
                                      "2026-13-22T01:02:03Z"};
    char text[RFC3339_SIZE];
    time_t when;

    assert_true(rfc3339_read("2026-11-22T02:32:03.123456+01:30", &when));
    rfc3339_write(when, text);
    assert_string_equal(text, "2026-11-22T01:02:03Z");
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(rfc3339_read(bad[i], &when));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_token_and_when_it_expires),
        cmocka_unit_test(refuses_what_is_no_credential),
        cmocka_unit_test(tells_a_plugin_of_the_cluster_when_asked_to),
        cmocka_unit_test(reads_and_writes_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
