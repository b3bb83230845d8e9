#include "sandbox/daemon.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "sandbox/api/access.h"
#include "sandbox/api/api.h"
#include "sandbox/drain.h"
#include "sandbox/http/httpd.h"
#include "sandbox/isolate/offspring.h"
#include "sandbox/log_file.h"

#define LOG_COMPONENT "sandboxd"
#include "common/log.h"

enum {
    LAST_CHANCE_MS = 5000
}; /* for sandboxes to be gone, once we leave */

struct daemon {
    struct daemon_spec spec;
    struct loop *loop;
    struct zygote_pool *zygotes;
    struct idmap_cache *idmap_cache;
    struct cgroups *cgroups;
    struct cgroup_mover *mover;
    struct pool *pool;
    struct drain drain;
    struct httpd *httpd;
    int signals;
    struct loop_watch signal_watch;
    struct loop_timer idle, last_chance;
    bool is_leaving;
};

/* --- leaving --- */

static void
stop_when_empty(struct daemon *daemon)
{
    if (daemon->is_leaving && pool_count(daemon->pool) == 0)
        loop_stop(daemon->loop);
}

static void
leave(struct daemon *daemon, const char *why)
{
    if (daemon->is_leaving)
        return;
    log_info("leaving: %s, sandboxes=%zu", why, pool_count(daemon->pool));
    daemon->is_leaving = true;
    drain_stop(&daemon->drain);
    pool_close(daemon->pool);
    loop_timer_set(daemon->loop, &daemon->last_chance, LAST_CHANCE_MS);
    stop_when_empty(daemon);
}

/* What does not die by SIGKILL hangs in the kernel; it dies when it gets out. */
static void
on_last_chance(void *context)
{
    struct daemon *daemon = context;

    log_error("left behind sandboxes=%zu", pool_count(daemon->pool));
    _exit(1);
}

static void
on_idle(void *context)
{
    struct daemon *daemon = context;
    int64_t quiet = loop_now_ms() - httpd_last_request_ms(daemon->httpd);
    int64_t left = daemon->spec.idle_exit_ms - quiet;

    if (pool_count(daemon->pool) == 0 && left <= 0)
        leave(daemon, "idle");
    else
        loop_timer_set(daemon->loop, &daemon->idle,
                       left > 0 ? left : daemon->spec.idle_exit_ms);
}

static void
watch_for_idleness(struct daemon *daemon)
{
    if (!daemon->is_leaving && daemon->spec.idle_exit_ms)
        loop_timer_set(daemon->loop, &daemon->idle, daemon->spec.idle_exit_ms);
}

static void
on_sandbox_gone(void *context)
{
    struct daemon *daemon = context;

    log_file_trim();
    if (daemon->spec.is_pod)
        leave(daemon, "the pod's sandbox has ended");
    stop_when_empty(daemon);
    watch_for_idleness(daemon);
}

/* --- signals --- */

/* Zygotes, which their owner waits for too, and what they left behind when they died.
 */
static void
reap(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
}

static void
on_drained(void *context, const char *why)
{
    leave(context, why);
}

/* A pod gets its SIGTERM some time before it is killed. Any other signal, and a second
 * one, ends it at once. */
static void
take_signal(struct daemon *daemon, uint32_t number)
{
    if (number == SIGTERM && daemon->spec.is_pod && !drain_is_on(&daemon->drain))
        drain_start(&daemon->drain, daemon->spec.grace_ms);
    else
        leave(daemon, "received a signal");
}

static void
on_signal(void *context, uint32_t events UNUSED)
{
    struct daemon *daemon = context;
    struct signalfd_siginfo info;

    while (read(daemon->signals, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGCHLD)
            reap();
        else
            take_signal(daemon, info.ssi_signo);
    }
}

static int
watch_signals(struct daemon *daemon, struct error *err)
{
    static const int wanted[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        sigaddset(&set, wanted[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    daemon->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (daemon->signals < 0)
        return error_sys(err, "watch signals");
    daemon->signal_watch = (struct loop_watch){
        .fd = daemon->signals, .on_ready = on_signal, .context = daemon};
    return loop_watch_start(daemon->loop, &daemon->signal_watch, EPOLLIN, err);
}

/* --- life --- */

static int
build(struct daemon *daemon, struct error *err)
{
    const struct daemon_spec *spec = &daemon->spec;
    struct httpd_spec http = {.listener = spec->listener, .is_remote = spec->is_remote};

    if (!(daemon->loop = loop_new(err)) || watch_signals(daemon, err) < 0)
        return -1;
    if (spec->is_pod && offspring_adopt() < 0)
        return error_sys(err, "become the parent of orphans");
    daemon->zygotes =
        zygote_pool_new(daemon->loop, spec->is_pod, spec->state_dir, spec->preload_mb);
    /* Before there is a second thread, since it forks, and before the zygote, which has
     * to be in the scope that a user's systemd may lend. */
    daemon->cgroups = cgroups_open(daemon->loop);
    if (spec->is_pod || spec->is_awaited)
        zygote_pool_warm(daemon->zygotes, spec->python);
    daemon->idmap_cache = idmap_cache_new();
    if (!(daemon->mover = cgroup_mover_new(daemon->loop, err)))
        return -1;
    const struct sandbox_host host = {
        .loop = daemon->loop,
        .zygotes = daemon->zygotes,
        .idmap_cache = daemon->idmap_cache,
        .resources = {daemon->loop, daemon->cgroups, daemon->mover,
                      spec->capacity == 1},
        .is_pod = spec->is_pod,
        .notice = spec->notice,
        .state_dir = spec->state_dir,
        .python = spec->python
    };
    daemon->pool = pool_new(&host, spec->capacity);
    if (spec->is_open)
        pool_open(daemon->pool);
    pool_set_claim_key(daemon->pool, spec->key);
    pool_on_gone(daemon->pool, on_sandbox_gone, daemon);
    drain_init(&daemon->drain, daemon->loop, daemon->pool, on_drained, daemon);
    http.loop = daemon->loop;
    http.context = daemon->pool;
    http.routes = api_routes(&http.route_count);
    if (spec->is_remote)
        http.admit = spec->needs_tokens ? access_by_token : access_without_token;
    daemon->httpd = httpd_new(&http, err);
    return daemon->httpd ? 0 : -1;
}

struct daemon *
daemon_new(const struct daemon_spec *spec, struct error *err)
{
    AUTO(daemon) struct daemon *daemon = xcalloc(1, sizeof(*daemon));

    daemon->spec = *spec;
    daemon->signals = -1;
    daemon->idle = (struct loop_timer){.on_due = on_idle, .context = daemon};
    daemon->last_chance =
        (struct loop_timer){.on_due = on_last_chance, .context = daemon};
    if (build(daemon, err) < 0)
        return NULL;
    watch_for_idleness(daemon);
    return TAKE(daemon);
}

int
daemon_run(struct daemon *daemon, struct error *err)
{
    return loop_run(daemon->loop, err);
}

void
daemon_free(struct daemon *daemon)
{
    if (!daemon)
        return;
    httpd_free(daemon->httpd);
    pool_free(daemon->pool);
    zygote_pool_free(daemon->zygotes);
    idmap_cache_free(daemon->idmap_cache);
    if (daemon->spec.is_pod)
        offspring_end();
    cgroup_mover_free(daemon->mover);
    cgroups_close(daemon->cgroups);
    auto_fd(&daemon->signals);
    loop_free(daemon->loop);
    free(daemon);
}
