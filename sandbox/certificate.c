#include "sandbox/certificate.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

static const struct {
    const char *cause, *message;
} our_ends[] = {
    [END_PROTOCOL] = {"protocol",  "The worker was ended, because it broke the sandbox "
                                  "protocol: "               },
    [END_RESTART] = {"restart",   "The worker was restarted."                                },
    [END_INTERRUPT] = {"interrupt", "The worker was ended, because its code did not "
                                    "react to an interrupt."},
};

static const struct {
    int signal;
    const char *meaning;
} meanings[] = {
    {SIGSEGV, "native code used memory that is not its own"},
    {SIGBUS,  "native code used memory that is not there"  },
    {SIGFPE,  "native code divided by zero or the like"    },
    {SIGILL,  "native code met an invalid instruction"     },
    {SIGABRT, "native code gave up"                        },
    {SIGKILL, "most often because memory ran out"          },
    {SIGXCPU, "its processor time was used up"             },
    {SIGTERM, "somebody asked it to end"                   },
};

static const char *
meaning_of(int signal)
{
    for (size_t i = 0; i < COUNT_OF(meanings); i++)
        if (meanings[i].signal == signal)
            return meanings[i].meaning;
    return "a signal that it does not handle";
}

/* Killed when all but a sixteenth of its allowance was in use: that was the reason. */
static bool
died_of_memory(const struct worker_death *death)
{
    return death->memory_limit && WIFSIGNALED(death->status) &&
           WTERMSIG(death->status) == SIGKILL &&
           death->peak_bytes >= death->memory_limit - death->memory_limit / 16;
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
describe(const struct worker_death *death, char *text, size_t size)
{
    int signal = WIFSIGNALED(death->status) ? WTERMSIG(death->status) : 0;

    if (!signal)
        snprintf(text, size, "The worker ended by itself, with exit code %d.",
                 WEXITSTATUS(death->status));
    else if (died_of_memory(death))
        snprintf(text, size, "The worker was killed for memory, at %.2f of %.2f GiB.",
                 (double)death->peak_bytes / (1 << 30),
                 (double)death->memory_limit / (1 << 30));
    else if (signal == SIGSYS)
        snprintf(text, size,
                 "The worker was killed for a system call that the sandbox "
                 "does not allow.");
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
    if (death->peak_bytes)
        json_object_set_new(certificate, "peak_bytes",
                            json_integer((json_int_t)death->peak_bytes));
}

json_t *
certificate_make(const struct worker_death *death)
{
    char text[768];
    const char *cause = cause_of(death);

    if (death->end == END_NONE) {
        describe(death, text, sizeof(text));
    } else {
        cause = our_ends[death->end].cause;
        snprintf(text, sizeof(text), "%s%s%s", our_ends[death->end].message,
                 death->end == END_PROTOCOL ? death->violation : "",
                 death->end == END_PROTOCOL ? "." : "");
    }
    json_t *certificate = json_pack("{s:s, s:s}", "cause", cause, "message", text);
    add_status(certificate, death);
    return certificate;
}
