/* Every fixture, whole and cut at every byte: the same reply each time. */
#include "bridge/models/stream.h"

#include <dirent.h>
#include <stdio.h>

#include "common/limits.h"
#include "tests/unit/unit.h"

#define FIXTURES "tests/bridge/fixtures/"
#define CODE     "```python\ndf\n```"
#define GOOD     -1

static const struct fixture {
    const char *file, *api;
    int failure; /* enum failure_kind, or GOOD */
    const char *text;
    long prompt, completion, reasoning;
} fixtures[] = {
    {"spec/openai_chat.sse",                 "chat",        GOOD,           "```python\ndf[\"Größe\"].sum()\n```", 24,
     13,                                                                                                                     5 },
    {"spec/openai_chat_crlf.sse",            "chat",        GOOD,           "```python\ndf.head()\n```",             24, 13, 5 },
    {"spec/openai_chat_two_choices.sse",     "chat",        GOOD,           "AB",                                    24, 13, 5 },
    {"spec/openai_chat_no_done.sse",         "chat",        GOOD,           "AB",                                    -1, -1, -1},
    {"spec/openai_chat_cut.sse",             "chat",        FAIL_TRUNCATED, "AB",                                    -1, -1, -1},
    {"spec/openai_chat_no_finish.sse",       "chat",        FAIL_TRUNCATED, "AB",                                    -1, -1, -1},
    {"spec/openai_chat_error.sse",           "chat",        FAIL_SERVER,    "AB",                                    -1, -1, -1},
    {"spec/openai_chat_refusal.sse",         "chat",        FAIL_REFUSED,   "I can't help with that.",
     -1,                                                                                                                 -1, -1},
    {"spec/openai_chat_filter.sse",          "chat",        FAIL_FILTERED,  "A",                                     -1, -1, -1},
    {"spec/openai_chat_length.sse",          "chat",        FAIL_LENGTH,    "A",                                     -1, -1, -1},
    {"spec/openai_chat_unknown_stop.sse",    "chat",        FAIL_PROTOCOL,  "A",                                     -1, -1, -1},
    {"spec/openai_chat_empty.sse",           "chat",        FAIL_EMPTY,     "",                                      -1, -1, -1},
    {"spec/vllm_chat_error_done.sse",        "chat",        FAIL_SERVER,    "AB",                                    -1, -1, -1},
    {"spec/vllm_chat_usage.sse",             "chat",        GOOD,           "AB",                                    24, 3,  -1},
    {"spec/llamacpp_chat_old_error.sse",     "chat",        FAIL_SERVER,    "AB",                                    -1, -1, -1},
    {"spec/openai_responses.sse",            "responses",   GOOD,           CODE,                                    24, 13, 5 },
    {"spec/openai_responses_incomplete.sse", "responses",   FAIL_LENGTH,    "A",                                     -1, -1, -1},
    {"spec/openai_responses_failed.sse",     "responses",   FAIL_SERVER,    "A",                                     -1, -1, -1},
    {"spec/openai_responses_error.sse",      "responses",   FAIL_RATE,      "A",                                     -1, -1, -1},
    {"spec/openai_responses_refusal.sse",    "responses",   FAIL_REFUSED,   "I will not.",                           24,
     13,                                                                                                                     5 },
    {"spec/openai_responses_cut.sse",        "responses",   FAIL_TRUNCATED, "A",                                     -1, -1, -1},
    {"spec/gemini_stream.sse",               "gemini",      GOOD,           CODE,                                    24, 13, 5 },
    {"spec/gemini_stream.sse",               "vertex",      GOOD,           CODE,                                    24, 13, 5 },
    {"spec/gemini_array.json",               "gemini",      GOOD,           "AB }]\\\"",                             24, 13, 5 },
    {"spec/gemini_safety.sse",               "gemini",      FAIL_FILTERED,  "",                                      24, 13, 5 },
    {"spec/gemini_blocked.sse",              "gemini",      FAIL_FILTERED,  "",                                      24, -1, -1},
    {"spec/gemini_max_tokens.sse",           "gemini",      FAIL_LENGTH,    "",                                      24, 13, 5 },
    {"spec/gemini_cut.sse",                  "gemini",      FAIL_TRUNCATED, "A",                                     24, 13, 5 },
    {"spec/gemini_error_inside.sse",         "gemini",      FAIL_SERVER,    "A",                                     24, 13, 5 },
    {"spec/gemini_error_array.sse",          "gemini",      FAIL_SERVER,    "",                                      -1, -1, -1},
    {"spec/anthropic_stream.sse",            "anthropic",   GOOD,           CODE,                                    24, 6,  -1},
    {"spec/anthropic_refusal.sse",           "anthropic",   FAIL_REFUSED,   "",                                      24, 6,  -1},
    {"spec/anthropic_max_tokens.sse",        "anthropic",   FAIL_LENGTH,    CODE,                                    24, 6,  -1},
    {"spec/anthropic_cut.sse",               "anthropic",   FAIL_TRUNCATED, CODE,                                    24, 6,  -1},
    {"spec/anthropic_overloaded.sse",        "anthropic",   FAIL_SERVER,    "",                                      24, 1,  -1},
    {"llama-server/chat_length.txt",         "chat",        FAIL_LENGTH,    "```python\nimport pan",                 12,
     4,                                                                                                                      -1},
    {"llama-server/completions_stream.txt",  "completions", GOOD,
     "```python\nprint(df[\"Profit\"].sum())\n```\n",                                                                12, 9,  -1},
    {"llama-server/responses_stream.txt",    "responses",   GOOD,
     "```python\nimport pandas as pd\nprint(df[\"Profitt\"].sum())\n```\n",                                          28, 14, -1},
    {"llama-server/anthropic_stream.txt",    "anthropic",   GOOD,
     "```python\nimport pandas as pd\nprint(df[\"Profitt\"].sum())\n```\n",                                          16, 14, -1},
};

