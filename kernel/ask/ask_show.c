#include "kernel/ask/ask_show.h"

#include "common/json_text.h"
#include "kernel/ask/ask_cell.h"

static const struct {
    char c;
    const char *html;
} escapes[] = {
    {'&',  "&amp;" },
    {'<',  "&lt;"  },
    {'>',  "&gt;"  },
    {'"',  "&quot;"},
    {'\'', "&#39;" },
};

static void
append_html(struct buffer *out, const char *text)
{
    for (; *text; text++) {
        const char *html = NULL;
        for (size_t i = 0; i < COUNT_OF(escapes); i++)
            if (escapes[i].c == *text)
                html = escapes[i].html;
        if (html)
            buffer_append_text(out, html);
        else
            buffer_append(out, text, 1);
    }
}

static json_t *
text_of(const struct buffer *buffer)
{
    return json_stringn(buffer->data ? buffer->data : "", buffer->len);
}

/* Takes data. */
static void
publish_display(struct ask *ask, const char *type, json_t *data, const json_t *metadata,
                const char *display_id)
{
    json_t *cellpod =
        metadata ? json_pack("{s:O}", "cellpod", metadata) : json_object();
    json_t *transient =
        display_id ? json_pack("{s:s}", "display_id", display_id) : json_object();
    json_auto_t *content = json_pack("{s:o, s:o, s:o}", "data", data, "metadata",
                                     cellpod, "transient", transient);
    AUTO(mem) char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;

    if (text)
        publish(ask->host.publisher, &(struct outgoing){.type = type,
                                                        .parent = ask->cell->header,
                                                        .content = slice_of(text)});
}

/* --- the line of progress --- */

/* A terminal shows each display once and does not know updates. So news for a person (a
 * stage, an attempt) is a new display, which replaces the one before it if the client
 * can clear outputs; a rising count is an update. */
static void
show_line(struct ask *ask, const char *text, const json_t *metadata, bool is_news)
{
    struct ask_cell *cell = ask->cell;
    AUTO(buffer) struct buffer html = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *id = xasprintf("cellpod-ask-%s-%s", ask->host.session, cell->id);
    AUTO(mem) char *plain = xasprintf("cellpod: %s", text);

    if (cell->has_line && is_news)
        publish(ask->host.publisher,
                &(struct outgoing){.type = "clear_output",
                                   .parent = ask->cell->header,
                                   .content = SLICE("{\"wait\":true}")});
    cell->has_line = true;
    buffer_append_text(&html, "<div style=\"white-space: pre-wrap; opacity: 0.7\">");
    append_html(&html, text);
    buffer_append_text(&html, "</div>");
    publish_display(
        ask, is_news ? "display_data" : "update_display_data",
        json_pack("{s:s, s:o}", "text/plain", plain, "text/html", text_of(&html)),
        metadata, id);
}

void
ask_show_progress(struct ask *ask, const struct bridge_progress *progress)
{
    struct ask_cell *cell = ask->cell;
    bool is_news = !cell->has_line || progress->stage != cell->line_stage ||
                   progress->attempt != cell->line_attempt;

    if (progress->stage == BRIDGE_CHECKING) { /* over before anybody has read of it */
        if (cell->has_line)
            show_line(ask, progress->text, NULL, false);
        return;
    }
    cell->line_stage = progress->stage;
    cell->line_attempt = progress->attempt;
    show_line(ask, progress->text, NULL, is_news);
}

static const char *
member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static void
append_count(struct buffer *out, json_int_t count, const char *what)
{
    buffer_printf(out, " \u00b7 %lld %s%s", (long long)count, what,
                  count == 1 ? "" : "s");
}

