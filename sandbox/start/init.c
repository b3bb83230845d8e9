#include "sandbox/start/init.h"

#include "sandbox/resources/process.h"
#include "sandbox/start/packet.h"
#include "sandbox/start/zygote.h"

#define LOG_COMPONENT "init"
#include "common/log.h"

enum {
    LAST_WORDS = 1000
}; /* packets that are read of a dead init, at most */

struct init {
    struct loop *loop;
    struct init_ops ops;
    int socket, pidfd;
    pid_t pid;
    struct loop_watch speech;
    struct process_watch process;
    bool is_ready, has_failed, is_mute; /* mute: its messages are ignored from now on */
    json_int_t worker;                  /* the pid inside of the one that lives, or 0 */
};

static void
mute(struct init *init)
{
    init->is_mute = true;
    loop_watch_stop(init->loop, &init->speech);
    process_kill(init->pidfd);
}

void
init_kill(struct init *init)
{
    mute(init);
}

pid_t
init_pid(const struct init *init)
{
    return init->pid;
}

/* --- what it says --- */

static const char *
text_of(const struct packet *packet, const char *name)
{
    return json_string_value(json_object_get(packet->json, name));
}

static int
hear_ready(struct init *init, struct packet *packet)
{
    if (init->is_ready || init->has_failed)
        return -1;
    init->is_ready = true;
    const struct init_passed passed = {packet_take_fd(packet, 0),
                                       packet_take_fd(packet, 1),
                                       packet_take_fd(packet, 2)};
    init->ops.on_ready(init->ops.context, &passed, text_of(packet, "notice"));
    return 0;
}

static int
hear_failed(struct init *init, struct packet *packet)
{
    if (init->is_ready || init->has_failed)
        return -1;
    init->has_failed = true;
    json_auto_t *failure =
        zygote_failure("isolation", text_of(packet, "layer"),
                       text_of(packet, "message"), text_of(packet, "remedy"));
    log_error("failed step=%s", text_of(packet, "step") ? text_of(packet, "step") : "");
    init->ops.on_failed(init->ops.context, failure);
    return 0;
}

/* An init could hand us a descriptor of anybody whom it can name, ourselves included:
 * we made its socket. A worker that was reaped already has one without a process:
 * *pidfd is -1 then. */
static int
take_worker(struct init *init, struct packet *packet, int *pidfd)
{
    json_int_t pid = json_integer_value(json_object_get(packet->json, "pid"));
    AUTO(fd) int passed = packet_take_fd(packet, 0);

    if (!init->is_ready || pid <= 1 || passed < 0)
        return -1;
    if (process_pid(passed) < 0)
        close(take_fd(&passed));
    else if (!process_is_child(passed, init->pid))
        return -1;
    init->worker = pid;
    *pidfd = take_fd(&passed);
    return 0;
}

static int
hear_started(struct init *init, struct packet *packet)
{
    int pidfd;

    if (init->worker || take_worker(init, packet, &pidfd) < 0)
        return -1;
    init->ops.on_started(init->ops.context, pidfd);
    return 0;
}

/* Hostile: it is shown to the user. */
static bool
is_call_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return !name[len] && len < 40;
}

static int
parse_exit(const struct packet *packet, struct init_exit *exit)
{
    json_int_t status = json_integer_value(json_object_get(packet->json, "status"));
    const char *call = text_of(packet, "syscall");
    json_int_t peak_kb = json_integer_value(json_object_get(packet->json, "peak_kb"));

    if (status < 0 || status > 0xFFFF || peak_kb < 0 || peak_kb > INT32_MAX ||
        (call && !is_call_name(call)))
        return -1;
    *exit = (struct init_exit){(int)status, (uint64_t)peak_kb << 10, call ? call : ""};
    return 0;
}

