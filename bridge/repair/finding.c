#include "bridge/repair/finding.h"

#include "common/limits.h"

enum {
    NAME_MAX_BYTES = 1000
};

static const char *
text_of(const json_t *object, const char *name, size_t max)
{
    const json_t *text = json_object_get(object, name);
    size_t len = json_string_length(text);

    /* A NUL in it would hide the rest. */
    if (!len || len > max || strlen(json_string_value(text)) != len)
        return "";
    return json_string_value(text);
}

static void
read_near(struct finding *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list) && out->nears < FINDING_NEAR; i++) {
        const json_t *name = json_array_get(list, i);
        size_t len = json_string_length(name);
        if (len && len <= NAME_MAX_BYTES && strlen(json_string_value(name)) == len)
            out->near[out->nears++] = json_string_value(name);
    }
}

static bool
is_within_letter(const char *code, size_t at)
{
    return ((unsigned char)code[at] & 0xc0) == 0x80;
}

static bool
read_spots(struct finding *out, const json_t *list)
{
    size_t len = strlen(out->code), before = 0;

    if (json_array_size(list) > FINDING_SPOTS)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        json_int_t start = json_integer_value(json_array_get(pair, 0));
        json_int_t end = json_integer_value(json_array_get(pair, 1));
        if (start < 0 || end <= start || (size_t)end > len || (size_t)start < before ||
            is_within_letter(out->code, (size_t)start) ||
            is_within_letter(out->code, (size_t)end))
            return false;
        before = (size_t)end;
        out->spot[out->spots++] =
            (struct slice){out->code + start, (size_t)(end - start)};
    }
    return true;
}

static long long
count_of(const json_t *object, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(object, name));

    return count > 0 ? (long long)count : 0;
}

static bool
is_true(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

bool
finding_read(struct finding *out, const json_t *failure)
{
    const json_t *finding = json_object_get(failure, "finding");

    *out = (struct finding){
        .code = text_of(failure, "code", LIMIT_REPLY_TEXT),
        .ename = text_of(failure, "ename", NAME_MAX_BYTES),
        .kind = text_of(finding, "kind", NAME_MAX_BYTES),
        .found = text_of(finding, "found", NAME_MAX_BYTES),
        .where = text_of(finding, "where", NAME_MAX_BYTES),
        .is_clear = is_true(finding, "clear"),
        .has_pandas = is_true(failure, "pd"),
        .is_whole = is_true(finding, "whole"),
        .is_day_first = is_true(finding, "day_first"),
        .is_mixed = is_true(finding, "mixed"),
        .is_marked = is_true(finding, "marked"),
        .have = count_of(finding, "have"),
        .want = count_of(finding, "want"),
        .lost = count_of(finding, "lost"),
        .of = count_of(finding, "of"),
    };
    read_near(out, json_object_get(finding, "near"));
    return *out->code && read_spots(out, json_object_get(finding, "spots"));
}