/* "openai (gpt-x) · 2 attempts · 812 tokens · 1204 ms" */
static void
append_summary(struct buffer *out, const json_t *metadata)
{
    const json_t *tokens = json_object_get(metadata, "tokens");
    json_int_t spent = json_integer_value(json_object_get(tokens, "prompt")) +
                       json_integer_value(json_object_get(tokens, "completion"));
    const char *provider = member(metadata, "provider");
    const char *model = member(metadata, "model");

    buffer_append_text(out, *provider ? provider : "ask");
    if (*model)
        buffer_printf(out, " (%s)", model);
    append_count(out,
                 (json_int_t)json_array_size(json_object_get(metadata, "attempts")),
                 "attempt");
    if (spent)
        append_count(out, spent, "token");
    if (json_is_true(json_object_get(metadata, "cached")))
        buffer_append_text(out, " \u00b7 cached");
    buffer_printf(out, " \u00b7 %lld ms",
                  (long long)json_integer_value(json_object_get(metadata, "ms")));
}

static bool
explains(const struct bridge_answer *answer)
{
    return *answer->said && answer->status != BRIDGE_REFUSED &&
           answer->status != BRIDGE_CANCELLED;
}

void
ask_show_summary(struct ask *ask, const struct bridge_answer *answer)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    const char *warning = member(answer->metadata, "warning");
    const char *chart = member(answer->metadata, "chart");

    append_summary(&text, answer->metadata);
    if (answer->status == BRIDGE_CANCELLED)
        buffer_append_text(&text, " \u00b7 interrupted");
    if (*warning)
        buffer_printf(&text, "\n%s", warning);
    if (*chart)
        buffer_printf(&text, "\nChart: %s", chart);
    if (explains(answer))
        buffer_printf(&text, "\n%s", answer->said);
    show_line(ask, text.data, answer->metadata, true);
}

/* --- the code --- */

/* One more than the longest row of backticks in it, three at least. */
static size_t
fence_length(const char *code)
{
    size_t longest = 2;

    while ((code = strchr(code, '`'))) {
        size_t length = strspn(code, "`");
        if (length > longest)
            longest = length;
        code += length;
    }
    return longest + 1;
}

static void
append_fence(struct buffer *out, size_t length)
{
    while (length--)
        buffer_append_text(out, "`");
}

void
ask_show_code(struct ask *ask, const struct bridge_answer *answer)
{
    AUTO(buffer) struct buffer markdown = BUFFER_INIT(SIZE_MAX);
    size_t fence = fence_length(answer->code);
    size_t len = strlen(answer->code);
    const char *newline = len && answer->code[len - 1] == '\n' ? "" : "\n";

    buffer_append_text(&markdown, answer->status == BRIDGE_ANSWERED
                                      ? "<details><summary>Code</summary>\n\n"
                                      : "<details open><summary>Code</summary>\n\n");
    append_fence(&markdown, fence);
    buffer_printf(&markdown, "python\n%s%s", answer->code, newline);
    append_fence(&markdown, fence);
    buffer_append_text(&markdown, "\n\n</details>");
    publish_display(ask, "display_data",
                    json_pack("{s:s, s:o}", "text/plain", answer->code, "text/markdown",
                              text_of(&markdown)),
                    answer->metadata, NULL);
}

void
ask_show_diff(struct ask *ask, const struct bridge_answer *answer)
{
    AUTO(buffer) struct buffer markdown = BUFFER_INIT(SIZE_MAX);
    size_t fence = fence_length(answer->diff);

    append_fence(&markdown, fence);
    buffer_printf(&markdown, "diff\n%s", answer->diff);
    append_fence(&markdown, fence);
    publish_display(ask, "display_data",
                    json_pack("{s:s, s:o}", "text/plain", answer->diff, "text/markdown",
                              text_of(&markdown)),
                    answer->metadata, NULL);
}

/* --- texts --- */

void
ask_show_text(struct ask *ask, const char *text, const json_t *metadata)
{
    publish_display(ask, "display_data", json_pack("{s:s}", "text/plain", text),
                    metadata, NULL);
}

void
ask_show_printed(struct ask *ask, const char *text)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    json_text_append(&content, json_pack("{s:s, s:o}", "name", "stdout", "text",
                                         json_text_string(slice_of(text))));
    publish(ask->host.publisher, &(struct outgoing){.type = "stream",
                                                    .parent = ask->cell->header,
                                                    .content = buffer_slice(&content)});
}
