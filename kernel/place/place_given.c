/* place_given: an address that the user gave: nothing to find, nothing to give back. */
#include "kernel/place/place.h"

struct given {
    struct place place;
    struct sandbox_address address;
};

static struct place *
open_given(const struct place_spec *spec, const struct place_host *host)
{
    struct given *given = xcalloc(1, sizeof(*given));

    given->place = (struct place){&place_given, *host};
    given->address = spec->address;
    return &given->place;
}

static void
find(struct place *place, bool nobody_answers UNUSED)
{
    const struct given *given = (struct given *)place;

    place->host.on_found(place->host.context, &given->address);
}

static void
leave(struct place *place UNUSED, place_left_fn *done, void *context)
{
    if (done)
        done(context);
}

/* On this machine sandboxd itself keeps what a kernel leaves. */
static char *
identify(const struct place *place)
{
    const struct given *given = (const struct given *)place;

    return given->address.unix_path ? NULL : xstrdup(given->address.url);
}

static const char *
mark(const struct place *place UNUSED)
{
    return "";
}

static void
find_again(struct place *place, const char *mark UNUSED)
{
    find(place, false);
}

static void
drop(struct place *place UNUSED)
{
}

static void
close_given(struct place *place)
{
    free(place);
}

const struct place_type place_given = {
    .open = open_given,
    .find = find,
    .leave = leave,
    .close = close_given,
    .identify = identify,
    .mark = mark,
    .find_again = find_again,
    .drop = drop,
};
