#include "sandbox/life/exit_report.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "common/buffer.h"

static const char *const causes[] = {
    [END_PROTOCOL] = "protocol", [END_RESTART] = "restart",
    [END_MEMORY] = "memory",     [END_TIME] = "time",
    [END_WRITES] = "writes",     [END_INTERRUPT] = "interrupt",
};

static const char *const messages[] = {
    [END_PROTOCOL] = "The worker was stopped because it broke the sandbox protocol: ",
    [END_RESTART] = "The worker was restarted.",
    [END_MEMORY] = "",
    [END_TIME] = "The worker was stopped because its cell kept running after its time "
                 "limit (resources.cell_seconds).",
    [END_WRITES] = "The worker was stopped because its cell kept writing after its "
                   "limit (resources.cell_write_mb).",
    [END_INTERRUPT] = "The worker was stopped because its code did not react to an "
                      "interrupt.",
};

static const struct {
    int signal;
    const char *meaning;
} meanings[] = {
    {SIGSEGV, "native code accessed memory that it does not own"              },
    {SIGBUS,  "native code accessed memory that does not exist"               },
    {SIGFPE,  "an arithmetic error in native code, such as a division by zero"},
    {SIGILL,  "native code ran an invalid instruction"                        },
    {SIGABRT, "native code aborted"                                           },
    {SIGKILL, "most often because memory ran out"                             },
    {SIGXCPU, "its processor time was used up"                                },
    {SIGTERM, "another process asked it to end"                               },
};

static const char *
meaning_of(int signal)
{
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if (meanings[i].signal == signal)
            return meanings[i].meaning;
    return "a signal that it does not handle";
}

/* By us, or by the kernel in our name. */
static bool
died_of_memory(const struct worker_death *death)
{
    return death->end == END_MEMORY ||
           (death->end == END_NONE && death->memory.is_cause &&
            WIFSIGNALED(death->status) && WTERMSIG(death->status) == SIGKILL);
}

static const char *
cause_of(const struct worker_death *death)
{
    if (!WIFSIGNALED(death->status))
        return "exit";
    if (WTERMSIG(death->status) == SIGSYS)
        return "syscall";
    return died_of_memory(death) ? "memory" : "signal";
}

static void
describe_memory(const struct memory_verdict *memory, char *text, size_t size)
{
    snprintf(text, size,
             "The worker was killed for memory, at %.2f of %.2f GiB: it asked for more "
             "than there is, and could not be stopped in time.",
             (double)memory->peak / (1 << 30), (double)memory->limit / (1 << 30));
}

static void
describe(const struct worker_death *death, char *text, size_t size)
{
    int signal = WIFSIGNALED(death->status) ? WTERMSIG(death->status) : 0;

    if (!signal)
        snprintf(text, size, "The worker ended by itself, with exit code %d.",
                 WEXITSTATUS(death->status));
    else if (died_of_memory(death))
        describe_memory(&death->memory, text, size);
    else if (signal == SIGSYS)
        snprintf(text, size,
                 "The worker was killed for a system call that the sandbox does not "
                 "allow: %s.",
                 death->refused_call && *death->refused_call ? death->refused_call
                                                             : "its name is not known");
    else
        snprintf(text, size, "The worker was killed by SIG%s: %s.",
                 sigabbrev_np(signal) ? sigabbrev_np(signal) : "?", meaning_of(signal));
}

static void
add_status(json_t *certificate, const struct worker_death *death)
{
    char name[32];

    if (WIFSIGNALED(death->status)) {
        const char *abbreviation = sigabbrev_np(WTERMSIG(death->status));
        snprintf(name, sizeof(name), "SIG%s", abbreviation ? abbreviation : "?");
        json_object_set_new(certificate, "signal", json_string(name));
    } else {
        json_object_set_new(certificate, "exit_code",
                            json_integer(WEXITSTATUS(death->status)));
    }
    uint64_t peak = died_of_memory(death) ? death->memory.peak : death->peak_bytes;
    if (peak)
        json_object_set_new(certificate, "peak_bytes", json_integer((json_int_t)peak));
    if (died_of_memory(death))
        json_object_set_new(certificate, "limit_bytes",
                            json_integer((json_int_t)death->memory.limit));
}

/* --- what is gone --- */

static void
append_size(struct buffer *out, double bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    for (bytes /= 1024; bytes >= 1024 && unit + 1 < COUNT_OF(units); unit++)
        bytes /= 1024;
    buffer_printf(out, "%.*f %s", bytes < 10 ? 1 : 0, bytes, units[unit]);
}

static void
append_largest(struct buffer *out, const json_t *largest)
{
    size_t index, count = json_array_size(largest);
    json_t *variable;

    buffer_append_text(out, "; at the last check, the largest were ");
    json_array_foreach ((json_t *)largest, index, variable) {
        buffer_printf(out, "%s%s (%s, ",
                      index == 0          ? ""
                      : index + 1 < count ? ", "
                                          : " and ",
                      json_string_value(json_object_get(variable, "name")),
                      json_string_value(json_object_get(variable, "type")));
        append_size(out, json_number_value(json_object_get(variable, "bytes")));
        buffer_append_text(out, ")");
    }
}

/* A sentence, where something is known. */
static void
add_loss(json_t *certificate, const json_t *variables)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    json_int_t count = json_integer_value(json_object_get(variables, "count"));
    const json_t *largest = json_object_get(variables, "largest");

    if (!variables || !count)
        return;
    json_object_set(certificate, "variables", (json_t *)largest);
    buffer_printf(&text, "Its %lld variables are lost", (long long)count);
    if (json_array_size(largest))
        append_largest(&text, largest);
    buffer_append_text(&text, ".");
    json_object_set_new(certificate, "gone", json_string(text.data));
}

json_t *
exit_report_make(const struct worker_death *death)
{
    char text[768];
    const char *cause = cause_of(death);

    if (death->end == END_NONE || death->end == END_MEMORY) {
        describe(death, text, sizeof(text));
    } else {
        cause = causes[death->end];
        snprintf(text, sizeof(text), "%s%s%s", messages[death->end],
                 death->end == END_PROTOCOL ? death->violation : "",
                 death->end == END_PROTOCOL ? "." : "");
    }
    json_t *certificate = json_pack("{s:s, s:s}", "cause", cause, "message", text);
    add_status(certificate, death);
    if (death->refused_call && *death->refused_call && strcmp(cause, "syscall") == 0)
        json_object_set_new(certificate, "syscall", json_string(death->refused_call));
    add_loss(certificate, death->variables);
    return certificate;
}
