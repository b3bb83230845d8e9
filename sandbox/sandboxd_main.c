/* cellpod-sandboxd --listen unix:PATH|tcp:HOST:PORT; options.h has the rest */
#include <stdio.h>

#include "common/key_file.h"
#include "common/paths.h"
#include "common/version.h"
#include "sandbox/daemon.h"
#include "sandbox/detach.h"
#include "sandbox/listen.h"
#include "sandbox/log_file.h"
#include "sandbox/options.h"

#define LOG_COMPONENT "sandboxd"
#include "common/log.h"

/* Tells the process that started us, in one line, how it went. */
static void
report(const struct options *options, const char *word, const char *text)
{
    if (options->ready_fd >= 0)
        dprintf(options->ready_fd, "%s%s\n", word, text);
}

static int
run(struct options *options, int listener, const char *key, const char *state_dir,
    struct error *err)
{
    const struct daemon_spec spec = {
        .listener = listener,
        .state_dir = state_dir,
        .python = options->python,
        .capacity = options->capacity,
        .preload_mb = options->preload_mb,
        .idle_exit_ms = options->idle_exit_seconds * 1000,
        /* in a pod, its cells are the user of this process: a peer's user says nothing
         */
        .is_remote = options->address.unix_path == NULL || options->is_pod,
        .is_pod = options->is_pod,
        .is_awaited = options->ready_fd >= 0,
        .needs_tokens = options->needs_tokens,
        .is_open = options->is_open,
        .key = key,
        .notice = options->notice,
        .grace_ms = options->grace_seconds * 1000,
    };
    AUTO(mem) char *where =
        options->address.unix_path ? xstrdup("") : address_of_socket(listener, err);
    AUTO(daemon) struct daemon *daemon = where ? daemon_new(&spec, err) : NULL;

    if (!daemon)
        return -1;
    log_info("listening build=%s %s", cellpod_build, where);
    report(options, *where ? "ready " : "ready", where);
    auto_fd(&options->ready_fd);
    options->ready_fd = -1;
    return daemon_run(daemon, err);
}

static int
serve(struct options *options, struct error *err)
{
    AUTO(listen_socket) struct listen_socket listener = LISTENER_INIT;
    AUTO(mem) char *state_dir = paths_state_dir(err);
    AUTO(mem) char *key = NULL;

    if (!state_dir)
        return -1;
    if (options->token_file && !(key = key_file_read(options->token_file, err)))
        return -1;
    int taken = listen_open(&options->address, &listener, err);
    if (taken > 0)
        report(options, "taken", "");
    if (taken)
        return taken;
    /* Over TCP, or in a pod, it is a service: what runs it keeps what it writes to
     * standard error. */
    if (listener.path && !options->is_pod && log_file_open(state_dir, err) < 0)
        return -1;
    return run(options, listener.fd, key, state_dir, err);
}

int
main(int argc, char **argv)
{
    struct options options;
    struct error err;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return version_print("cellpod-sandboxd");
    if (options_parse(argc, argv, &options, &err) < 0) {
        fprintf(stderr, "cellpod-sandboxd: %s\n", err.text);
        return 2;
    }
    log_configure(options.log_levels);
    log_set_format(options.log_format);
    detach(options.ready_fd);
    if (serve(&options, &err) >= 0)
        return 0;
    report(&options, "error: ", err.text);
    log_error("%s", err.text);
    return 1;
}
