#include "kube/claim_object.h"

#include "kube/stage.h"
#include "kube/watch.h"
#include "tests/unit/unit.h"

static void
names_are_legal_and_differ(void **state UNUSED)
{
    static const char *const users[] = {
        "",    "ann",   "Ann O'Neil@example.org",
        "--",  "1.2.3", "\xc3\xa9\xc3\xa9",
        "...", "root-", "averyveryveryverylongnameindeedasithappens"};
    char one[KUBE_NAME_LEN + 1], other[KUBE_NAME_LEN + 1];

    for (size_t i = 0; i < COUNT_OF(users); i++) {
        assert_int_equal(claim_object_make_name(users[i], one), 0);
        assert_int_equal(claim_object_make_name(users[i], other), 0);
        assert_true(claim_object_is_name(one));
        assert_null(strchr(one, '.')); /* a router wants a label of DNS */
        assert_string_not_equal(one, other);
    }
}

static void
labels_are_legal(void **state UNUSED)
{
    static const struct {
        const char *text, *label;
    } cases[] = {
        {"",             ""          },
        {"ann",          "ann"       },
        {"a@b.org",      "a-b.org"   },
        {"-_.a",         "a"         },
        {"a b\n",        "a-b"       },
        {"\xc3\xa9",     ""          },
        {"host.local..", "host.local"},
    };
    char label[KUBE_NAME_LEN + 1];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        claim_object_label(cases[i].text, label);
        assert_string_equal(label, cases[i].label);
    }
}

#define READY  "\"status\":\"True\",\"reason\":\"DependenciesReady\""
#define WAITS  "\"status\":\"False\",\"reason\":\"DependenciesNotReady\""
#define NOPOOL "\"status\":\"False\",\"reason\":\"WarmPoolNotFound\""
#define FAILED "\"status\":\"False\",\"reason\":\"PodFailed\""
#define OVER   "\"status\":\"False\",\"reason\":\"ClaimExpired\""
#define POD    "\"name\":\"py\",\"podIPs\":[\"10.0.0.1\"]"

/* Members of its metadata, of its Ready condition, of its status.sandbox. */
static json_t *
claim_of(const char *metadata, const char *ready, const char *sandbox)
{
    AUTO(mem) char *text =
        xasprintf("{\"metadata\":{%s},\"status\":{\"conditions\":[{\"type\":"
                  "\"Other\"},{\"type\":\"Ready\",%s}],\"sandbox\":{%s}}}",
                  metadata, ready, sandbox);
    json_t *claim = json_loads(text, 0, NULL);

    assert_non_null(claim);
    return claim;
}

