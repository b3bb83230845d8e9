/* place_runsc: the kernel's own sandboxd under gVisor, for users who do not trust Linux
 * that far (runtime: runsc). It ends with the kernel, however that ends. */
#include "kernel/place/place.h"

#include "common/paths.h"
#include "common/sandboxd_spawn.h"
#include "kernel/place/claim.h"
#include "kernel/place/sandboxd_start.h"
#include "kernel/place/workspace_choice.h"

enum {
    PATIENCE_MS = 70000
}; /* until it listens */

struct runsc {
    struct place place;
    struct sandbox_address address;
    struct sandboxd_start *start; /* NULL: none under way */
    int owner;                    /* of the one that runs, or -1 */
    unsigned count;               /* of those started: no two have one folder */
    char *socket_path;
};

static struct place *
open_runsc(const struct place_spec *spec UNUSED, const struct place_host *host)
{
    struct runsc *runsc = xcalloc(1, sizeof(*runsc));

    runsc->place = (struct place){&place_runsc, *host};
    runsc->owner = -1;
    return &runsc->place;
}

static void
fail(struct runsc *runsc, const struct error *err)
{
    const struct place_host *host = &runsc->place.host;

    host->on_failed(
        host->context,
        &(struct sandbox_loss){err->text,
                               "`cellpod doctor' shows whether runsc is installed."});
}

static void
on_started(void *context, const struct error *err)
{
    struct runsc *runsc = context;
    const struct place_host *host = &runsc->place.host;

    runsc->start = NULL; /* it is gone after this call */
    if (err) {
        fail(runsc, err);
        return;
    }
    host->on_stage(host->context, "warming up Python under gVisor");
    host->on_found(host->context, &runsc->address);
}

static void
end(struct runsc *runsc)
{
    sandboxd_start_cancel(TAKE(runsc->start));
    auto_fd(&runsc->owner);
    runsc->owner = -1;
    free(TAKE(runsc->socket_path));
}

static int
start(struct runsc *runsc, struct error *err)
{
    AUTO(mem) char *runtime = paths_runtime_dir(err);
    AUTO(mem) char *python = runtime ? claim_find_python(err) : NULL;
    AUTO(mem) char *notice = NULL;
    AUTO(mem) char *workspace = workspace_choice_make(&notice);
    int ready;

    if (!python)
        return -1;
    AUTO(mem) char *folder =
        xasprintf("%s/runsc-%d-%u", runtime, (int)getpid(), ++runsc->count);
    const struct runsc_place place = {folder, python, workspace};
    if (sandboxd_spawn_runsc(&place, &ready, &runsc->owner, err) < 0)
        return -1;
    runsc->socket_path = xasprintf("%s/%s", folder, RUNSC_SOCKET);
    runsc->address = (struct sandbox_address){.url = "http://localhost",
                                              .unix_path = runsc->socket_path};
    runsc->start = sandboxd_start_await(runsc->place.host.loop, ready, PATIENCE_MS,
                                        on_started, runsc);
    return 0;
}

static void
find(struct place *place, bool nobody_answers)
{
    struct runsc *runsc = (struct runsc *)place;
    struct error err;

    if (runsc->socket_path && !nobody_answers) {
        place->host.on_found(place->host.context, &runsc->address);
        return;
    }
    end(runsc);
    place->host.on_stage(place->host.context, "starting gVisor");
    if (start(runsc, &err) < 0)
        fail(runsc, &err);
}

static void
leave(struct place *place, place_left_fn *done, void *context)
{
    end((struct runsc *)place);
    if (done)
        done(context);
}

static void
close_runsc(struct place *place)
{
    leave(place, NULL, NULL);
    free(place);
}

const struct place_type place_runsc = {
    .open = open_runsc,
    .find = find,
    .leave = leave,
    .close = close_runsc,
};
