#include "sandbox/start/zygote.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "sandbox/resources/process.h"
#include "sandbox/start/packet.h"
#include "sandbox/start/preload.h"
#include "sandbox/start/zygote_process.h"
#include "sandbox/start/zygote_queue.h"

#define LOG_COMPONENT "zygote"
#include "common/log.h"

enum {
    WARM_UP_MS = 180000, /* a cold disk and no .pyc files: minutes, not seconds */
    SPAWN_MS = 30000,
};

struct zygote {
    struct zygote_pool *all;
    char *python;
    pid_t pid;
    int pidfd, fd; /* -1 while there is no process */
    bool is_warm;
    bool has_died; /* while it was warm: it is not asked to load more */
    struct loop_watch watch;
    struct loop_timer deadline;
    struct loop_timer kick;  /* jobs were added */
    struct zygote_job *jobs; /* in order of arrival */
    struct zygote *next;
};

struct zygote_pool {
    struct loop *loop;
    bool is_pod;
    struct preload *preload; /* NULL: nothing is learnt */
    struct zygote *first;
};

json_t *
zygote_failure(const char *code, const char *layer, const char *message,
               const char *remedy)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "code", code ? code : "", "layer",
                     layer ? layer : "", "message", message ? message : "", "remedy",
                     remedy ? remedy : "");
}

/* --- the process --- */

static void on_ready(void *context, uint32_t events);

static int
start(struct zygote *z, struct error *err)
{
    int ends[2];

    if (packet_pair(ends, err) < 0)
        return -1;
    AUTO(fd) int ours = ends[0];
    AUTO(fd) int theirs = ends[1];
    if (zygote_process_start(z->python, z->all->is_pod, theirs, &z->pid, &z->pidfd,
                             err) < 0)
        return -1;
    z->fd = take_fd(&ours);
    z->is_warm = false;
    z->watch = (struct loop_watch){.fd = z->fd, .on_ready = on_ready, .context = z};
    if (loop_watch_start(z->all->loop, &z->watch, EPOLLIN, err) < 0)
        return -1;
    loop_timer_set(z->all->loop, &z->deadline, WARM_UP_MS);
    log_info("started pid=%d python=%s", (int)z->pid, z->python);
    return 0;
}

/* It has closed its socket or is being ended: in either case nothing is lost. */
static void
stop(struct zygote *z)
{
    loop_watch_stop(z->all->loop, &z->watch);
    loop_timer_cancel(z->all->loop, &z->deadline);
    if (z->pidfd >= 0) {
        process_kill(z->pidfd);
        waitpid(z->pid, NULL, 0);
    }
    auto_fd(&z->pidfd);
    auto_fd(&z->fd);
    z->pidfd = z->fd = -1;
    z->is_warm = false;
}

static void
zygote_free(struct zygote *z)
{
    stop(z);
    loop_timer_cancel(z->all->loop, &z->kick);
    free(z->python);
    free(z);
}

/* --- jobs --- */

static int
send_job(struct zygote *z, struct zygote_job *job, struct error *err)
{
    const int fds[] = {job->init_socket, job->idmap};
    json_auto_t *message =
        json_pack("{s:s, s:s, s:O}", "type", "spawn", "id", job->id, "spec", job->spec);

    if (packet_send(z->fd, message, fds, job->idmap >= 0 ? 2 : 1, err) < 0)
        return -1;
    auto_fd(&job->init_socket);
    job->init_socket = -1;
    job->state = JOB_SENT;
    loop_timer_set(z->all->loop, &z->deadline, SPAWN_MS);
    return 0;
}

/* When it cannot be told, sandboxes import them themselves. */
static void
send_preload(struct zygote *z)
{
    struct error err;
    json_auto_t *order = z->is_warm && !z->has_died && z->all->preload
                             ? preload_order(z->all->preload, z->python)
                             : NULL;

    if (order && packet_send(z->fd, order, NULL, 0, &err) < 0)
        log_info("pid=%d: %s", (int)z->pid, err.text);
}