static void
a_claim_is_read(void **state UNUSED)
{
    static const struct {
        const char *metadata, *ready, *sandbox;
        enum claim_phase phase;
        const char *ip;
    } cases[] = {
        {"",                            READY,  POD,                             CLAIM_READY,   "10.0.0.1"},
        {"",                            READY,  "\"podIPs\":[\"fd00::1\"]",      CLAIM_READY,   "fd00::1" },
        {"",                            READY,  "",                              CLAIM_PENDING, NULL      },
        {"",                            READY,  "\"podIPs\":[\"evil.example\"]", CLAIM_PENDING, NULL      },
        {"",                            READY,  "\"podIPs\":[\"10.0.0.1:1@h\"]", CLAIM_PENDING, NULL      },
        {"",                            WAITS,  POD,                             CLAIM_PENDING, "10.0.0.1"},
        {"",                            NOPOOL, "",                              CLAIM_REFUSED, NULL      },
        {"",                            FAILED, POD,                             CLAIM_ENDED,   "10.0.0.1"},
        {"",                            OVER,   "",                              CLAIM_ENDED,   NULL      },
        {"\"deletionTimestamp\":\"x\"", READY,  POD,                             CLAIM_ENDED,   "10.0.0.1"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *object =
            claim_of(cases[i].metadata, cases[i].ready, cases[i].sandbox);
        struct claim_state found;
        claim_object_read(object, &found);
        assert_int_equal(found.phase, cases[i].phase);
        if (cases[i].ip)
            assert_string_equal(found.ip, cases[i].ip);
        else
            assert_null(found.ip);
    }
}

static void
what_is_no_claim_is_pending(void **state UNUSED)
{
    static const char *const texts[] = {"{}", "[]", "5",
                                        "{\"status\":5,\"metadata\":[]}"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_auto_t *object = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        struct claim_state found;
        claim_object_read(object, &found);
        assert_int_equal(found.phase, CLAIM_PENDING);
    }
}

static void
what_goes_into_a_url_is_checked(void **state UNUSED)
{
    json_auto_t *object =
        claim_of("\"resourceVersion\":\"1&x=2\"", READY, "\"name\":\"../../secrets\"");
    struct claim_state found;

    claim_object_read(object, &found);
    assert_null(found.sandbox);
    assert_null(found.version);
}

static void
a_watch_is_read_line_by_line(void **state UNUSED)
{
    static const struct {
        const char *line;
        int type; /* -1: refused */
        const char *version;
    } cases[] = {
        {"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\"}}}",
         WATCH_CHANGED,                                                                                "7" },
        {"{\"type\":\"MODIFIED\",\"object\":{}}",                                      WATCH_CHANGED,  NULL},
        {"{\"type\":\"DELETED\",\"object\":{}}",                                       WATCH_DELETED,  NULL},
        {"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"x\"}}"
         "}",                                                                 WATCH_BOOKMARK, NULL},
        {"{\"type\":\"ERROR\",\"object\":{\"code\":410}}",                             WATCH_GONE,     NULL},
        {"{\"type\":\"ERROR\",\"object\":{\"code\":500}}",                             WATCH_ERROR,    NULL},
        {"{\"type\":\"NEW\",\"object\":{}}",                                           -1,             NULL},
        {"{\"type\":\"ADDED\",\"object\":[]}",                                         -1,             NULL},
        {"{\"object\":{}}",                                                            -1,             NULL},
        {"[]",                                                                         -1,             NULL},
        {"",                                                                           -1,             NULL},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(watch_event) struct watch_event event = {0};
        struct error err;
        int status = watch_event_parse(slice_of(cases[i].line), &event, &err);
        assert_int_equal(status, cases[i].type < 0 ? -1 : 0);
        if (status < 0)
            continue;
        assert_int_equal(event.type, cases[i].type);
        assert_int_equal(!event.version, !cases[i].version);
    }
}

/* --- stages --- */

static const struct claim_wish wish = {"lab", "c1", "python", "", ""};

static void
describe(const char *sandbox_name, const char *message, const char *pod_text,
         const char *events_text, char out[500])
{
    json_auto_t *pod = json_loads(pod_text, 0, NULL);
    json_auto_t *events = json_loads(events_text, 0, NULL);
    const struct claim_state claim = {.sandbox = sandbox_name, .message = message};
    const struct stage_facts facts = {
        .claim = &claim, .wish = &wish, .pod = pod, .events = events};

    stage_describe(&facts, out, 500);
}

static void
stages_are_told(void **state UNUSED)
{
    char out[500];

    describe(NULL, NULL, "", "", out);
    assert_string_equal(
        out, "SandboxClaim lab/c1 on pool python: no pod is free, a new one is "
             "being made");
    describe("py", "Pod exists with phase: Pending", "", "", out);
    assert_string_equal(out, "pod lab/py: claimed: Pod exists with phase: Pending");
    describe("py", "Pod is Running but not Ready", "", "", out);
    assert_string_equal(out, "pod lab/py: starting");
    describe("py", NULL,
             "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":"
             "\"False\",\"message\":\"0/1 nodes\"}]}}",
             "", out);
    assert_string_equal(out, "pod lab/py: cannot be scheduled: 0/1 nodes");
    describe("py", NULL, "",
             "{\"items\":[{\"reason\":\"Pulling\",\"message\":\"Pulling image x\"}]}",
             out);
    assert_string_equal(out, "pod lab/py: pulling image x");
}

static void
ends_are_told(void **state UNUSED)
{
    json_auto_t *pod = json_loads(
        "{\"status\":{\"containerStatuses\":[{\"restartCount\":1,\"lastState\":{"
        "\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\"}}}]}}",
        0, NULL);
    struct claim_state claim = {
        .phase = CLAIM_ENDED, .reason = "PodFailed", .message = "Pod failed"};
    struct stage_facts facts = {.claim = &claim, .wish = &wish, .pod = pod};
    char out[400];

    stage_describe_end(&facts, out, sizeof(out));
    assert_string_equal(out, "its container ended with exit code 137, OOMKilled");
    facts.pod = NULL;
    stage_describe_end(&facts, out, sizeof(out));
    assert_string_equal(out, "PodFailed: Pod failed");
    claim.phase = CLAIM_PENDING;
    stage_describe_end(&facts, out, sizeof(out));
    assert_string_equal(out, "its pod was deleted or replaced");
    claim.phase = CLAIM_READY; /* what it says is of before */
    stage_describe_end(&facts, out, sizeof(out));
    assert_string_equal(out, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_legal_and_differ),
        cmocka_unit_test(labels_are_legal),
        cmocka_unit_test(a_claim_is_read),
        cmocka_unit_test(what_is_no_claim_is_pending),
        cmocka_unit_test(what_goes_into_a_url_is_checked),
        cmocka_unit_test(a_watch_is_read_line_by_line),
        cmocka_unit_test(stages_are_told),
        cmocka_unit_test(ends_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
