/* Input: what a worker says of its variables. What is accepted can be shown, and makes
 * an exit report on one line. */
#include <signal.h>

#include "common/limits.h"
#include "sandbox/messages/worker_message.h"
#include "sandbox/running/exit_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_plain(const char *text)
{
    while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
        text++;
    return !*text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {.text = ""};
    json_auto_t *variables =
        worker_message_parse_variables((struct slice){(const char *)data, size}, &err);

    if (!variables) {
        if (!err.text[0] || !is_plain(err.text))
            abort();
        return 0;
    }
    const struct worker_death death = {.status = SIGKILL, .variables = variables};
    json_auto_t *report = exit_report_make(&death);
    const char *gone = json_string_value(json_object_get(report, "gone"));
    if (json_array_size(json_object_get(variables, "largest")) > LIMIT_VARIABLES ||
        (gone && !is_plain(gone)))
        abort();
    return 0;
}
