#include "kube/access/kubeconfig.h"

#include <stdio.h>
#include <sys/stat.h>

#include "common/limits.h"
#include "tests/unit/unit.h"

#define CLUSTER \
    "clusters: [{name: c, cluster: {server: 'https://k8s.example:6443/'}}]\n"
#define CONTEXT "contexts: [{name: x, context: {cluster: c, user: u, namespace: n}}]\n"
#define USER    "users: [{name: u, user: {token: abc}}]\n"
#define CURRENT "current-context: x\n"

static int
select_of(const char *text, const char *context, struct kube_access *out,
          struct error *err)
{
    AUTO(kubeconfig) struct kubeconfig config = KUBECONFIG_INIT;

    return kubeconfig_add(&config, "/etc/k/config", slice_of(text), err) < 0 ||
                   kubeconfig_select(&config, context, out, err) < 0
               ? -1
               : 0;
}

static void
reads_the_current_context(void **state UNUSED)
{
    AUTO(kube_access) struct kube_access access = {0};
    struct error err;

    assert_int_equal(select_of(CLUSTER CONTEXT USER CURRENT, NULL, &access, &err), 0);
    assert_string_equal(access.server, "https://k8s.example:6443");
    assert_string_equal(access.token, "abc");
    assert_string_equal(access.namespace, "n");
    assert_string_equal(access.origin, "context `x' of /etc/k/config");
    assert_string_equal(access.kubectl, "kubectl --context x");
    assert_null(access.ca_pem);
}

static void
reads_certificates_from_data(void **state UNUSED)
{
    static const char text[] =
        "{clusters: [{name: c, cluster: {server: https://k, "
        "certificate-authority-data: Q0E=, tls-server-name: name, "
        "proxy-url: 'socks5://127.0.0.1:1080'}}],"
        "contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x,"
        "users: [{name: u, user: {client-certificate-data: Q0VSVA==, "
        "client-key-data: S0VZ}}]}";
    AUTO(kube_access) struct kube_access access = {0};
    struct error err;

    assert_int_equal(select_of(text, "", &access, &err), 0);
    assert_string_equal(access.ca_pem, "CA");
    assert_string_equal(access.cert_pem, "CERT");
    assert_string_equal(access.key_pem, "KEY");
    assert_string_equal(access.tls_name, "name");
    assert_string_equal(access.proxy, "socks5://127.0.0.1:1080");
}

static void
reads_an_exec_plugin_beside_its_file(void **state UNUSED)
{
    static const char text[] = CLUSTER CONTEXT CURRENT
        "users: [{name: u, user: {exec: {command: ./bin/plugin, args: [a, b],\n"
        "  apiVersion: client.authentication.k8s.io/v1, provideClusterInfo: true,\n"
        "  env: [{name: A, value: '1'}], installHint: get it}}}]\n";
    AUTO(kube_access) struct kube_access access = {0};
    struct error err;

    assert_int_equal(select_of(text, NULL, &access, &err), 0);
    assert_string_equal(access.exec.command, "/etc/k/./bin/plugin");
    assert_int_equal(json_array_size(access.exec.args), 2);
    assert_true(access.exec.wants_cluster);
    assert_string_equal(access.exec.install_hint, "get it");
}

static void
merges_files_the_first_wins(void **state UNUSED)
{
    AUTO(kubeconfig) struct kubeconfig config = KUBECONFIG_INIT;
    AUTO(kube_access) struct kube_access access = {0};
    struct error err;

    assert_int_equal(kubeconfig_add(&config, "a", SLICE(CONTEXT USER), &err), 0);
    assert_int_equal(kubeconfig_add(&config, "b", SLICE(""), &err), 0);
    assert_int_equal(kubeconfig_add(&config, "c",
                                    SLICE(CLUSTER CURRENT
                                          "users: [{name: u, user: {token: zzz}}]\n"),
                                    &err),
                     0);
    assert_int_equal(kubeconfig_select(&config, NULL, &access, &err), 0);
    assert_string_equal(access.token, "abc");
    assert_string_equal(access.server, "https://k8s.example:6443");
}