static bool
is_in_table(const char *folder, const char *name)
{
    AUTO(mem) char *file = xasprintf("%s/%s", folder, name);

    for (size_t i = 0; i < COUNT_OF(fixtures); i++)
        if (strcmp(fixtures[i].file, file) == 0)
            return true;
    print_message("  not in the table: %s\n", file);
    return false;
}

/* But for bodies of errors, which are not streams: test_failure.c has those. */
static void
knows_every_fixture(void **state UNUSED)
{
    static const char *const folders[] = {"spec", "llama-server"};

    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        AUTO(mem) char *path = xasprintf(FIXTURES "%s", folders[i]);
        DIR *folder = opendir(path);
        struct dirent *entry;
        assert_non_null(folder);
        while ((entry = readdir(folder)))
            assert_true(entry->d_name[0] == '.' || strstr(entry->d_name, "err_") ||
                        strcmp(entry->d_name, "models.txt") == 0 ||
                        is_in_table(folders[i], entry->d_name));
        closedir(folder);
    }
}

static void
read_file(struct buffer *out, const char *name)
{
    AUTO(mem) char *path = xasprintf(FIXTURES "%s", name);
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    size_t len;

    assert_non_null(file);
    while ((len = fread(bytes, 1, sizeof(bytes), file)))
        buffer_append(out, bytes, len);
    fclose(file);
    char *body = strstr(out->data, "\r\n\r\n");
    if (strncmp(out->data, "HTTP/", 5) == 0)
        buffer_consume(out, (size_t)(body + 4 - out->data));
}

static void
check(const struct fixture *fixture, struct stream *stream)
{
    struct failure failure = FAILURE_INIT;
    int ended = stream_end(stream, &failure);
    const struct reply *reply = &stream->reply;

    if (fixture->failure == GOOD) {
        assert_int_equal(ended, 0);
    } else {
        assert_int_equal(ended, -1);
        assert_string_equal(failure_name(failure.kind),
                            failure_name((enum failure_kind)fixture->failure));
    }
    assert_string_equal(reply->text.data ? reply->text.data : "", fixture->text);
    assert_int_equal(reply->usage.prompt, fixture->prompt);
    assert_int_equal(reply->usage.completion, fixture->completion);
    assert_int_equal(reply->usage.reasoning, fixture->reasoning);
}

