/* cellpod warm: Python is loaded before the first notebook asks for it. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/daemon.h"

int
command_warm(char **arguments)
{
    AUTO(daemon) struct daemon *daemon = NULL;
    struct error err;

    if (arguments[1])
        return command_misused("warm: unexpected `%.60s'", arguments[1]);
    /* One that is started loads its Python at once (docs/sandbox-protocol.md). */
    if (daemon_open(&daemon, true, &err) < 0)
        return command_fail(&err);
    return EXIT_FINE;
}