/* Each is a good file with one thing in it that is wrong. */
static void
refuses_with_a_sentence(void **state UNUSED)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {CLUSTER CONTEXT USER,                                                          "no current context"        },
        {CLUSTER CONTEXT USER "current-context: y\n",                                   "no context `y'; it has `x'"},
        {CONTEXT USER CURRENT,                                                          "the cluster `c'"           },
        {CLUSTER CONTEXT CURRENT,                                                       "the user `u'"              },
        {"clusters: [{name: c, cluster: {server: https://k, "
         "insecure-skip-tls-verify: true}}]\n" CONTEXT USER CURRENT,
         "insecure-skip-tls-verify is refused"                                                                      },
        {"clusters: [{name: c, cluster: {server: http://k.example}}]\n" CONTEXT USER
             CURRENT,                                                          "must begin with https://"  },
        {"clusters: [{name: c, cluster: {server: http://localhost.evil}}]\n" CONTEXT
             USER CURRENT,
         "must begin with https://"                                                                                 },
        {"clusters: [{name: c, cluster: {server: \"https://k\\n\"}}]\n" CONTEXT USER
             CURRENT,                                                          "must begin with https://"  },
        {"clusters: [{name: c, cluster: {server: https://k, proxy-url: "
         "ftp://p}}]\n" CONTEXT USER CURRENT,
         "proxy-url"                                                                                                },
        {"clusters: [{name: c, cluster: {server: https://k, "
         "certificate-authority-data: '!'}}]\n" CONTEXT USER CURRENT,
         "certificate-authority-data is not PEM"                                                                    },
        {"clusters: [{name: c, cluster: {server: https://k, "
         "certificate-authority: /no/such}}]\n" CONTEXT USER CURRENT,
         "/no/such"                                                                                                 },
        {CLUSTER CONTEXT CURRENT "users: [{name: u, user: {as: root}}]\n",              "`as'"                      },
        {CLUSTER CONTEXT CURRENT "users: [{name: u, user: {auth-provider: {}}}]\n",
         "gke-gcloud-auth-plugin"                                                                                   },
        {CLUSTER CONTEXT CURRENT "users: [{name: u, user: {username: a}}]\n",
         "use a token"                                                                                              },
        {CLUSTER CONTEXT CURRENT "users: [{name: u, user: {token: \"a\\nb\"}}]\n",
         "not a token"                                                                                              },
        {CLUSTER CONTEXT CURRENT "users: [{name: u, user: {client-key-data: S0VZ}}]\n",
         "only one of client-certificate"                                                                           },
        {CLUSTER CONTEXT CURRENT "users: [{name: u, user: {exec: {command: p}}}]\n",
         "apiVersion"                                                                                               },
        {CLUSTER CONTEXT CURRENT
         "users: [{name: u, user: {exec: {command: p, args: [[]], apiVersion: "
         "client.authentication.k8s.io/v1}}}]\n",                              "lists of strings"          },
        {"[]",                                                                          "not a kubeconfig"          },
        {"a: &x 1\n",                                                                   "line 1: an anchor"         },
        {"a: *x\n",                                                                     "line 1: "                  },
        {"a: 1\na: 2\n",                                                                "line 2: a duplicate key"   },
        {"a: !t b\n",                                                                   "line 1: a tag"             },
        {"a: [\n",                                                                      "line "                     },
        {"a: 1\n---\nb: 2\n",                                                           "a second document"         },
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
         "nested too deeply"                                                                                        },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct kube_access access = {0};
        struct error err = {0};
        assert_int_equal(select_of(cases[i].text, NULL, &access, &err), -1);
        if (!strstr(err.text, cases[i].says))
            fail_msg("row %zu says `%s', not `%s'", i, err.text, cases[i].says);
    }
}

static void
no_error_quotes_a_secret(void **state UNUSED)
{
    static const char *const texts[] = {
        CLUSTER CONTEXT CURRENT "users: [{name: u, user: {token: \"s3cret\\n\"}}]\n",
        CLUSTER CONTEXT CURRENT
        "users: [{name: u, user: {client-key-data: 's3cret!'}}]\n",
        "users: [s3cret: [s3cret\n",
        "s3cret: 1\ns3cret: 2\n",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct kube_access access = {0};
        struct error err = {0};
        assert_int_equal(select_of(texts[i], NULL, &access, &err), -1);
        assert_null(strstr(err.text, "s3cret"));
    }
}

static void
refuses_a_file_over_the_limit(void **state UNUSED)
{
    char path[] = "/tmp/cellpod-test-kubeconfig-XXXXXX";
    AUTO(fd) int fd = mkstemp(path);
    AUTO(kubeconfig) struct kubeconfig config = KUBECONFIG_INIT;
    AUTO(mem) char *blanks = xcalloc(LIMIT_KUBECONFIG + 1, 1);
    struct error err;

    memset(blanks, '\n', LIMIT_KUBECONFIG + 1);
    assert_int_equal(write(fd, blanks, LIMIT_KUBECONFIG), LIMIT_KUBECONFIG);
    assert_int_equal(kubeconfig_load(&config, path, &err), 0);
    assert_int_equal(write(fd, "\n", 1), 1);
    assert_int_equal(kubeconfig_load(&config, path, &err), -1);
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    unlink(path);
}

static char folder[] = "/tmp/cellpod-test-account-XXXXXX";

static void
put(const char *name, const char *text)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void
drop(const char *name)
{
    AUTO(mem) char *path = xasprintf("%s/%s", folder, name);

    unlink(path);
}

static void
reads_a_service_account(void **state UNUSED)
{
    AUTO(kube_access) struct kube_access access = {0};
    struct error err;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(kube_access_in_cluster(folder, "10.0.0.1", "443", &access, &err),
                     -1);
    put("token", "tok\n");
    put("ca.crt", "CA");
    put("namespace", "lab");
    assert_int_equal(kube_access_in_cluster(folder, "fd00::1", "443", &access, &err),
                     0);
    assert_string_equal(access.server, "https://[fd00::1]:443");
    assert_string_equal(access.namespace, "lab");
    assert_null(access.token); /* it rotates: it is read for each call */

    AUTO(secret_text) char *first = kube_access_read_token(access.token_path, &err);
    put("token", "rotated");
    AUTO(secret_text) char *second = kube_access_read_token(access.token_path, &err);
    assert_string_equal(first, "tok");
    assert_string_equal(second, "rotated");
    drop("token");
    drop("ca.crt");
    drop("namespace");
    rmdir(folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_current_context),
        cmocka_unit_test(reads_certificates_from_data),
        cmocka_unit_test(reads_an_exec_plugin_beside_its_file),
        cmocka_unit_test(merges_files_the_first_wins),
        cmocka_unit_test(refuses_with_a_sentence),
        cmocka_unit_test(no_error_quotes_a_secret),
        cmocka_unit_test(refuses_a_file_over_the_limit),
        cmocka_unit_test(reads_a_service_account),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
