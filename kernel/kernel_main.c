/* cellpod-kernel: a Jupyter kernel whose cells run in a sandbox. */
#include <stdio.h>

#include "common/settings/settings_flags.h"
#include "common/version.h"
#include "kernel/jupyter/registration.h"
#include "kernel/kernel.h"

#define LOG_COMPONENT "kernel"
#include "common/log.h"

static const char usage[] =
    "usage: cellpod-kernel -f CONNECTION_FILE [--sandbox WHERE] [FLAG VALUE]...\n"
    "\n"
    "A Jupyter kernel; clients start it by its kernelspec. WHERE is\n"
    "  local             a sandbox on this machine (default)\n"
    "  gke               a pod of a Kubernetes cluster, claimed from a warm pool\n"
    "  http://HOST:PORT  a cellpod-sandboxd that listens there\n"
    "  unix:PATH         the same, on a unix socket of this machine\n"
    "with --token-file FILE for the key of a sandboxd that has one (http: only).\n"
    "\n"
    "gke takes --pool, --namespace, --context, --router, --port, --ttl and --wait; "
    "see\n"
    "docs/cluster.md. --log-format text|json says how log lines look.\n"
    "\n"
    "Flags override the section \"sandbox\" of ~/.config/cellpod/config.json:\n";

static bool
has_free_port(const struct connection *connection)
{
    for (int i = 0; i < CHANNELS; i++)
        if (connection->ports[i] == 0)
            return true;
    return false;
}

/* Other clients find the kernel by a file in Jupyter's own folder; who started it has
 * heard of it. */
static char *
publish_registered(const struct connection *connection)
{
    AUTO(mem) char *path = registration_path(connection);
    struct error err;

    if (path && connection_file_write(path, connection, &err) < 0) {
        log_info("%s", err.text);
        return NULL;
    }
    return TAKE(path);
}

static int
run_registered(struct kernel *kernel, const struct connection *connection,
               struct error *err)
{
    if (registration_announce(connection, err) < 0)
        return -1;
    AUTO(mem) char *path = publish_registered(connection);
    int status = kernel_run(kernel);
    if (path)
        unlink(path);
    return status;
}

static int
run(const struct options *options, struct error *err)
{
    AUTO(connection) struct connection connection = CONNECTION_INIT;
    AUTO(kernel) struct kernel *kernel = NULL;

    if (connection_file_read(options->connection_file, &connection, err) < 0)
        return -1;
    bool tells_ports = has_free_port(&connection);
    if (kernel_new(&kernel, options, &connection, err) < 0)
        return -1;
    if (connection.registration_ip)
        return run_registered(kernel, &connection, err);
    if (tells_ports &&
        connection_file_write(options->connection_file, &connection, err) < 0)
        return -1;
    return kernel_run(kernel);
}

int
main(int argc UNUSED, char **argv)
{
    AUTO(options) struct options options = OPTIONS_INIT;
    struct error err;
    int status = -1;

    log_configure(getenv("CELLPOD_LOG"));
    log_set_format(getenv("CELLPOD_LOG_FORMAT"));
    signals_block();
    if (options_parse(argv, &options, &err) == 0) {
        if (options.wants_help || options.wants_version)
            return options.wants_help ? printf("%s%s", usage, settings_flags_help) < 0
                                      : version_print("cellpod-kernel");
        options_settle(&options);
        if (options.log_format && !log_set_format(options.log_format))
            (void)error_set(&err, ERR_BAD_INPUT, "--log-format must be text or json");
        else
            status = run(&options, &err);
    }
    if (status < 0)
        fprintf(stderr, "cellpod-kernel: %s\n", err.text);
    return status < 0 ? 1 : status;
}