static void
run_split(const struct fixture *fixture, struct slice bytes, size_t first)
{
    AUTO(stream) struct stream stream;

    stream_init(&stream, model_api_find(fixture->api));
    (void)(stream_feed(&stream, (struct slice){bytes.data, first}) &&
           stream_feed(&stream, (struct slice){bytes.data + first, bytes.len - first}));
    check(fixture, &stream);
}

static void
gives_the_same_reply_for_every_split(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(fixtures); i++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        AUTO(stream) struct stream stream;
        print_message("  %s as %s\n", fixtures[i].file, fixtures[i].api);
        read_file(&bytes, fixtures[i].file);
        for (size_t first = 0; first <= bytes.len; first++)
            run_split(&fixtures[i], buffer_slice(&bytes), first);
        stream_init(&stream, model_api_find(fixtures[i].api));
        for (size_t at = 0; at < bytes.len; at++)
            if (!stream_feed(&stream, (struct slice){bytes.data + at, 1}))
                break;
        check(&fixtures[i], &stream);
    }
}

/* A prefix of an answer is never a good answer, but where only the end marker's own
 * blanks are missing, or what comes after a stop word that suffices. */
static void
takes_no_truncated_answer_for_a_whole_one(void **state UNUSED)
{
    static const char *const files[][2] = {
        {"spec/anthropic_stream.sse",         "anthropic"},
        {"spec/openai_responses.sse",         "responses"},
        {"llama-server/responses_stream.txt", "responses"},
        {"llama-server/anthropic_stream.txt", "anthropic"},
    };

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        read_file(&bytes, files[i][0]);
        size_t end = bytes.len;
        while (bytes.data[end - 1] == '\n')
            end--;
        for (size_t len = 0; len < end; len++) {
            AUTO(stream) struct stream stream;
            struct failure failure = FAILURE_INIT;
            stream_init(&stream, model_api_find(files[i][1]));
            (void)stream_feed(&stream, (struct slice){bytes.data, len});
            assert_int_equal(stream_end(&stream, &failure), -1);
        }
    }
}

static void
needs_a_stop_word_where_there_is_no_end_marker(void **state UNUSED)
{
    static const char *const files[][3] = {
        {"spec/openai_chat.sse",                "chat",        "\"finish_reason\": \"stop\""},
        {"spec/gemini_stream.sse",              "gemini",      "\"finishReason\": \"STOP\"" },
        {"llama-server/completions_stream.txt", "completions",
         "\"finish_reason\":\"stop\""                                                       },
    };

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        AUTO(buffer) struct buffer bytes = BUFFER_INIT(SIZE_MAX);
        read_file(&bytes, files[i][0]);
        size_t said = (size_t)(strstr(bytes.data, files[i][2]) - bytes.data);
        assert_true(said < bytes.len);
        for (size_t len = 0; len < said; len++) {
            AUTO(stream) struct stream stream;
            struct failure failure = FAILURE_INIT;
            stream_init(&stream, model_api_find(files[i][1]));
            (void)stream_feed(&stream, (struct slice){bytes.data, len});
            assert_int_equal(stream_end(&stream, &failure), -1);
        }
    }
}

struct heard {
    size_t count;
    struct buffer log;
};

static bool
hear(const struct sse_event *event, void *context)
{
    struct heard *heard = context;

    heard->count++;
    buffer_printf(&heard->log, "[%.*s|%.*s|%d]", (int)event->name.len, event->name.data,
                  (int)event->data.len, event->data.data, event->is_bare);
    return true;
}

