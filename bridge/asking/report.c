#include "bridge/asking/report.h"

#include "bridge/prompt/redact.h"

enum {
    REPORT_MAX = 2048,
    MESSAGE_MAX = 800,
    PRINTED_LINES = 20,
};

char *
report_plain(const char *text)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&out, "");
    while (*text) {
        if (text[0] == '\033' && text[1] == '[') {
            text += 2;
            text += strspn(text, "0123456789;?");
            text += *text != '\0';
            continue;
        }
        buffer_append(&out, text++, 1);
    }
    return TAKE(out.data);
}

struct slice
report_code_line(const char *code, int line)
{
    for (; line > 1 && *code; line--) {
        code += strcspn(code, "\n");
        code += *code == '\n';
    }
    return (struct slice){code, line == 1 ? strcspn(code, "\n") : 0};
}

/* "Cell In[3], line 4" in the newer form, "----> 4 code" in the older. */
static int
line_of_frame(const char *frame)
{
    AUTO(mem) char *plain = report_plain(frame);
    const char *cell = strstr(plain, "Cell In");
    const char *line = cell ? strstr(cell, "line ") : NULL;
    const char *arrow = strstr(plain, "-> ");

    if (line)
        return atoi(line + strlen("line "));
    bool is_ours = strstr(plain, "<ipython-input") || strstr(plain, "In [");
    return is_ours && arrow ? atoi(arrow + strlen("-> ")) : 0;
}

int
report_line(const json_t *traceback, const char *code)
{
    json_t *frame;
    int found = 0;
    size_t i;

    json_array_foreach (traceback, i, frame) {
        int line = json_is_string(frame) ? line_of_frame(json_string_value(frame)) : 0;
        if (line > 0 && report_code_line(code, line).len)
            found = line;
    }
    return found;
}

static void
append_message(struct buffer *out, const struct report_spec *spec, const char *message)
{
    AUTO(mem) char *plain = report_plain(message ? message : "");
    size_t len = strnlen(plain, MESSAGE_MAX);

    while (len && ((unsigned char)plain[len] & 0xc0) == 0x80)
        len--;
    plain[len] = '\0';
    if (spec->level >= LEVEL_VALUES)
        buffer_append_text(out, plain);
    else
        redact_message(out, plain, spec->code, spec->names);
}

static void
append_line(struct buffer *out, const struct report_spec *spec, int line)
{
    struct slice text = report_code_line(spec->code, line);

    if (line && text.len)
        buffer_printf(out, "Line %d: %.*s\n", line, (int)text.len, text.data);
}

static void
append_printed(struct buffer *out, const struct report_spec *spec, const char *printed)
{
    const char *from;
    int lines = 0;

    if (spec->level < LEVEL_VALUES || !printed || !*printed)
        return;
    from = printed + strlen(printed);
    while (from > printed && lines < PRINTED_LINES)
        lines += *--from == '\n';
    buffer_printf(out, "It had printed:\n%s\n", from);
}

/* The same last words for every report: short, and what the answer must look like. */
static char *
close_report(const struct report_spec *spec, struct buffer *out)
{
    if (out->len > REPORT_MAX) {
        size_t len = REPORT_MAX;
        while (len && ((unsigned char)out->data[len] & 0xc0) == 0x80)
            len--;
        out->data[out->len = len] = '\0';
        buffer_append_text(out, "\n");
    }
    buffer_printf(
        out,
        "This was attempt %d of %d. Reply with the whole corrected program in "
        "one fenced Python block.",
        spec->attempt, spec->attempts_max);
    return TAKE(out->data);
}

char *
report_error(const struct report_spec *spec, const struct report_run *run)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    if (run->death) {
        buffer_printf(&out, "The code ended its Python process: %s\n", run->death);
        return close_report(spec, &out);
    }
    buffer_printf(&out,
                  "The code failed with %s: ", run->ename ? run->ename : "an error");
    append_message(&out, spec, run->evalue);
    buffer_append_text(&out, "\n");
    append_line(&out, spec, report_line(run->traceback, spec->code));
    append_printed(&out, spec, run->printed);
    return close_report(spec, &out);
}

char *
report_silence(const struct report_spec *spec)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&out,
                       "The code ran and showed nothing. End it with an expression "
                       "whose value is the answer, or draw one figure.\n");
    return close_report(spec, &out);
}

static const struct {
    const char *word, *sentence;
} chart_findings[] = {
    {"nothing", "nothing is drawn"                                          },
    {"clipped", "a label is cut off"                                        },
    {"overlap", "labels run into each other"                                },
    {"legend",  "the legend covers data"                                    },
    {"ticks",   "there are more names on an axis than can be read"          },
    {"equal",   "all values are the same"                                   },
    {"order",   "an axis has numbers or dates in the order of their letters"},
    {"differs", "what is drawn is not what was worked out"                  },
};

char *
report_findings(const json_t *findings)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; i < COUNT_OF(chart_findings); i++) {
        bool is_there = false;
        json_t *word;
        size_t at;

        json_array_foreach (findings, at, word)
            is_there |= json_is_string(word) &&
                        strcmp(json_string_value(word), chart_findings[i].word) == 0;
        if (is_there)
            buffer_printf(&out, "%s%s", out.len ? "; " : "",
                          chart_findings[i].sentence);
    }
    return TAKE(out.data);
}

char *
report_charts(const struct report_spec *spec, const char *findings)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&out, "The code ran, but its chart is not good: %s.\n", findings);
    return close_report(spec, &out);
}

static void
append_problem(struct buffer *out, const json_t *problem)
{
    const char *message = json_string_value(json_object_get(problem, "message"));
    json_int_t line = json_integer_value(json_object_get(problem, "line"));
    const json_t *nearest = json_object_get(problem, "nearest");

    buffer_append_text(out, "- ");
    if (line > 0)
        buffer_printf(out, "line %d: ", (int)line);
    buffer_append_text(out, message ? message : "not allowed");
    for (size_t i = 0; i < json_array_size(nearest); i++) {
        char *name = json_dumps(json_array_get(nearest, i), JSON_ENCODE_ANY);
        buffer_printf(out, "%s%s", i ? ", " : "; nearest: ", name ? name : "?");
        free(name);
    }
    buffer_append_text(out, "\n");
}

char *
report_problems(const struct report_spec *spec, const json_t *problems)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    json_t *problem;
    size_t i;

    buffer_append_text(&out, "The code was not run, because of\n");
    json_array_foreach (problems, i, problem) {
        append_problem(&out, problem);
    }
    return close_report(spec, &out);
}

char *
report_no_code(const struct report_spec *spec)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&out, "There was no Python code in that reply. If the question "
                             "cannot be answered from this data, reply with one line: "
                             "CANNOT: and the reason.\n");
    return close_report(spec, &out);
}
