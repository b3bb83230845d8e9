/* cellpod run: code in a fresh sandbox, as if by python. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/outcome.h"
#include "cli/sandbox_use.h"
#include "common/limits.h"
#include "common/settings/settings_flags.h"

#define SET_UP "set-up"
#define RUN    "run"

struct run {
    struct sandbox_use use;
    struct outcome outcome;
    const char *name; /* as sys.argv[0] has it */
    char **words;     /* further arguments */
    json_t *flags;    /* owned; the section "sandbox" */
    struct buffer code;
    bool is_code_given;
    int signals; /* SIGINT, by descriptor */
};

static void
auto_run(struct run *run)
{
    sandbox_use_end(&run->use);
    buffer_release(&run->code);
    json_decref(run->flags);
    auto_fd(&run->signals);
}

static int
read_all(int file, const char *name, struct buffer *out, struct error *err)
{
    for (;;) {
        char *room = buffer_reserve(out, KIB(64));
        if (!room)
            return error_set(err, ERR_TOO_LARGE,
                             "%s is not a program: it is larger than %zu MiB", name,
                             out->max >> 20);
        ssize_t got = read(file, room, KIB(64));
        if (got < 0)
            return error_sys(err, "read %s", name);
        if (got == 0)
            return 0;
        buffer_advance(out, (size_t)got);
    }
}

