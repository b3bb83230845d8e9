#include "bridge/models/failure.h"

#include <stdio.h>

#include "common/utf8.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name;
    int status;
    const char *body;
    enum failure_kind kind;
    const char *text;
    int64_t retry_after_ms;
    long context;
} bodies[] = {
    {"OpenAI, bad key",       401,
     "{\"error\":{\"message\":\"Incorrect API key\",\"type\":\"invalid_request_error\","
     "\"param\":null,\"code\":\"invalid_api_key\"}}",                                                FAIL_AUTH,     "Incorrect API key",                                                    -1, 0   },
    {"OpenAI, no money",      429,
     "{\"error\":{\"message\":\"You exceeded your current "
     "quota\",\"type\":\"insufficient_quota\","
     "\"code\":\"insufficient_quota\"}}",                                                            FAIL_QUOTA,    "You exceeded your current quota",                                      -1, 0   },
    {"Anthropic, no money",   400,
     "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
     "\"Your credit "
     "balance is too low\"}}",                                                                       FAIL_QUOTA,    "Your credit balance is too low",                                       -1, 0   },
    {"Anthropic, billing",    402,
     "{\"type\":\"error\",\"error\":{\"type\":\"billing_error\",\"message\":\"x\"}}",                FAIL_QUOTA,    "x",                                                                    -1, 0   },
    {"Anthropic, overloaded", 529,
     "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
     "\"Overloaded\"}}",                                                                             FAIL_SERVER,   "Overloaded",                                                           -1, 0   },
    {"rate",                  429,
     "{\"error\":{\"message\":\"Slow "
     "down\",\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}",                              FAIL_RATE,     "Slow down",                                                            -1, 0   },
    {"Gemini, per minute",    429,
     "{\"error\":{\"code\":429,\"message\":\"You exceeded your current quota, check "
     "your plan and "
     "billing "
     "details\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":\"q\","
     "\"violations\":[{\"quotaId\":\"GenerateRequestsPerMinutePerProject\"}]},{\"@"
     "type\":\"r\","
     "\"retryDelay\":\"37s\"}]}}",                                                                   FAIL_RATE,     "You exceeded your current quota, check your plan and billing details",
     37000,                                                                                                                                                                                     0   },
    {"Gemini, per day",       429,
     "{\"error\":{\"code\":429,\"message\":\"x\",\"status\":\"RESOURCE_EXHAUSTED\","
     "\"details\":[{"
     "\"violations\":[{\"quotaId\":\"GenerateRequestsPerDayPerProject\"}]}]}}",                      FAIL_QUOTA,    "x",                                                                    -1, 0   },
    {"Vertex, in an array",   503,
     "[{\"error\":{\"code\":503,\"message\":\"overloaded\",\"status\":\"UNAVAILABLE\"}}"
     "]",                                                                                            FAIL_SERVER,   "overloaded",                                                           -1, 0   },
    {"nested",                400,
     "{\"error\":{\"message\":\"{\\\"error\\\":{\\\"code\\\":403,\\\"message\\\":"
     "\\\"inner\\\","
     "\\\"status\\\":\\\"PERMISSION_DENIED\\\"}}\"}}",                                               FAIL_AUTH,     "inner",                                                                -1, 0   },
    {"Gemini, bad key",       400,
     "{\"error\":{\"code\":400,\"message\":\"API key not valid. Please pass a valid "
     "API key.\","
     "\"status\":\"INVALID_ARGUMENT\"}}",                                                            FAIL_AUTH,     "API key not valid. Please pass a valid API key.",                      -1, 0   },
    {"OpenAI, context",       400,
     "{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens.\","
     "\"code\":\"context_length_exceeded\"}}",                                                       FAIL_CONTEXT,  "This model's maximum context length is 8192 tokens.",                  -1, 8192},
    {"llama-server, loading", 503,
     "{\"error\":{\"code\":503,\"message\":\"Loading "
     "model\",\"type\":\"unavailable_error\"}}",                                                     FAIL_SERVER,   "Loading model",                                                        -1, 0   },
    {"FastAPI",               422, "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"field required\"}]}",
     FAIL_REQUEST,                                                                                                  "field required",                                                       -1, 0   },
    {"FastAPI, text",         404, "{\"detail\":\"Not Found\"}",                                     FAIL_REQUEST,  "Not Found",                                                            -1,
     0                                                                                                                                                                                              },
    {"Ollama",                404, "{\"error\":\"model 'x' not found\"}",                            FAIL_REQUEST,
     "model 'x' not found",                                                                                                                                                                 -1, 0   },
    {"HTML",                  502,
     "<html>\r\n<head><title>502 Bad "
     "Gateway</title></head>\r\n<body>nginx</body></html>",                                          FAIL_SERVER,   "502 Bad Gateway nginx",                                                -1, 0   },
    {"plain, with an escape", 500, "it \033[31mbroke\n\nbadly\xff",                                  FAIL_SERVER,
     "it [31mbroke badly\xEF\xBF\xBD",                                                                                                                                                      -1, 0   },
    {"nothing",               500, "",                                                               FAIL_SERVER,   "",                                                                     -1, 0   },
    {"redirect",              307, "elsewhere",                                                      FAIL_PROTOCOL,
     "it is a redirect, which is not followed",                                                                                                                                             -1, 0   },
};

static void
reads_every_shape_of_error(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct failure failure = FAILURE_INIT;
        print_message("  %s\n", bodies[i].name);
        failure_from_http(&failure, bodies[i].status, slice_of(bodies[i].body));
        assert_string_equal(failure_name(failure.kind), failure_name(bodies[i].kind));
        assert_string_equal(failure.text, bodies[i].text);
        assert_int_equal(failure.retry_after_ms, bodies[i].retry_after_ms);
        assert_int_equal(failure.context_tokens, bodies[i].context);
    }
}

