/*
 * planner-bench: questions in, plans out, one JSON object a line.
 *
 *     {"question": …, "profile": …, "previous": […]}
 *     {"plan": …, "code": …, "confidence": …, "assumed": […], "not_understood": […],
 *      "ms": …, "outcome": …, "message": …, "alternatives": […]}
 *
 * A profile is used again by lines that leave it out. docs/planner.md has both schemas.
 */
#include <stdio.h>
#include <time.h>

#include "bridge/planner/planner.h"
#include "common/paths.h"

enum {
    LINE_BYTES_MAX = 256 << 20,
};

static const char *const outcomes[] = {
    [PLANNER_ANSWERED] = "answered",
    [PLANNER_ASKS] = "asks",
    [PLANNER_REFUSED] = "refused",
};

static double
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void
auto_json(json_t **json)
{
    json_decref(*json);
}

static int
print(json_t *json)
{
    int failed = json_dumpf(json, stdout, JSON_COMPACT);

    return failed || putchar('\n') == EOF || fflush(stdout) == EOF ? -1 : 0;
}

static int
print_error(const struct error *err)
{
    AUTO(json) json_t *json = json_pack("{s:{s:s, s:s}}", "error", "code",
                                        error_code(err->kind), "message", err->text);

    return print(json);
}

static int
print_answer(const struct planner_answer *answer, double ms)
{
    AUTO(json) json_t *json =
        json_pack("{s:O, s:s, s:f, s:O, s:O, s:f, s:s, s:s, s:O}", "plan", answer->plan,
                  "code", answer->code, "confidence", answer->confidence, "assumed",
                  answer->assumed, "not_understood", answer->not_understood, "ms", ms,
                  "outcome", outcomes[answer->outcome], "message", answer->message,
                  "alternatives", answer->alternatives);

    return print(json);
}

static int
answer_line(const struct lexicon *lexicon, json_t *line, json_t *profile)
{
    AUTO(planner_answer) struct planner_answer answer = {0};
    json_t *question = json_object_get(line, "question");
    struct planner_request request = {
        .lexicon = lexicon,
        .question = {json_string_value(question), json_string_length(question)},
        .profile = profile,
        .previous = json_object_get(line, "previous"),
    };
    struct error err;
    double start = now_ms();

    if (!json_is_string(question))
        error_format(&err, ERR_BAD_INPUT, "a line needs a question");
    else if (planner_answer(&answer, &request, &err) == 0)
        return print_answer(&answer, now_ms() - start);
    return print_error(&err);
}

static int
run(const struct lexicon *lexicon)
{
    AUTO(json) json_t *profile = json_object();
    AUTO(mem) char *text = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&text, &size, stdin)) > 0 && len < LINE_BYTES_MAX) {
        AUTO(json) json_t *line = json_loadb(text, (size_t)len, 0, NULL);
        json_t *given = json_object_get(line, "profile");

        if (json_is_object(given)) {
            json_decref(profile);
            profile = json_incref(given);
        }
        if (answer_line(lexicon, line, profile) < 0)
            return -1;
    }
    return 0;
}

static char *
lexicon_path(const char *program, struct error *err)
{
    /* The bench stands in build/ itself, one folder above where programs live. */
    const char *slash = strrchr(program, '/');

    if (!slash)
        return paths_installed("share/cellpod/planner/en.txt", err);
    return xasprintf("%.*s/share/cellpod/planner/en.txt", (int)(slash - program),
                     program);
}

int
main(int argc, char **argv)
{
    struct error err;
    AUTO(mem) char *path = argc > 1 ? xstrdup(argv[1]) : lexicon_path(argv[0], &err);
    AUTO(lexicon) struct lexicon *lexicon = path ? lexicon_load(path, &err) : NULL;

    if (!lexicon) {
        fprintf(stderr, "planner-bench: %s\n", err.text);
        return 1;
    }
    return run(lexicon) < 0 ? 1 : 0;
}