static int
read_program(struct run *run, struct error *err)
{
    if (run->is_code_given)
        return 0;
    if (strcmp(run->name, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", &run->code, err);
    AUTO(fd) int file = open(run->name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_sys(err, "read %s", run->name);
    return read_all(file, run->name, &run->code, err);
}

/* sys.argv and __file__; and IPython's advice on how to leave it is not for here.
 * JSON's strings are Python's, as long as nothing is escaped as a surrogate pair. */
static char *
set_up_code(const struct run *run)
{
    json_auto_t *words = json_array();

    json_array_append_new(words, json_string(run->name));
    for (char **word = run->words; *word; word++)
        json_array_append_new(words, json_string(*word));
    AUTO(mem) char *list = json_dumps(words, JSON_COMPACT);
    AUTO(mem) char *name = json_dumps(json_array_get(words, 0), JSON_ENCODE_ANY);
    return xasprintf("import sys as _sys, warnings as _warnings\n"
                     "_sys.argv = %s\n"
                     "_warnings.filterwarnings('ignore', 'To exit: use')\n"
                     "del _sys, _warnings\n"
                     "%s%s\n",
                     list, run->is_code_given ? "" : "__file__ = ",
                     run->is_code_given || !name ? "" : name);
}

static void
give_input(struct run *run)
{
    AUTO(mem) char *line = NULL;
    size_t size = 0;
    struct error err;

    fflush(stdout);
    ssize_t len = getline(&line, &size, stdin);
    if (len > 0 && line[len - 1] == '\n')
        line[len - 1] = '\0';
    /* The protocol cannot say that the input has ended, so the cell is interrupted: it
     * must not wait. */
    if ((len < 0 ? sandbox_use_interrupt(&run->use, &err)
                 : sandbox_use_answer(&run->use, line, &err)) < 0)
        command_fail(&err);
}

static void
ask(struct run *run, struct slice text)
{
    json_auto_t *content = json_loadb(text.data, text.len, 0, NULL);
    const char *prompt = json_string_value(json_object_get(content, "prompt"));

    fputs(prompt ? prompt : "", stdout);
    give_input(run);
}

static enum daemon_watch
on_event(const struct envelope *event, void *context)
{
    struct run *run = context;
    struct outcome *outcome = &run->outcome;

    if (strcmp(event->type, "sandbox_failed") == 0) {
        outcome_take_refusal(outcome, event->content);
        return DAEMON_ENOUGH;
    }
    if (strcmp(event->type, "sandbox_ended") == 0) {
        outcome_take_end(outcome, event->content);
        return DAEMON_ENOUGH;
    }
    if (strcmp(event->type, "worker_exited") == 0) {
        outcome_take_death(outcome, event->content);
        return DAEMON_ENOUGH;
    }
    if (strcmp(event->type, "input_request") == 0)
        ask(run, event->content);
    if (strcmp(event->type, "execute_reply") != 0) {
        outcome_show(outcome, event);
        return DAEMON_GO_ON;
    }
    outcome_take_reply(outcome, event->content);
    return strcmp(event->parent, RUN) == 0 || outcome->status ? DAEMON_ENOUGH
                                                              : DAEMON_GO_ON;
}

static void
on_signal(void *context)
{
    struct run *run = context;
    struct signalfd_siginfo info;
    struct error err;

    if (read(run->signals, &info, sizeof(info)) == sizeof(info) &&
        sandbox_use_interrupt(&run->use, &err) < 0)
        command_fail(&err);
}

static int
take_signals(struct run *run, struct error *err)
{
    sigset_t interrupt;

    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, NULL);
    run->signals = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
    return run->signals < 0 ? error_sys(err, "set up signal handling") : 0;
}

static int
prepare(struct run *run, struct error *err)
{
    if (run->outcome.folder && mkdir(run->outcome.folder, 0777) < 0 && errno != EEXIST)
        return error_sys(err, "make %s", run->outcome.folder);
    if (read_program(run, err) < 0)
        return -1;
    if (run->code.data && strlen(run->code.data) != run->code.len)
        return error_set(err, ERR_BAD_INPUT, "source code cannot contain NUL bytes");
    return take_signals(run, err);
}

static int
hand_over(struct run *run, struct error *err)
{
    AUTO(mem) char *set_up = set_up_code(run);
    const char *code = run->code.data ? run->code.data : "";

    if (sandbox_use_execute(&run->use, SET_UP, set_up, err) == 0 &&
        sandbox_use_execute(&run->use, RUN, code, err) == 0)
        return 0;
    return err->kind == ERR_CONFLICT ? 0 : -1; /* an event says why it has failed */
}

static int
go(struct run *run, struct error *err)
{
    struct daemon_watcher watcher = {.on_event = on_event,
                                     .on_readable = on_signal,
                                     .fd = run->signals,
                                     .context = run};

    if (sandbox_use_claim(&run->use, run->flags, err) < 0)
        return -1;
    if (run->use.notice)
        fputs(run->use.notice, stderr);
    if (hand_over(run, err) < 0)
        return -1;
    return sandbox_use_watch(&run->use, &watcher, err);
}

/* One option in front of the program; *used says how many words it took. */
static int
parse_option(struct run *run, char **at, int *used)
{
    struct error err;

    *used = 2;
    if (strcmp(*at, "--out") == 0) {
        run->outcome.folder = at[1];
        return at[1] ? EXIT_FINE : command_misused("run: --out needs a folder");
    }
    switch (settings_flags_take(at, run->flags, used, &err)) {
    case 0:
        return command_misused("run: unknown option `%.60s'", *at);
    case 1:
        return EXIT_FINE;
    }
    return command_misused("run: %s", err.text);
}

static int
parse_arguments(struct run *run, char **arguments)
{
    char **at = arguments + 1;

    for (int used; *at && (*at)[0] == '-' && (*at)[1] && strcmp(*at, "-c") != 0;
         at += used) {
        int misused = parse_option(run, at, &used);
        if (misused)
            return misused;
    }
    run->is_code_given = *at && strcmp(*at, "-c") == 0;
    if (!*at || (run->is_code_given && !at[1]))
        return command_misused("run: give FILE or -c CODE");
    run->name = *at;
    if (run->is_code_given)
        buffer_append_text(&run->code, *++at);
    run->words = at + 1;
    return EXIT_FINE;
}

int
command_run(char **arguments)
{
    AUTO(run) struct run run = {.use = SANDBOX_USE_INIT,
                                .flags = json_object(),
                                .code = BUFFER_INIT(MIB(64)),
                                .signals = -1};
    struct error err;
    int misused = parse_arguments(&run, arguments);

    if (misused)
        return misused;
    if (prepare(&run, &err) < 0 || go(&run, &err) < 0)
        return command_fail(&err);
    return run.outcome.status;
}