static void
reads_every_line_end_and_shape(void **state UNUSED)
{
    static const struct {
        const char *bytes, *events;
    } cases[] = {
        {"data: a\n\n",                              "[|a|0]"                      },
        {"data: a\r\n\r\n",                          "[|a|0]"                      },
        {"data: a\r\rdata: b\r\r",                   "[|a|0][|b|0]"                },
        {"\xEF\xBB\xBF"
         "data: a\n\n",                     "[|a|0]"                      },
        {"data:a\ndata: b\n\n",                      "[|a\nb|0]"                   },
        {"data:  a\n\n",                             "[| a|0]"                     },
        {"event: x\ndata: a\n\ndata: b\n\n",         "[x|a|0][|b|0]"               },
        {": comment\n\nid: 1\nretry: 5\n\ndata\n\n", "[||0]"                       },
        {"event: x\n\n",                             ""                            },
        {"data: a",                                  "[|a|0]"                      },
        {"data: a\n",                                "[|a|0]"                      },
        {"{\"a\":1}",                                "[|{\"a\":1}|1]"              },
        {"[{\"a\":\"}\"},\n{\"b\":\"\\\"}\"}]",
         "[|{\"a\":\"}\"}|1][|{\"b\":\"\\\"}\"}|1]"                                },
        {"{\"a\":\"\\n\"}data: a\n\n",               "[|{\"a\":\"\\n\"}|1][|a|0]"  },
        {"data: a\n{\"e\":[1]}\n\ndata: b\n\n",      "[|a|0][|{\"e\":[1]}|1][|b|0]"},
        {"error: {\"c\":1}\n\n",                     "[error|{\"c\":1}|0]"         },
        {"<html>\n<p>no</p>\n",                      ""                            },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t first = 0; first <= strlen(cases[i].bytes); first++) {
            AUTO(sse) struct sse sse;
            struct heard heard = {.log = BUFFER_INIT(SIZE_MAX)};
            const char *bytes = cases[i].bytes;
            struct error err;
            sse_init(&sse, hear, &heard);
            assert_int_equal(sse_feed(&sse, (struct slice){bytes, first}, &err), 0);
            assert_int_equal(sse_feed(&sse, slice_of(bytes + first), &err), 0);
            assert_int_equal(sse_end(&sse, &err), 0);
            assert_string_equal(heard.log.data ? heard.log.data : "", cases[i].events);
            buffer_release(&heard.log);
        }
}

/* `len` bytes of x behind a prefix. */
static int
feed_many(struct sse *sse, const char *prefix, size_t len)
{
    char block[4096];
    struct error err;

    memset(block, 'x', sizeof(block));
    if (sse_feed(sse, slice_of(prefix), &err) < 0)
        return -1;
    for (size_t i = strlen(prefix); i < len; i += sizeof(block)) {
        size_t take = len - i < sizeof(block) ? len - i : sizeof(block);
        if (sse_feed(sse, (struct slice){block, take}, &err) < 0)
            return -1;
    }
    return 0;
}

static void
bounds_lines_events_and_the_whole(void **state UNUSED)
{
    for (size_t extra = 0; extra < 2; extra++) {
        AUTO(sse) struct sse line, object, whole;
        struct heard heard = {.log = BUFFER_INIT(0)};
        sse_init(&line, hear, &heard);
        sse_init(&object, hear, &heard);
        sse_init(&whole, hear, &heard);
        int wanted = extra ? -1 : 0, failed = 0;
        assert_int_equal(feed_many(&line, "data: ", LIMIT_SSE_LINE + extra), wanted);
        assert_int_equal(feed_many(&object, "{\"a\":\"", LIMIT_SSE_EVENT + extra),
                         wanted);
        for (size_t sum = 0; sum < LIMIT_REPLY_BYTES && !failed; sum += KIB(64))
            failed = feed_many(&whole, "\n: ", KIB(64));
        struct error err;
        if (extra)
            failed = sse_feed(&whole, SLICE("x"), &err);
        assert_int_equal(failed, wanted);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_every_fixture),
        cmocka_unit_test(gives_the_same_reply_for_every_split),
        cmocka_unit_test(takes_no_truncated_answer_for_a_whole_one),
        cmocka_unit_test(needs_a_stop_word_where_there_is_no_end_marker),
        cmocka_unit_test(reads_every_line_end_and_shape),
        cmocka_unit_test(bounds_lines_events_and_the_whole),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
