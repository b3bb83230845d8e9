/*
 * user_scope: a control group of our own, from the systemd of our user.
 *
 * Who has logged in by ssh, or runs Jupyter from cron, is in a group that is root's.
 * The user's systemd then starts a scope (StartTransientUnit of its D-Bus interface)
 * with this process in it and delegates it, which is what `systemd-run --user --scope`
 * does. busctl, which is systemd's own, makes the call: no D-Bus library is loaded into
 * a daemon that forks, and one that hangs is killed
 * (docs/decisions/scope-from-systemd.md).
 *
 * Without systemd, a bus or an answer in time nothing has changed.
 */
#pragma once

#include "common/error.h"

enum {
    USER_SCOPE_PATIENCE_MS = 3000
};

/* The caller has one thread. Where version 2 is used it is in a group below its scope's
 * then, as version 2 wants it of who has further groups there. */
int user_scope_enter(struct error *err) MUST_CHECK;