static void
send_jobs(struct zygote *z)
{
    struct error err = {.sys = 0};
    struct zygote_job *job = z->jobs;

    while (z->is_warm && job) {
        struct zygote_job *next = job->next;
        if (job->state == JOB_WAITING && send_job(z, job, &err) < 0) {
            if (err.sys == EAGAIN || err.sys == EPIPE) /* full, or about to be reborn */
                break;
            json_auto_t *failure = zygote_failure("system", "", err.text, "");
            zygote_queue_fail(&z->jobs, job, failure);
        }
        job = next;
    }
    loop_watch_change(z->all->loop, &z->watch,
                      err.sys == EAGAIN ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* --- its end --- */

static void
unlink_zygote(struct zygote *z)
{
    for (struct zygote **at = &z->all->first; *at; at = &(*at)->next)
        if (*at == z) {
            *at = z->next;
            break;
        }
}

/* It will never get warm. Jobs that are added by those that fail find a new zygote. */
static void
give_up(struct zygote *z, const json_t *failure)
{
    unlink_zygote(z);
    zygote_queue_fail_all(&z->jobs, JOB_SENT, failure);
    zygote_queue_fail_all(&z->jobs, JOB_WAITING, failure);
    zygote_free(z);
}

/* Of what only a fork lacks, in the words of isolate/failure.c. */
static void
fail_to_start(struct zygote *z, const struct error *err)
{
    json_auto_t *failure =
        zygote_failure("zygote-start", "", err->text, zygote_process_remedy(err->sys));

    log_error("%s", err->text);
    give_up(z, failure);
}

static void
on_death(struct zygote *z)
{
    struct error err;
    bool was_warm = z->is_warm;
    json_auto_t *failure = zygote_failure(
        was_warm ? "zygote-died" : "zygote-start", "",
        was_warm ? "The Python that starts sandboxes has ended unexpectedly."
                 : "The Python that starts sandboxes ended before it was ready.",
        "See sandboxd.log in ~/.local/state/cellpod for its last messages.");

    log_error("ended pid=%d warm=%d", (int)z->pid, was_warm);
    stop(z);
    z->has_died = was_warm;
    if (!was_warm) {
        give_up(z, failure);
        return;
    }
    zygote_queue_fail_all(&z->jobs, JOB_SENT, failure);
    if (start(z, &err) < 0)
        fail_to_start(z, &err);
}

static void
on_kick(void *context)
{
    struct zygote *z = context;
    struct error err;

    if (z->fd < 0 && start(z, &err) < 0)
        fail_to_start(z, &err);
    else
        send_jobs(z);
}

static void
on_deadline(void *context)
{
    struct zygote *z = context;

    log_error("no answer in time pid=%d", (int)z->pid);
    on_death(z);
}

/* --- what it says --- */

static const char *
text_of(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json, name));

    return text ? text : "";
}

static void
settle_deadline(struct zygote *z)
{
    for (struct zygote_job *job = z->jobs; job; job = job->next)
        if (job->state == JOB_SENT) {
            loop_timer_set(z->all->loop, &z->deadline, SPAWN_MS);
            return;
        }
    loop_timer_cancel(z->all->loop, &z->deadline);
}

static void
hear_spawned(struct zygote *z, struct packet *packet)
{
    struct zygote_job *job = zygote_queue_find(z->jobs, text_of(packet->json, "id"));
    pid_t pid = (pid_t)json_integer_value(json_object_get(packet->json, "pid"));
    int pidfd = packet_take_fd(packet, 0);

    if (!job || pidfd < 0) {
        auto_fd(&pidfd);
        return;
    }
    zygote_queue_remove(&z->jobs, job);
    settle_deadline(z);
    job->on_spawned(job->context, pid, pidfd);
}

static json_t *
failure_from(const json_t *packet)
{
    return zygote_failure(text_of(packet, "code"), text_of(packet, "layer"),
                          text_of(packet, "message"), text_of(packet, "remedy"));
}

/* Returns false when the zygote is gone. */
static bool
hear_failed(struct zygote *z, const struct packet *packet)
{
    json_auto_t *failure = failure_from(packet->json);
    struct zygote_job *job = zygote_queue_find(z->jobs, text_of(packet->json, "id"));

    log_error("failed code=%s: %s", text_of(failure, "code"),
              text_of(failure, "message"));
    if (!json_object_get(packet->json, "id")) {
        give_up(z, failure);
        return false;
    }
    if (job) {
        zygote_queue_fail(&z->jobs, job, failure);
        settle_deadline(z);
    }
    return true;
}

