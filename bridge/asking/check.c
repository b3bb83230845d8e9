#include "bridge/asking/check.h"

#include "bridge/prompt/facts.h"
#include "common/limits.h"

enum {
    PROBLEMS_MAX = 8,
    MESSAGE_MAX = 300,
    NEAREST_MAX = 3,
};

static json_t *
names_of(const json_t *profile, bool files)
{
    const json_t *tables = facts_tables(profile);
    json_t *names = json_array();

    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *table = json_array_get(tables, i);
        if (facts_is_file(table) == files)
            json_array_append_new(names, json_string(facts_name(table)));
    }
    return names;
}

char *
check_request(const char *code, const json_t *profile, bool is_repair, bool goes_on)
{
    json_auto_t *content = json_pack(
        "{s:s, s:o, s:o, s:b, s:b}", "code", code, "names", names_of(profile, false),
        "files", names_of(profile, true), "prefix", goes_on, "repair", is_repair);

    return content ? json_dumps(content, JSON_COMPACT) : NULL;
}

/* --- the verdict --- */

static json_t *
short_text(const json_t *string)
{
    const char *text = json_is_string(string) ? json_string_value(string) : "";
    size_t len = strnlen(text, MESSAGE_MAX);

    while (len == MESSAGE_MAX || (len && ((unsigned char)text[len] & 0xc0) == 0x80))
        len--; /* to the start of a character */
    return json_stringn(text, len);
}

static json_t *
nearest_of(const json_t *problem)
{
    const json_t *list = json_object_get(problem, "nearest");
    json_t *out = json_array();

    for (size_t i = 0; i < json_array_size(list) && i < NEAREST_MAX; i++) {
        json_t *name = json_array_get(list, i);
        if (json_is_string(name))
            json_array_append_new(out, short_text(name));
        else if (json_is_number(name))
            json_array_append(out, name);
    }
    return out;
}

static json_t *
problems_of(const json_t *reply)
{
    const json_t *list = json_object_get(reply, "problems");
    json_t *out = json_array();

    for (size_t i = 0; i < json_array_size(list) && i < PROBLEMS_MAX; i++) {
        const json_t *problem = json_array_get(list, i);
        json_array_append_new(
            out, json_pack("{s:o, s:I, s:o, s:o}", "kind",
                           short_text(json_object_get(problem, "kind")), "line",
                           json_integer_value(json_object_get(problem, "line")),
                           "message", short_text(json_object_get(problem, "message")),
                           "nearest", nearest_of(problem)));
    }
    return out;
}

/* Without an answer the code runs: the sandbox, not the check, protects the user. */
void
check_read(struct check_verdict *out, struct slice content, const char *code)
{
    json_auto_t *reply =
        content.len ? json_loadb(content.data, content.len, 0, NULL) : NULL;
    const json_t *changed = json_object_get(reply, "code");
    bool has_code = json_string_length(changed) > 0 &&
                    json_string_length(changed) <= LIMIT_REPLY_TEXT;

    *out = (struct check_verdict){
        .is_ok = !json_is_false(json_object_get(reply, "ok")),
        .code = xstrdup(has_code ? json_string_value(changed) : code),
        .problems = problems_of(reply),
    };
}

void
check_release(struct check_verdict *verdict)
{
    free(verdict->code);
    json_decref(verdict->problems);
}

bool
check_has(const struct check_verdict *verdict, const char *kind)
{
    json_t *problem;
    size_t i;

    json_array_foreach (verdict->problems, i, problem) {
        const char *is = json_string_value(json_object_get(problem, "kind"));
        if (is && strcmp(is, kind) == 0)
            return true;
    }
    return false;
}
