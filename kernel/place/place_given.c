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
};
