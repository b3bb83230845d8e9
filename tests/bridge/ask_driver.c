/*
 * ask_driver: the bridge without a kernel. Commands are JSON lines on stdin, what the
 * bridge does comes as JSON lines on stdout; what a sandbox would answer is scripted.
 *
 *     {"ask": CELL, "profile": {…}, "earlier": […], "check": true}
 *     {"checked": {…}}   {"ran": {"ename": …, "evalue": …, "traceback": […], "showed":
 * true}}
 *     {"show": CELL, "profile": {…}}   {"models": true}
 *     {"cancel": true}   {"advance": MS}   {"quit": true}
 *
 * ask_driver [--virtual] [--config PATH] [--planner ANSWER.json]
 */
#include <czmq.h>
#include <stdio.h>

#include "bridge/bridge.h"
#include "common/buffer.h"

struct driver {
    zloop_t *loop;
    struct bridge *bridge;
    struct bridge_ask *ask;
    struct buffer input;
    bool is_done;
};

static json_t *planner_answer;

/* --- what the bridge says --- */

static void
say(json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);

    if (!text)
        abort();
    puts(text);
    fflush(stdout);
    free(text);
    json_decref(line);
}

static void
on_progress(const struct bridge_progress *progress, void *context UNUSED)
{
    static const char *const stages[] = {"asking", "waiting", "checking", "running"};

    say(json_pack("{s:s, s:s, s:i, s:i}", "progress", progress->text, "stage",
                  stages[progress->stage], "attempt", progress->attempt, "attempts",
                  progress->attempts));
}

static void
on_check(const char *content, void *context UNUSED)
{
    say(json_pack("{s:o}", "check", json_loads(content, 0, NULL)));
}

static void
on_run(const struct bridge_run *run, void *context UNUSED)
{
    say(json_pack("{s:s, s:i, s:i}", "run", run->code, "attempt", run->attempt,
                  "attempts", run->attempts));
}

static void
on_finished(const struct bridge_answer *answer, void *context)
{
    static const char *const names[] = {"answered", "code", "refused", "failed",
                                        "cancelled"};
    struct driver *driver = context;

    driver->ask = NULL;
    say(json_pack("{s:s, s:s, s:s, s:s?, s:s, s:O, s:I}", "finished",
                  names[answer->status], "message", answer->message, "failure",
                  answer->failure, "code", answer->code, "said", answer->said,
                  "metadata", answer->metadata, "now_ms",
                  (json_int_t)bridge_now_ms(driver->bridge)));
}

static void
on_models(const char *text, void *context UNUSED)
{
    say(json_pack("{s:s}", "models", text));
}

/* --- what the test says --- */

static int
parse_cell(const json_t *cell, struct magic *magic)
{
    struct error err;

    if (magic_parse(magic, json_string_value(cell), &err) == 0)
        return 0;
    say(json_pack("{s:s}", "magic_error", err.text));
    return -1;
}

static void
do_ask(struct driver *driver, const json_t *command, const json_t *cell)
{
    AUTO(magic) struct magic magic = {0};
    const struct bridge_events events = {
        .progress = on_progress,
        .check = json_is_true(json_object_get(command, "check")) ? on_check : NULL,
        .run = on_run,
        .finished = on_finished,
        .context = driver,
    };

    if (parse_cell(cell, &magic) < 0)
        return;
    const struct bridge_question question = {
        .magic = &magic,
        .profile = json_object_get(command, "profile"),
        .earlier = json_object_get(command, "earlier"),
    };
    driver->ask = bridge_ask(driver->bridge, &question, &events);
}

static void
do_show(struct driver *driver, const json_t *command, const json_t *cell)
{
    AUTO(magic) struct magic magic = {0};
    struct error err;

    if (parse_cell(cell, &magic) < 0)
        return;
    const struct bridge_question question = {
        .magic = &magic,
        .profile = json_object_get(command, "profile"),
        .earlier = json_object_get(command, "earlier"),
    };
    char *text = bridge_show(driver->bridge, &question, &err);
    say(json_pack("{s:s}", text ? "show" : "error", text ? text : err.text));
    free(text);
}

static void
do_checked(struct driver *driver, const json_t *command UNUSED, const json_t *content)
{
    char *text = json_dumps(content, 0);

    bridge_ask_checked(driver->ask, slice_of(text));
    free(text);
}

