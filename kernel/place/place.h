/*
 * place: where sandboxes come from.
 *
 * For each claim, the sandbox asks its place for the address of a sandboxd; from then
 * on it speaks HTTP to it, the same way everywhere. The place does what is needed
 * before a sandboxd answers (start it; get a pod and wait for it), and gives back
 * afterwards what it got. To add a place, write a struct place_type and a row in
 * options.c.
 */
#pragma once

#include <czmq.h>

#include "common/http/http_pool.h"

/* How a sandboxd is reached. Strings are borrowed. */
struct sandbox_address {
    const char *url;            /* http://HOST:PORT, without a slash at the end */
    const char *unix_path;      /* on this machine; NULL: by TCP */
    const char *const *headers; /* "Name: value" of every call; NULL: none; ends in NULL
                                 */
    const char *claim_header;   /* of the claim alone; NULL: none */
};

/* Why there is no sandbox (any more), in words for the user. */
struct sandbox_loss {
    const char *message, *remedy; /* remedy may be "" */
};

/* The callbacks of a place's owner. Called by the loop, or from inside place_find. */
struct place_host {
    zloop_t *loop;
    struct http_pool *pool; /* open by the first place_find */
    /* what a waiting cell shows: "starting cellpod-sandboxd"; copied */
    void (*on_stage)(void *context, const char *stage);
    void (*on_found)(void *context, const struct sandbox_address *address);
    /* of place_find_again: it is not there any more, because … */
    void (*on_missing)(void *context, const char *why);
    /* of place_pause. why: NULL, or why it stays as it is */
    void (*on_paused)(void *context, const char *why);
    /* also later: what was found is gone */
    void (*on_failed)(void *context, const struct sandbox_loss *loss);
    void *context;
};

struct place;
struct place_type;
struct gke_options;

typedef void place_left_fn(void *context);

/* The place as given on the command line. */
struct place_spec {
    const struct place_type *type;
    struct sandbox_address address; /* where the type needs none, empty */
    const struct gke_options *gke;  /* of place_gke */
};

struct place_type {
    struct place *(*open)(const struct place_spec *spec, const struct place_host *host);
    void (*find)(struct place *place, bool nobody_answers);
    void (*leave)(struct place *place, place_left_fn *done, void *context);
    void (*close)(struct place *place);
    const char *(*title)(const struct place *place);        /* NULL: it has none */
    bool (*explain)(struct place *place, const char *told); /* NULL: knows nothing */
    bool (*replace)(struct place *place, const char *why);  /* NULL: it has one */
    /* All NULL: it cannot be paused. */
    unsigned (*pause_after)(const struct place *place);
    bool (*pause)(struct place *place);
    void (*resume)(struct place *place);
    /* All NULL: what another process has found there cannot be found again. */
    char *(*identify)(const struct place *place);
    const char *(*mark)(const struct place *place);
    void (*find_again)(struct place *place, const char *mark);
    void (*drop)(struct place *place);
};

/* What each type's struct begins with. */
struct place {
    const struct place_type *type;
    struct place_host host;
};

extern const struct place_type place_local; /* this user's sandboxd, which it starts */
extern const struct place_type place_runsc; /* one of the kernel's own, under gVisor */
extern const struct place_type place_given; /* an address of the user's */
extern const struct place_type place_gke;   /* a pod of a cluster, claimed for us */

static inline struct place *
place_open(const struct place_spec *spec, const struct place_host *host)
{
    return spec->type->open(spec, host);
}

/* Ends in one call of on_found or on_failed. nobody_answers: true if nothing answers at
 * the address found before, within the same claim. The same address may be found again;
 * the claim is then tried again, a little later, until its time is up. */
static inline void
place_find(struct place *place, bool nobody_answers)
{
    place->type->find(place, nobody_answers);
}

/* No sandbox is wanted there now: ends a place_find that is under way (no callback
 * follows) and gives back what the place got. done (may be NULL) is called once that is
 * done or has failed, perhaps before this returns, but not after place_close. May be
 * called at any time, more than once. */
static inline void
place_leave(struct place *place, place_left_fn *done, void *context)
{
    place->type->leave(place, done, context);
}

/* The name of what was lost, for messages about a loss: "pod lab/py-abc". NULL: no
 * name. */
static inline const char *
place_title(const struct place *place)
{
    return place->type->title ? place->type->title(place) : NULL;
}

/* The sandbox there reports that it has ended, or is silent. True: the place may know
 * more, and on_failed follows. */
static inline bool
place_explain(struct place *place, const char *told)
{
    return place->type->explain && place->type->explain(place, told);
}

/* What was found cannot be reached at all. True: the place gives it back and looks for
 * another, as place_find. */
static inline bool
place_replace(struct place *place, const char *why)
{
    return place->type->replace && place->type->replace(place, why);
}

/* Does it find again what another process has found there? */
static inline bool
place_can_find_again(const struct place_spec *spec)
{
    return spec->type->find_again;
}

/* What tells this place from all others, the same in each process; the caller's. NULL:
 * it finds nothing again. */
static inline char *
place_identify(const struct place *place)
{
    return place->type->identify ? place->type->identify(place) : NULL;
}

/* By what another process finds again what was found here; borrowed, until it is left.
 */
static inline const char *
place_mark(const struct place *place)
{
    return place->type->mark(place);
}

/* As place_find, for what another process has found. Ends in on_missing if it is not
 * there any more; then call place_leave. */
static inline void
place_find_again(struct place *place, const char *mark)
{
    place->type->find_again(place, mark);
}

/* As place_leave, but what place_find_again looks for stays as it is. */
static inline void
place_drop(struct place *place)
{
    place->type->drop(place);
}

/* The seconds after which a sandbox that nobody uses is paused; 0: never. */
static inline unsigned
place_pause_after(const struct place *place)
{
    return place->type->pause_after ? place->type->pause_after(place) : 0;
}

/* What was found is not needed for now. True: on_paused follows, unless place_resume is
 * called before. It keeps its memory. */
static inline bool
place_pause(struct place *place)
{
    return place->type->pause(place);
}

/* As place_find, for what was paused, or was about to be: its address may be another.
 */
static inline void
place_resume(struct place *place)
{
    place->type->resume(place);
}

static inline void
place_close(struct place *place)
{
    if (place)
        place->type->close(place);
}