/* Recorded: status line, headers, body. */
static void
reads_what_a_real_server_answered(void **state UNUSED)
{
#define TOO_LONG                                                                \
    "request (12011 tokens) exceeds the available context size (1024 tokens), " \
    "try increasing it"
    static const struct {
        const char *file;
        enum failure_kind kind;
        const char *begins;
        long context;
    } rows[] = {
        {"err_401",           FAIL_AUTH,    "Invalid API Key",        0   },
        {"err_404",           FAIL_REQUEST, "File Not Found",         0   },
        {"err_badjson",       FAIL_REQUEST, "[json.exception",        0   },
        {"err_nomessages",    FAIL_REQUEST, "'messages' is required", 0   },
        {"err_ctx_stream",    FAIL_CONTEXT, TOO_LONG,                 1024},
        {"anthropic_err_ctx", FAIL_CONTEXT, TOO_LONG,                 1024},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failure failure = FAILURE_INIT;
        AUTO(mem) char *path =
            xasprintf("tests/bridge/fixtures/llama-server/%s.txt", rows[i].file);
        char text[2048] = "";
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
        fclose(file);
        print_message("  %s\n", rows[i].file);
        failure_from_http(&failure, atoi(text + strlen("HTTP/1.1 ")),
                          slice_of(strstr(text, "\r\n\r\n") + 4));
        assert_string_equal(failure_name(failure.kind), failure_name(rows[i].kind));
        assert_memory_equal(failure.text, rows[i].begins, strlen(rows[i].begins));
        assert_int_equal(failure.context_tokens, rows[i].context);
    }
}

static void
says_it_in_one_sentence(void **state UNUSED)
{
    struct failure failure = FAILURE_INIT;

    failure_from_http(&failure, 401,
                      SLICE("{\"error\":{\"message\":\"Invalid key\"}}"));
    strcpy(failure.request_id, "req_1");
    AUTO(mem) char *text =
        failure_sentence(&failure, "openai (gpt-x)", "check OPENAI_API_KEY");
    assert_string_equal(
        text, "openai (gpt-x) rejected the key (HTTP 401: Invalid key; request "
              "req_1): check OPENAI_API_KEY.");
}

static void
cuts_text_between_characters(void **state UNUSED)
{
    for (size_t size = 8; size < 40; size++) {
        char out[64];
        failure_clean(out, size,
                      SLICE("a\xC3\xA9\xF0\x9F\x98\x80\xE2\x82\xAC x\xC3\xA9y"));
        assert_true(strlen(out) < size);
        assert_true(utf8_is_valid(slice_of(out)));
    }
}

static struct failure
failure_of(enum failure_kind kind, int64_t after, int should)
{
    struct failure failure = FAILURE_INIT;

    failure.kind = kind;
    failure.retry_after_ms = after;
    failure.should_retry = should;
    return failure;
}

static void
retries_by_the_table(void **state UNUSED)
{
    static const struct {
        enum failure_kind kind;
        int64_t after;
        int should;
        unsigned retries;
        double random;
        int64_t wait;
    } rows[] = {
        {FAIL_NETWORK,   -1,    -1, 0, 0,   500  },
        {FAIL_NETWORK,   -1,    -1, 1, 0,   1000 },
        {FAIL_NETWORK,   -1,    -1, 2, 0,   -1   },
        {FAIL_SERVER,    -1,    -1, 1, 0.8, 800  },
        {FAIL_RATE,      37000, -1, 0, 0.5, 37000},
        {FAIL_RATE,      60000, -1, 0, 0,   60000},
        {FAIL_RATE,      60001, -1, 0, 0,   -1   },
        {FAIL_RATE,      0,     -1, 0, 0,   0    },
        {FAIL_QUOTA,     1000,  1,  0, 0,   -1   },
        {FAIL_AUTH,      -1,    1,  0, 0,   -1   },
        {FAIL_REQUEST,   -1,    -1, 0, 0,   -1   },
        {FAIL_REQUEST,   -1,    1,  0, 0,   500  },
        {FAIL_SERVER,    -1,    0,  0, 0,   -1   },
        {FAIL_TLS,       -1,    -1, 0, 0,   -1   },
        {FAIL_TRUNCATED, -1,    -1, 0, 0,   500  },
        {FAIL_LENGTH,    -1,    -1, 0, 0,   -1   },
        {FAIL_FILTERED,  -1,    -1, 0, 0,   -1   },
        {FAIL_REFUSED,   -1,    -1, 0, 0,   -1   },
        {FAIL_PROTOCOL,  -1,    -1, 0, 0,   -1   },
        {FAIL_CANCELLED, -1,    -1, 0, 0,   -1   },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failure failure =
            failure_of(rows[i].kind, rows[i].after, rows[i].should);
        assert_int_equal(failure_retry_ms(&failure, rows[i].retries, rows[i].random),
                         rows[i].wait);
    }
    struct failure failure = failure_of(FAIL_RATE, 3600000, -1);
    assert_int_equal(failure_retry_ms(&failure, 0, 0), -1);
    assert_non_null(strstr(failure.text, "3600 s"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_shape_of_error),
        cmocka_unit_test(reads_what_a_real_server_answered),
        cmocka_unit_test(says_it_in_one_sentence),
        cmocka_unit_test(cuts_text_between_characters),
        cmocka_unit_test(retries_by_the_table),
    };
    return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