static void
do_ran(struct driver *driver, const json_t *command UNUSED, const json_t *content)
{
    const struct bridge_ran ran = {
        .ename = json_string_value(json_object_get(content, "ename")),
        .evalue = json_string_value(json_object_get(content, "evalue")),
        .traceback = json_object_get(content, "traceback"),
        .printed = json_string_value(json_object_get(content, "printed")),
        .death = json_string_value(json_object_get(content, "death")),
        .showed = json_is_true(json_object_get(content, "showed")),
    };

    bool stays = bridge_ask_ran(driver->ask, &ran);
    say(json_pack("{s:b}", "stays", stays));
}

static void
do_models(struct driver *driver, const json_t *command UNUSED,
          const json_t *value UNUSED)
{
    bridge_models(driver->bridge, on_models, driver);
}

static void
do_cancel(struct driver *driver, const json_t *command UNUSED,
          const json_t *value UNUSED)
{
    int64_t before = zclock_usecs();

    if (driver->ask)
        bridge_ask_cancel(driver->ask);
    say(json_pack("{s:I}", "cancelled_us", (json_int_t)(zclock_usecs() - before)));
}

static void
do_advance(struct driver *driver, const json_t *command UNUSED, const json_t *ms)
{
    bridge_advance(driver->bridge, json_integer_value(ms));
}

static void
do_quit(struct driver *driver, const json_t *command UNUSED, const json_t *value UNUSED)
{
    driver->is_done = true;
}

static const struct {
    const char *name;
    void (*run)(struct driver *driver, const json_t *command, const json_t *value);
} commands[] = {
    {"ask",     do_ask    },
    {"show",    do_show   },
    {"checked", do_checked},
    {"ran",     do_ran    },
    {"models",  do_models },
    {"cancel",  do_cancel },
    {"advance", do_advance},
    {"quit",    do_quit   },
};

static void
obey(struct driver *driver, const char *line)
{
    json_auto_t *command = json_loads(line, 0, NULL);

    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        const json_t *value = json_object_get(command, commands[i].name);
        if (value) {
            commands[i].run(driver, command, value);
            return;
        }
    }
    say(json_pack("{s:s}", "error", "no such command"));
}

static int
on_input(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    struct driver *driver = context;
    char bytes[65536];
    ssize_t len = read(item->fd, bytes, sizeof(bytes));
    char *end;

    if (len <= 0)
        return -1;
    buffer_append(&driver->input, bytes, (size_t)len);
    while (!driver->is_done && driver->input.len &&
           (end = memchr(driver->input.data, '\n', driver->input.len))) {
        AUTO(mem) char *line = xstrndup(driver->input.data, (size_t)(end - driver->input.data));
        buffer_consume(&driver->input, strlen(line) + 1);
        obey(driver, line);
    }
    return driver->is_done ? -1 : 0;
}

static char *
text_of(const char *key)
{
    const char *text = json_string_value(json_object_get(planner_answer, key));

    return text ? xstrdup(text) : NULL;
}

/* Stands in for the planner: always the same answer. */
static int
plan(const struct local_request *request UNUSED, struct local_answer *answer,
     struct error *err UNUSED)
{
    *answer = (struct local_answer){
        .code = text_of("code"),
        .said = text_of("said"),
        .refusal = text_of("refusal"),
        .plan = json_incref(json_object_get(planner_answer, "plan")),
    };
    return 0;
}

int
main(int argc, char **argv)
{
    struct driver driver = {.input = BUFFER_INIT(SIZE_MAX)};
    struct bridge_spec spec = {0};
    zmq_pollitem_t item = {.fd = STDIN_FILENO, .events = ZMQ_POLLIN};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--virtual") == 0)
            spec.virtual_clock = true;
        else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
            spec.config_path = argv[++i];
        else if (strcmp(argv[i], "--planner") == 0 && i + 1 < argc)
            planner_answer = json_load_file(argv[++i], 0, NULL);
    }
    zsys_handler_set(NULL);
    driver.loop = spec.loop = zloop_new();
    spec.planner = planner_answer ? plan : NULL;
    driver.bridge = bridge_new(&spec);
    zloop_poller(driver.loop, &item, on_input, &driver);
    zloop_poller_set_tolerant(driver.loop, &item); /* the end of a pipe is one */
    zloop_start(driver.loop);
    bridge_free(driver.bridge);
    zloop_destroy(&driver.loop);
    buffer_release(&driver.input);
    json_decref(planner_answer);
    return 0;
}

