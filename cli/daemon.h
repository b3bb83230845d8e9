/*
 * daemon: blocking requests to this user's cellpod-sandboxd, one at a time.
 *
 * The kernel's client of the same API (docs/sandbox-protocol.md, section 5) never
 * waits; a command line has nothing else to do.
 */
#pragma once

#include <jansson.h>

#include "common/envelope.h"

struct daemon;

/* Finds the daemon of this build. `start`: one is started if none answers; else
 * ERR_NOT_FOUND. */
int daemon_open(struct daemon **out, bool start, struct error *err) MUST_CHECK;
void daemon_close(struct daemon *daemon);

/* `body` is sent as JSON unless it is an envelope; empty for none. *answer is the
 * answer's object, a new reference. An error of the API becomes `err`. */
struct daemon_request {
    const char *method, *path;
    struct slice body;
    bool is_envelope;
};
int daemon_call(struct daemon *daemon, const struct daemon_request *request,
                json_t **answer, struct error *err) MUST_CHECK;

/* What the watcher does after an event. */
enum daemon_watch {
    DAEMON_GO_ON,
    DAEMON_ENOUGH,
};

struct daemon_watcher {
    enum daemon_watch (*on_event)(const struct envelope *event, void *context);
    void (*on_readable)(void *context); /* `fd` can be read */
    int fd;                             /* or -1 */
    void *context;
};

/* Reads events from `path` until on_event returns DAEMON_ENOUGH. The callbacks may call
 * the daemon. */
int daemon_watch(struct daemon *daemon, const char *path,
                 const struct daemon_watcher *watcher, struct error *err) MUST_CHECK;

static inline void
auto_daemon(struct daemon **daemon)
{
    daemon_close(*daemon);
}
