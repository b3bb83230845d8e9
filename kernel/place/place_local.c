/* place_local: the sandboxd of this user on this machine, started where none answers.
 */
#include "kernel/place/place.h"
#include "kernel/place/sandboxd_start.h"

struct local {
    struct place place;
    struct sandbox_address address;
    struct sandboxd_start *start; /* NULL: none under way */
    bool has_started_one;         /* for this claim */
};

static struct place *
open_local(const struct place_spec *spec, const struct place_host *host)
{
    struct local *local = xcalloc(1, sizeof(*local));

    local->place = (struct place){&place_local, *host};
    local->address = spec->address;
    return &local->place;
}

static void
fail(struct local *local, const char *message, const char *remedy)
{
    const struct place_host *host = &local->place.host;

    host->on_failed(host->context, &(struct sandbox_loss){message, remedy});
}

static void
on_started(void *context, const struct error *err)
{
    struct local *local = context;
    const struct place_host *host = &local->place.host;

    local->start = NULL; /* it is gone after this call */
    if (err)
        fail(local, err->text,
             "Run `cellpod-sandboxd' in a terminal to see its messages.");
    else
        host->on_found(host->context, &local->address);
}

static void
start(struct local *local)
{
    const struct place_host *host = &local->place.host;
    struct error err;

    local->has_started_one = true;
    host->on_stage(host->context, "starting cellpod-sandboxd");
    if (sandboxd_start(&local->start, host->loop, local->address.unix_path, on_started,
                       local, &err) < 0)
        fail(local, err.text, "Install cellpod again: a part of it is missing.");
}

/* A socket on which nobody listens is rare, so check whether the file exists before
 * connecting. */
static void
find(struct place *place, bool nobody_answers)
{
    struct local *local = (struct local *)place;

    if (!nobody_answers)
        local->has_started_one = false;
    if (!local->has_started_one &&
        (nobody_answers || access(local->address.unix_path, F_OK) < 0))
        start(local);
    else
        place->host.on_found(place->host.context, &local->address);
}

static void
leave(struct place *place, place_left_fn *done, void *context)
{
    struct local *local = (struct local *)place;

    sandboxd_start_cancel(TAKE(local->start));
    if (done)
        done(context);
}

static void
close_local(struct place *place)
{
    leave(place, NULL, NULL);
    free(place);
}

const struct place_type place_local = {
    .open = open_local,
    .find = find,
    .leave = leave,
    .close = close_local,
};
