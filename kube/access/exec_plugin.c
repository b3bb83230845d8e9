#include "kube/access/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "common/timer.h"

#define LOG_COMPONENT "exec-plugin"
#include "common/log.h"

#define PATIENCE_MS 30000

struct exec_plugin {
    zloop_t *loop;
    const struct kube_access *access;
    exec_plugin_done_fn *done;
    void *context;
    pid_t pid;
    int fd;
    struct timer timeout;
    struct buffer said;
};

/* --- the program --- */

static char **
arguments(const struct kube_exec *exec)
{
    size_t count = json_array_size(exec->args);
    char **argv = xcalloc(count + 2, sizeof(*argv));

    argv[0] = exec->command;
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = (char *)json_string_value(json_array_get(exec->args, i));
    return argv;
}

/* "NAME=": whether the entry sets a variable that the plugin's own list sets too. */
static bool
is_overridden(const struct kube_exec *exec, const char *entry)
{
    const struct slice name = {entry, strcspn(entry, "=")};
    const json_t *item;
    size_t at;

    json_array_foreach (exec->env, at, item)
        if (slice_equals(name,
                         slice_of(json_string_value(json_object_get(item, "name")))))
            return true;
    return slice_equals(name, SLICE("KUBERNETES_EXEC_INFO"));
}

static void
free_environment(char **env)
{
    for (size_t i = 0; env[i]; i++)
        secret_text_free(env[i]);
    free(env);
}

static char **
environment(const struct kube_access *access)
{
    AUTO(secret_text) char *info = exec_credential_info(access);
    size_t count = json_array_size(access->exec.env) + 2, kept = 0, at;
    const json_t *item;

    for (size_t i = 0; environ[i]; i++)
        count++;
    char **env = xcalloc(count, sizeof(*env));
    for (size_t i = 0; environ[i]; i++)
        if (!is_overridden(&access->exec, environ[i]))
            env[kept++] = xstrdup(environ[i]);
    json_array_foreach (access->exec.env, at, item)
        env[kept++] =
            xasprintf("%s=%s", json_string_value(json_object_get(item, "name")),
                      json_string_value(json_object_get(item, "value")));
    env[kept] = xasprintf("KUBERNETES_EXEC_INFO=%s", info);
    return env;
}

static int
spawn(struct exec_plugin *plugin, int writer, struct error *err)
{
    const struct kube_exec *exec = &plugin->access->exec;
    AUTO(mem) char **argv = arguments(exec);
    char **env = environment(plugin->access);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, writer, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    errno = posix_spawnp(&plugin->pid, exec->command, &actions, &attributes, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free_environment(env);
    if (errno)
        return error_sys(err, "run the exec plugin `%.100s'%s%.200s", exec->command,
                         exec->install_hint ? "; " : "",
                         exec->install_hint ? exec->install_hint : "");
    log_info("started pid=%d", (int)plugin->pid);
    return 0;
}

/* --- its end --- */

static void
release(struct exec_plugin *plugin)
{
    zmq_pollitem_t item = {.fd = plugin->fd};

    zloop_poller_end(plugin->loop, &item);
    timer_cancel(&plugin->timeout);
    close(plugin->fd);
    if (plugin->said.data)
        explicit_bzero(plugin->said.data, plugin->said.capacity);
    buffer_release(&plugin->said);
    free(plugin);
}

/* The plugin has its own session, and so have the processes that it started: none must
 * be left behind. */
void
exec_plugin_cancel(struct exec_plugin *plugin)
{
    if (!plugin)
        return;
    kill(-plugin->pid, SIGKILL);
    release(plugin);
}

static void
finish(struct exec_plugin *plugin, struct exec_credential *credential,
       const struct error *err)
{
    exec_plugin_done_fn *done = plugin->done;
    void *context = plugin->context;

    if (!credential)
        kill(-plugin->pid, SIGKILL);
    release(plugin);
    done(context, credential, err);
}

static void
judge(struct exec_plugin *plugin)
{
    AUTO(exec_credential) struct exec_credential credential = {0};
    const struct kube_exec *exec = &plugin->access->exec;
    struct error err;

    if (exec_credential_parse(buffer_slice(&plugin->said), exec->api_version,
                              &credential, &err) == 0) {
        finish(plugin, &credential, NULL);
        return;
    }
    error_prefix(&err, "the exec plugin `%.100s' of %.150s", exec->command,
                 plugin->access->origin);
    finish(plugin, NULL, &err);
}

static int
on_readable(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    struct exec_plugin *plugin = context;
    char bytes[4096];
    struct error err;
    ssize_t got = read(item->fd, bytes, sizeof(bytes));

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0) {
        judge(plugin);
    } else if (buffer_append(&plugin->said, bytes, (size_t)got) < 0) {
        error_format(&err, ERR_TOO_LARGE,
                     "the exec plugin `%.100s' prints too much output",
                     plugin->access->exec.command);
        finish(plugin, NULL, &err);
    }
    explicit_bzero(bytes, sizeof(bytes));
    return 0;
}

static void
on_timeout(void *context)
{
    struct exec_plugin *plugin = context;
    struct error err;

    error_format(&err, ERR_TIMEOUT,
                 "the exec plugin `%.100s' gave no credentials within %d s",
                 plugin->access->exec.command, PATIENCE_MS / 1000);
    finish(plugin, NULL, &err);
}

int
exec_plugin_start(struct exec_plugin **out, zloop_t *loop,
                  const struct kube_access *access, exec_plugin_done_fn *done,
                  void *context, struct error *err)
{
    struct exec_plugin start = {.loop = loop,
                                .access = access,
                                .done = done,
                                .context = context,
                                .said = BUFFER_INIT(LIMIT_KUBE_PLUGIN)};
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_sys(err, "make a pipe");
    AUTO(fd) int reader = ends[0];
    AUTO(fd) int writer = ends[1];
    if (fcntl(reader, F_SETFL, O_NONBLOCK) < 0)
        return error_sys(err, "make a pipe");
    if (spawn(&start, writer, err) < 0)
        return -1;

    struct exec_plugin *plugin = xcalloc(1, sizeof(*plugin));
    *plugin = start;
    plugin->fd = take_fd(&reader);
    zmq_pollitem_t item = {.fd = plugin->fd, .events = ZMQ_POLLIN};
    zloop_poller(loop, &item, on_readable, plugin);
    zloop_poller_set_tolerant(loop, &item);
    timer_set(&plugin->timeout, loop, PATIENCE_MS, on_timeout, plugin);
    *out = plugin;
    return 0;
}
