#include "kube/problem.h"

#include "tests/unit/unit.h"

static char server[] = "https://k", origin[] = "context `x' of f",
            kubectl[] = "kubectl --context x";
static const struct kube_access access_to_k = {
    .server = server, .origin = origin, .kubectl = kubectl};
static const struct kube_subject a_claim = {
    "create", "SandboxClaim", "sandboxclaims.extensions.agents.x-k8s.io", "lab", "c1"};

#define STATUS(message, details) \
    "{\"kind\":\"Status\",\"message\":\"" message "\",\"details\":{" details "}}"

static void
each_answer_has_its_sentence(void **state UNUSED)
{
    static const struct {
        long status;
        const char *body, *says, *remedy;
    } cases[] = {
        {401,                                                                       STATUS("Unauthorized",""), "does not accept the credentials of context",
         "gcloud auth login"},
        {403,                                                                         STATUS("pods is forbidden: exceeded quota: q, requested: 1",""),
         "quota of namespace lab","describe resourcequota -n lab"},
        {403,                                          STATUS("User u cannot create","\"kind\":\"sandboxclaims\""),
         "are not allowed to create the SandboxClaim lab/c1: User u cannot create",        "auth can-i create sandboxclaims"},
        {403, STATUS("violates PodSecurity restricted",""),
         "a policy of the cluster refuses SandboxClaim lab/c1","admission"},
        {400,                                                                      STATUS("admission webhook w denied the request: no",""),
         "a policy of the cluster refuses SandboxClaim lab/c1",                                                      "admission"},
        {404,"404 page not found\n","does not know SandboxClaim of version v1beta1",
         "api-resources"},
        {404,                                                                       STATUS("namespaces lab not found", "\"kind\":\"namespaces\""),
         "namespace lab does not exist","get namespaces"},
        {429,                                                                       STATUS("too many",""),"is overloaded (429)","readyz"},
        {500,                                                                         "<html>","cannot create the SandboxClaim lab/c1","get sandboxclaims"},
        {0,                                                                 "","does not answer: Connection refused","cluster-info"},
    };
    struct error transport;

    error_format(&transport, ERR_UNAVAILABLE, "Connection refused");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct kube_problem problem;
        kube_problem_of_answer(&access_to_k, &a_claim, cases[i].status,
                               slice_of(cases[i].body), &transport, &problem);
        if (!strstr(problem.message, cases[i].says) ||
            !strstr(problem.remedy, cases[i].remedy))
            fail_msg("row %zu: %s %s", i, problem.message, problem.remedy);
    }
}

static void
a_bad_certificate_is_no_silence(void **state UNUSED)
{
    struct kube_problem problem;
    struct error transport;

    error_format(&transport, ERR_DENIED, "self-signed certificate");
    kube_problem_of_answer(&access_to_k, &a_claim, 0, SLICE(""), &transport, &problem);
    assert_non_null(strstr(problem.message, "is not trusted: self-signed certificate"));
}

static void
what_a_server_says_is_cleaned(void **state UNUSED)
{
    char out[12];

    kube_problem_clean(out, sizeof(out), " a\x1b[1m\n\nb.\n");
    assert_string_equal(out, "a [1m b");
    kube_problem_clean(out, sizeof(out), "0123456789ABCDEF");
    assert_string_equal(out, "0123456789A");
    kube_problem_clean(out, sizeof(out), NULL);
    assert_string_equal(out, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_answer_has_its_sentence),
        cmocka_unit_test(a_bad_certificate_is_no_silence),
        cmocka_unit_test(what_a_server_says_is_cleaned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
