/*
 * options: the command line.
 *
 *     cellpod-kernel -f CONNECTION_FILE [--sandbox
 * local|gke|http://HOST:PORT|unix:PATH]
 *                    [--token-file FILE: of the key that a claim at http:// needs]
 *                    [--log-format text|json]
 *                    [--memory-mb N …: common/settings/settings_flags.h]
 *                    [--pool NAME …: kernel/place/gke_options.h]
 *
 * Unknown arguments are ignored: nbclient passes some that are meant for ipykernel.
 */
#pragma once

#include "kernel/client/sandbox.h"
#include "kernel/place/gke_options.h"

struct options {
    const char *connection_file;
    struct place_spec place;
    json_t *sandbox; /* flags that override the configuration's section "sandbox" */
    char *owned;     /* what place points to */
    char *owned_header;
    struct gke_options gke;
    const char *log_format; /* NULL: not said */
    bool wants_help, wants_version;
};

#define OPTIONS_INIT \
    {                \
        0            \
    }

int options_parse(char **argv, struct options *out, struct error *err) MUST_CHECK;
/* If the configuration says runtime: runsc, a local sandbox becomes one under
 * gVisor. */
void options_settle(struct options *options);
void options_release(struct options *options);

static inline void
auto_options(struct options *options)
{
    options_release(options);
}
