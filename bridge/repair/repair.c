#include "bridge/repair/repair.h"

#include "bridge/planner/words/python.h"
#include "bridge/repair/rules.h"
#include "common/limits.h"

static const char knows[] =
    "The planner repairs a name, column, key, attribute, module or file that is nearly "
    "right, a missing import, numbers and dates kept as text, a text joined to a "
    "number, and lengths that do not match. With a model configured, %fix asks the "
    "model (docs/ask.md).";

/* --- sentences --- */

/* Names are written as literals: nothing in them can pass for a sentence of ours. */
static char *
text_for(struct arena *arena, struct slice mark, const struct finding *finding)
{
    if (slice_equals(mark, SLICE("found")))
        return python_text(arena, finding->found);
    if (slice_equals(mark, SLICE("near")))
        return python_text(arena, finding->nears ? finding->near[0] : "");
    if (slice_equals(mark, SLICE("where")))
        return python_text(arena, finding->where);
    return arena_printf(arena, "%lld",
                        slice_equals(mark, SLICE("have")) ? finding->have
                                                          : finding->want);
}

static void
append_filled(struct buffer *out, struct arena *arena, const char *sentence,
              const struct finding *finding)
{
    while (*sentence) {
        size_t plain = strcspn(sentence, "{"), mark = strcspn(sentence + plain, "}");
        buffer_append(out, sentence, plain);
        sentence += plain;
        if (!*sentence)
            return;
        struct slice name = {sentence + 1, mark - 1};
        buffer_append_text(out, text_for(arena, name, finding));
        sentence += mark + 1;
    }
}

static char *
refusal_of(struct arena *arena, const struct rule *rule, const struct finding *finding)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    if (rule) {
        append_filled(&out, arena, rule->refusal, finding);
        buffer_append_text(&out, ".");
    } else {
        buffer_printf(&out, "This %s is not an error that the planner can repair.",
                      python_is_name(finding->ename) ? finding->ename : "error");
    }
    for (size_t i = 0; rule && rule->needs_near && i < finding->nears; i++)
        buffer_printf(&out, "%s%s%s",
                      i ? ", " : " The nearest: ", python_text(arena, finding->near[i]),
                      i + 1 == finding->nears ? "." : "");
    buffer_printf(&out, "\n%s", knows);
    return TAKE(out.data);
}

static char *
explanation_of(struct arena *arena, const struct rule *rule,
               const struct finding *finding)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    append_filled(&out, arena, rule->said, finding);
    if (finding->lost)
        buffer_printf(&out, " %lld of %lld cannot be read, and count as missing.",
                      finding->lost, finding->of);
    return TAKE(out.data);
}

/* --- code --- */

/* Imports go first, but for those that Python wants before them. */
static size_t
place_of_import(const char *code)
{
    static const char future[] = "from __future__ ";
    size_t place = 0;

    for (const char *line = code; *line;) {
        const char *end = strchr(line, '\n');
        const char *next = end ? end + 1 : line + strlen(line);
        if (strncmp(line, future, strlen(future)) == 0)
            place = (size_t)(next - code);
        line = next;
    }
    return place;
}

static char *
with_import(const char *code, const char *line)
{
    size_t place = place_of_import(code);
    const char *gap = place && code[place - 1] != '\n' ? "\n" : "";

    return xasprintf("%.*s%s%s\n%s", (int)place, code, gap, line, code + place);
}

static char *
changed(struct arena *arena, const struct rule *rule, const struct finding *finding)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(LIMIT_REPLY_TEXT);
    const char *at = finding->code;

    for (size_t i = 0; i < finding->spots; i++) {
        struct slice spot = finding->spot[i];
        struct change change = {0};
        if (!rule->change(arena, finding, spot, &change))
            return NULL;
        struct slice stays = change.instead ? slice_of(change.instead) : spot;
        buffer_append(&out, at, (size_t)(spot.data - at));
        buffer_append_text(&out, change.before ? change.before : "");
        buffer_append(&out, stays.data, stays.len);
        buffer_append_text(&out, change.after ? change.after : "");
        at = spot.data + spot.len;
    }
    if (buffer_append_text(&out, at) < 0)
        return NULL;
    return TAKE(out.data);
}

static bool
may_repair(const struct rule *rule, const struct finding *finding)
{
    return rule && rule->change && finding->spots &&
           (!rule->needs_near || (finding->is_clear && finding->nears));
}

static void
import_name(struct repair *out, const struct finding *finding, const char *line)
{
    out->code = with_import(finding->code, line);
    out->said = xasprintf("%s is used and was not imported.", finding->found);
}

void
repair_make(struct repair *out, const json_t *failure)
{
    AUTO(arena) struct arena arena = {0};
    struct finding finding;

    *out = (struct repair){0};
    if (!finding_read(&finding, failure)) {
        out->refusal = xstrdup("The description of the cell that failed is damaged.");
        return;
    }
    const struct rule *rule = rules_find(finding.kind);
    const char *line = rules_import(finding.found);
    if (line && strcmp(finding.kind, "name") == 0) {
        import_name(out, &finding, line);
        return;
    }
    if (may_repair(rule, &finding))
        out->code = changed(&arena, rule, &finding);
    if (!out->code) {
        out->refusal = refusal_of(&arena, rule, &finding);
        return;
    }
    if (rule->needs_pandas && !finding.has_pandas) {
        char *code = with_import(out->code, rules_import("pd"));
        free(out->code);
        out->code = code;
    }
    out->said = explanation_of(&arena, rule, &finding);
}

void
repair_release(struct repair *repair)
{
    free(repair->code);
    free(repair->said);
    free(repair->refusal);
}

const char *
repair_code(const json_t *failure)
{
    const json_t *code = json_object_get(failure, "code");
    size_t len = json_string_length(code);

    if (!len || len > LIMIT_REPLY_TEXT || strlen(json_string_value(code)) != len)
        return NULL;
    return json_string_value(code);
}
