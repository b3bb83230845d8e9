/* Input: a configuration file, or a flag. What is accepted is accepted again when it is
 * written out; an error is one line. */
#include "common/settings/settings_flags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
check(struct slice text, struct error *err)
{
    json_auto_t *sandbox = settings_parse(text, "sandbox", err);

    return sandbox ? fields_check("sandbox", sandbox, settings_sandbox, err) : -1;
}

static void
try_file(struct slice text)
{
    struct error err = {.text = ""};
    json_error_t at;

    if (check(text, &err) < 0) {
        if (!err.text[0] || strchr(err.text, '\n'))
            abort();
        return;
    }
    json_auto_t *root = json_loadb(text.data, text.len, 0, &at);
    AUTO(mem) char *again = json_dumps(root, JSON_COMPACT);
    if (check(slice_of(again), &err) < 0)
        abort();
}

static void
try_flag(struct slice text)
{
    AUTO(mem) char *word = xstrndup(text.data, text.len);
    char *argv[] = {word, NULL};
    json_auto_t *sandbox = json_object();
    struct error err = {.text = ""};
    int used = 0, taken = settings_flags_take(argv, sandbox, &used, &err);

    if ((taken < 0) != (err.text[0] != '\0') ||
        (taken > 0) != (json_object_size(sandbox) > 0) ||
        fields_check("sandbox", sandbox, settings_sandbox, &err) < 0)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = {(const char *)data, size};

    if (size && data[0] == '-')
        try_flag(text);
    else
        try_file(text);
    return 0;
}