static int
hear_exited(struct init *init, struct packet *packet)
{
    json_int_t pid = json_integer_value(json_object_get(packet->json, "pid"));
    struct init_exit exit;

    if (!init->worker || pid != init->worker || parse_exit(packet, &exit) < 0)
        return -1;
    init->worker = 0;
    init->ops.on_exited(init->ops.context, &exit);
    return 0;
}

static int
hear_succeeded(struct init *init, struct packet *packet)
{
    struct init_exit exit;
    int pidfd;

    if (!init->worker || parse_exit(packet, &exit) < 0 ||
        take_worker(init, packet, &pidfd) < 0)
        return -1;
    return init->ops.on_succeeded(init->ops.context, pidfd, &exit) ? 0 : -1;
}

static int
hear(struct init *init, struct packet *packet)
{
    static const struct {
        const char *type;
        int (*hear)(struct init *init, struct packet *packet);
    } types[] = {
        {"ready",     hear_ready    },
        {"failed",    hear_failed   },
        {"started",   hear_started  },
        {"succeeded", hear_succeeded},
        {"exited",    hear_exited   },
    };

    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(types[i].type, packet->type) == 0)
            return types[i].hear(init, packet);
    return -1;
}

/* We had no room for the descriptors that it passed: not its fault, but it ends all the
 * same. */
static void
tell_unheard(struct init *init, const struct error *err)
{
    if (err->kind != ERR_SYSTEM || init->is_ready || init->has_failed)
        return;
    init->has_failed = true;
    json_auto_t *failure = zygote_failure("system", "", err->text, "");
    init->ops.on_failed(init->ops.context, failure);
}

/* Returns false when there is nothing more to read, now or ever. */
static bool
listen_once(struct init *init)
{
    AUTO(packet) struct packet packet = PACKET_INIT;
    struct error err = {.kind = ERR_BAD_INPUT,
                        .text = "it sent a message that it may not send"};
    int got = packet_receive(init->socket, &packet, &err);

    if (got == 0)
        return false;
    if (got < 0 || hear(init, &packet) < 0) {
        log_info("pid=%d: %s", (int)init->pid, err.text);
        mute(init);
        tell_unheard(init, &err);
    }
    return !init->is_mute;
}

static void
on_speech(void *context, uint32_t events UNUSED)
{
    listen_once(context);
}

static void
on_process_ended(void *context)
{
    struct init *init = context;
    int left = LAST_WORDS;

    while (!init->is_mute && left-- > 0 && listen_once(init))
        continue;
    mute(init);
    init->ops.on_gone(init->ops.context);
}

/* --- life --- */

struct init *
init_new(struct loop *loop, int socket, struct init_ops ops)
{
    struct init *init = xcalloc(1, sizeof(*init));

    *init = (struct init){.loop = loop, .ops = ops, .socket = socket, .pidfd = -1};
    init->speech =
        (struct loop_watch){.fd = socket, .on_ready = on_speech, .context = init};
    init->process = (struct process_watch){.on_end = on_process_ended, .context = init};
    return init;
}

void
init_free(struct init *init)
{
    if (!init)
        return;
    loop_watch_stop(init->loop, &init->speech);
    process_watch_stop(&init->process);
    process_kill(init->pidfd);
    auto_fd(&init->pidfd);
    auto_fd(&init->socket);
    free(init);
}

void
init_spawned(struct init *init, pid_t pid, int pidfd)
{
    struct error err;

    init->pid = pid;
    init->pidfd = pidfd;
    if (init->is_mute)
        process_kill(pidfd);
    /* The zygote, whom we trust, would have to have passed something else. */
    if (process_watch_start(init->loop, &init->process, pidfd, &err) < 0 ||
        (!init->is_mute &&
         loop_watch_start(init->loop, &init->speech, EPOLLIN, &err) < 0))
        abort();
}

int
init_start_worker(struct init *init, int channel, struct error *err)
{
    json_auto_t *message = json_pack("{s:s}", "type", "start");

    return packet_send(init->socket, message, &channel, 1, err);
}
