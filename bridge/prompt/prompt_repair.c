#include "bridge/prompt/prompt.h"
#include "bridge/prompt/redact.h"

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* Longer than any row of backticks in the code. */
static void
append_fence(struct buffer *out, const char *code)
{
    size_t longest = 2;

    while ((code = strchr(code, '`'))) {
        size_t length = strspn(code, "`");
        longest = length > longest ? length : longest;
        code += length;
    }
    for (size_t i = 0; i <= longest; i++)
        buffer_append_text(out, "`");
}

char *
prompt_repair(const json_t *failure, const json_t *names, int level, const char *hint)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    const char *code = text_of(failure, "code");
    json_int_t line = json_integer_value(json_object_get(failure, "line"));

    buffer_append_text(&out, "This cell failed:\n");
    append_fence(&out, code);
    buffer_printf(&out, "python\n%s\n", code);
    append_fence(&out, code);
    buffer_printf(&out, "\n%s: ", text_of(failure, "ename"));
    if (level >= LEVEL_VALUES)
        buffer_append_text(&out, text_of(failure, "evalue"));
    else
        redact_message(&out, text_of(failure, "evalue"), code, names);
    if (line > 0)
        buffer_printf(&out, "\nIt failed in line %lld.", (long long)line);
    if (*hint)
        buffer_printf(&out, "\n%s", hint);
    return TAKE(out.data);
}
