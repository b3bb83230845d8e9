#include "sandbox/running/exit_report.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "common/buffer.h"

static const char *const causes[] = {
    [END_PROTOCOL] = "protocol", [END_RESTART] = "restart",
    [END_MEMORY] = "memory",     [END_TIME] = "time",
    [END_WRITES] = "writes",     [END_INTERRUPT] = "interrupt",
    [END_UNHEARD] = "interrupt", [END_UNDONE] = "attempt",
    [END_RESTORED] = "restored",
};

/* What follows "The worker" or "The attempt". */
static const char *const messages[] = {
    [END_PROTOCOL] = "was stopped because it broke the sandbox protocol: ",
    [END_RESTART] = "was restarted.",
    [END_MEMORY] = "",
    [END_TIME] = "was stopped because its cell kept running after its time limit "
                 "(resources.cell_seconds).",
    [END_WRITES] = "was stopped because its cell kept writing after its limit "
                   "(resources.cell_write_mb).",
    [END_INTERRUPT] = "was stopped because its code did not react to an interrupt.",
    [END_UNHEARD] = "was stopped because its code kept running after an interrupt.",
    [END_UNDONE] = "was stopped to undo an attempt, but the copy that was to take over "
                   "had ended already.",
    [END_RESTORED] =
        "was ended to go back to a checkpoint, but that had ended already.",
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

static const char *
subject_of(const struct worker_death *death)
{
    return death->was_attempt ? "The attempt" : "The worker";
}

static void
describe_memory(const struct worker_death *death, char *text, size_t size)
{
    snprintf(text, size,
             "%s was killed for memory, at %.2f of %.2f GiB: it asked for more "
             "than there is, and could not be stopped in time.",
             subject_of(death), (double)death->memory.peak / (1 << 30),
             (double)death->memory.limit / (1 << 30));
}

static void
describe(const struct worker_death *death, char *text, size_t size)
{
    int signal = WIFSIGNALED(death->status) ? WTERMSIG(death->status) : 0;

    if (!signal)
        snprintf(text, size, "%s ended by itself, with exit code %d.",
                 subject_of(death), WEXITSTATUS(death->status));
    else if (died_of_memory(death))
        describe_memory(death, text, size);
    else if (signal == SIGSYS)
        snprintf(text, size,
                 "%s was killed for a system call that the sandbox does not "
                 "allow: %s.",
                 subject_of(death),
                 death->refused_call && *death->refused_call ? death->refused_call
                                                             : "its name is not known");
    else
        snprintf(text, size, "%s was killed by SIG%s: %s.", subject_of(death),
                 sigabbrev_np(signal) ? sigabbrev_np(signal) : "?", meaning_of(signal));
}

static void
add_status(json_t *report, const struct worker_death *death)
{
    char name[32];

    if (WIFSIGNALED(death->status)) {
        const char *abbreviation = sigabbrev_np(WTERMSIG(death->status));
        snprintf(name, sizeof(name), "SIG%s", abbreviation ? abbreviation : "?");
        json_object_set_new(report, "signal", json_string(name));
    } else {
        json_object_set_new(report, "exit_code",
                            json_integer(WEXITSTATUS(death->status)));
    }
    uint64_t peak = died_of_memory(death) ? death->memory.peak : death->peak_bytes;
    if (peak)
        json_object_set_new(report, "peak_bytes", json_integer((json_int_t)peak));
    if (died_of_memory(death))
        json_object_set_new(report, "limit_bytes",
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
add_loss(json_t *report, const json_t *variables)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    json_int_t count = json_integer_value(json_object_get(variables, "count"));
    const json_t *largest = json_object_get(variables, "largest");

    if (!variables || !count)
        return;
    json_object_set(report, "variables", (json_t *)largest);
    buffer_printf(&text, "Its %lld variables are lost", (long long)count);
    if (json_array_size(largest))
        append_largest(&text, largest);
    buffer_append_text(&text, ".");
    json_object_set_new(report, "gone", json_string(text.data));
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
        snprintf(text, sizeof(text), "%s %s%s%s", subject_of(death),
                 messages[death->end],
                 death->end == END_PROTOCOL ? death->violation : "",
                 death->end == END_PROTOCOL ? "." : "");
    }
    json_t *report = json_pack("{s:s, s:s}", "cause", cause, "message", text);
    add_status(report, death);
    if (death->refused_call && *death->refused_call && strcmp(cause, "syscall") == 0)
        json_object_set_new(report, "syscall", json_string(death->refused_call));
    add_loss(report, death->variables);
    return report;
}