static bool
hear(struct zygote *z, struct packet *packet)
{
    if (strcmp(packet->type, "failed") == 0)
        return hear_failed(z, packet);
    if (strcmp(packet->type, "spawned") == 0) {
        hear_spawned(z, packet);
    } else if (strcmp(packet->type, "ready") == 0) {
        log_info("ready pid=%d warm_ms=%lld", (int)z->pid,
                 json_integer_value(json_object_get(packet->json, "warm_ms")));
        z->is_warm = true;
        settle_deadline(z);
        send_preload(z); /* first: who is forked now is to know of it */
        send_jobs(z);
    }
    return true;
}

/* Whose answer it was that we had no descriptor for is not known: each may ask again.
 */
static void
fail_unheard(struct zygote *z, const struct error *err)
{
    json_auto_t *failure = zygote_failure("system", "", err->text, "");

    log_error("pid=%d: %s", (int)z->pid, err->text);
    zygote_queue_fail_all(&z->jobs, JOB_SENT, failure);
    settle_deadline(z);
}

static void
on_ready(void *context, uint32_t events UNUSED)
{
    struct zygote *z = context;
    AUTO(packet) struct packet packet = PACKET_INIT;
    struct error err;
    int got = packet_receive(z->fd, &packet, &err);

    if (got < 0 && err.kind == ERR_SYSTEM && err.sys == EMFILE) {
        fail_unheard(z, &err);
        return;
    }
    if (got < 0) {
        log_info("pid=%d: %s", (int)z->pid, err.text);
        on_death(z);
        return;
    }
    if (got > 0 && !hear(z, &packet))
        return;
    send_jobs(z);
}

/* --- all of them --- */

static struct zygote *
find_or_add(struct zygote_pool *all, const char *python)
{
    struct zygote *z;

    for (z = all->first; z; z = z->next)
        if (strcmp(z->python, python) == 0)
            return z;
    z = xcalloc(1, sizeof(*z));
    *z = (struct zygote){.all = all, .pidfd = -1, .fd = -1, .next = all->first};
    z->python = xstrdup(python);
    z->deadline = (struct loop_timer){.on_due = on_deadline, .context = z};
    z->kick = (struct loop_timer){.on_due = on_kick, .context = z};
    all->first = z;
    return z;
}

void
zygote_pool_warm(struct zygote_pool *all, const char *python)
{
    struct zygote *z = find_or_add(all, python);
    struct error err;

    if (z->fd < 0 && start(z, &err) < 0)
        fail_to_start(z, &err);
}

bool
zygote_pool_is_warm(const struct zygote_pool *all)
{
    for (const struct zygote *z = all->first; z; z = z->next)
        if (!z->is_warm)
            return false;
    return true;
}

void
zygote_pool_submit(struct zygote_pool *all, const char *python, struct zygote_job *job)
{
    struct zygote *z = find_or_add(all, python);

    job->zygote = z;
    zygote_queue_add(&z->jobs, job);
    loop_timer_set(all->loop, &z->kick, 0);
}

bool
zygote_job_withdraw(struct zygote_job *job)
{
    if (job->state != JOB_WAITING)
        return false;
    zygote_queue_remove(&job->zygote->jobs, job);
    return true;
}

void
zygote_pool_learn(struct zygote_pool *all, const char *python, const json_t *names)
{
    if (all->preload && preload_learn(all->preload, python, names))
        send_preload(find_or_add(all, python));
}

struct zygote_pool *
zygote_pool_new(struct loop *loop, bool is_pod, const char *state_dir,
                unsigned preload_mb)
{
    struct zygote_pool *all = xcalloc(1, sizeof(*all));

    all->preload = preload_mb && !is_pod ? preload_new(state_dir, preload_mb) : NULL;
    all->loop = loop;
    all->is_pod = is_pod;
    return all;
}

void
zygote_pool_free(struct zygote_pool *all)
{
    if (!all)
        return;
    while (all->first) {
        struct zygote *z = all->first;
        unlink_zygote(z);
        zygote_free(z);
    }
    preload_free(all->preload);
    free(all);
}
