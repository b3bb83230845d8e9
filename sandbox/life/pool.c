#include "sandbox/life/pool.h"

#include "common/json_text.h"
#include "common/limits.h"
#include "sandbox/resources/process.h"

struct end_waiter {
    pool_fn done;
    void *context;
    struct end_waiter *next;
};

struct pool {
    struct sandbox_host host;
    unsigned capacity;
    size_t count;
    uint64_t claims;
    struct tally tally;
    bool is_open;
    char *claim_key;                  /* NULL: none */
    char default_task[TOKEN_LEN + 1]; /* nobody can guess it, and so claim it */
    bool is_closed;
    pool_fn on_gone;
    void *context;
    struct {
        struct sandbox *sandbox; /* owned */
        struct end_waiter *waiters;
    } slots[LIMIT_SANDBOXES];
};

static void
on_sandbox_gone(void *context, struct sandbox *sandbox)
{
    struct pool *pool = context;
    unsigned slot = sandbox_slot(sandbox);

    sandbox_free(TAKE(pool->slots[slot].sandbox));
    pool->count--;
    while (pool->slots[slot].waiters) {
        struct end_waiter *waiter = pool->slots[slot].waiters;
        pool->slots[slot].waiters = waiter->next;
        waiter->done(waiter->context);
        free(waiter);
    }
    if (pool->on_gone)
        pool->on_gone(pool->context);
}

struct pool *
pool_new(const struct sandbox_host *host, unsigned capacity)
{
    struct pool *pool = xcalloc(1, sizeof(*pool));

    token_random_hex(pool->default_task, TOKEN_BYTES);
    pool->host = *host;
    pool->host.on_gone = on_sandbox_gone;
    pool->host.context = pool;
    pool->host.tally = &pool->tally;
    tally_init(&pool->tally);
    pool->capacity = capacity < LIMIT_SANDBOXES ? capacity : LIMIT_SANDBOXES;
    return pool;
}

void
pool_free(struct pool *pool)
{
    if (!pool)
        return;
    for (unsigned i = 0; i < COUNT_OF(pool->slots); i++)
        sandbox_free(pool->slots[i].sandbox);
    free(pool->claim_key);
    free(pool);
}

void
pool_on_gone(struct pool *pool, pool_fn on_gone, void *context)
{
    pool->on_gone = on_gone;
    pool->context = context;
}

static struct sandbox *
at_slot(struct pool *pool, unsigned slot)
{
    struct sandbox *sandbox = pool->slots[slot].sandbox;

    return sandbox && !sandbox_is_ending(sandbox) ? sandbox : NULL;
}

static struct sandbox *
find_task(struct pool *pool, const char *task_id)
{
    for (unsigned i = 0; i < pool->capacity; i++) {
        struct sandbox *sandbox = at_slot(pool, i);
        if (sandbox && strcmp(sandbox_task_id(sandbox), task_id) == 0)
            return sandbox;
    }
    return NULL;
}

/* The one that has waited for the shortest time, if several do. */
static struct sandbox *
find_kept(struct pool *pool, const struct claim *claim, int socket)
{
    const uid_t user = process_peer_user(socket);
    struct sandbox *found = NULL;

    for (unsigned i = 0; i < pool->capacity; i++) {
        struct sandbox *sandbox = at_slot(pool, i);
        if (sandbox)
            sandbox_keep_look(sandbox);
        if (sandbox && sandbox_keep_waits_for(sandbox, claim, user) &&
            (!found || sandbox_keep_since(sandbox) > sandbox_keep_since(found)))
            found = sandbox;
    }
    return found;
}

/* Of a claim over TCP: the one that was claimed by a task which it knows. */
static struct sandbox *
find_before(struct pool *pool, const struct claim *claim, struct error *err)
{
    const json_t *tasks = json_object_get(claim->keep, "before");
    size_t i;
    json_t *task;

    json_array_foreach (tasks, i, task) {
        struct sandbox *sandbox = find_task(pool, json_string_value(task));
        if (sandbox && sandbox_keep_is_for(sandbox, claim))
            return sandbox;
    }
    return (void)error_set(err, ERR_CONFLICT, "the session from before is not here"),
           NULL;
}

/* Another kernel was first. */
static const struct sandbox *
find_elsewhere(struct pool *pool, const struct claim *claim, int socket)
{
    for (unsigned i = 0; i < pool->capacity && claim->keep; i++) {
        const struct sandbox *sandbox = at_slot(pool, i);
        if (sandbox &&
            sandbox_keep_is_elsewhere(sandbox, claim, process_peer_user(socket)))
            return sandbox;
    }
    return NULL;
}

struct sandbox *
pool_find(struct pool *pool, struct slice id)
{
    for (unsigned i = 0; i < pool->capacity; i++) {
        struct sandbox *sandbox = at_slot(pool, i);
        if (sandbox && slice_equals(slice_of(sandbox_id(sandbox)), id))
            return sandbox;
    }
    return NULL;
}

/* Every one is compared: the time it takes says nothing. */
struct sandbox *
pool_find_token(struct pool *pool, const char *token)
{
    struct sandbox *found = NULL;

    for (unsigned i = 0; i < pool->capacity; i++) {
        struct sandbox *sandbox = at_slot(pool, i);
        if (sandbox && token_matches(sandbox_token(sandbox), token))
            found = sandbox;
    }
    return found;
}

static int
free_slot(const struct pool *pool, struct error *err)
{
    for (unsigned i = 0; i < pool->capacity; i++)
        if (!pool->slots[i].sandbox)
            return (int)i;
    return error_set(err, ERR_BUSY,
                     "all %u sandboxes are in use: end one, or start "
                     "cellpod-sandboxd with a larger --capacity",
                     pool->capacity);
}

static struct sandbox *
take_before(struct pool *pool, const struct claim *claim, struct error *err)
{
    struct sandbox *sandbox = find_before(pool, claim, err);

    if (sandbox)
        sandbox_keep_take_from_afar(sandbox, claim);
    return sandbox;
}

static int
parse(struct slice body, const struct claimant *claimant, struct claim *out,
      struct error *err)
{
    if (claim_parse(body, out, err) < 0)
        return -1;
    return claimant->is_remote ? claim_check_remote(out, err)
                               : claim_check_local(out, err);
}

struct sandbox *
pool_claim(struct pool *pool, struct slice body, const struct claimant *claimant,
           bool *created, struct error *err)
{
    AUTO(claim) struct claim claim = {.tree = NULL};
    AUTO(sandbox) struct sandbox *sandbox = NULL;
    struct sandbox *earlier;
    int slot;

    *created = false;
    if (pool->is_closed)
        return (void)error_set(err, ERR_UNAVAILABLE, "this sandboxd is shutting down"),
               NULL;
    if (parse(body, claimant, &claim, err) < 0)
        return NULL;
    if ((earlier = find_task(pool, claim.task_id)))
        return earlier;
    if (json_object_get(claim.keep, "before"))
        return take_before(pool, &claim, err);
    if (claim.keep && (earlier = find_kept(pool, &claim, claimant->socket)))
        return sandbox_keep_take(earlier, &claim, claimant->socket, err) < 0 ? NULL
                                                                             : earlier;
    if ((slot = free_slot(pool, err)) < 0)
        return NULL;
    bool has_owner = claim.owner;
    const struct sandbox *elsewhere = find_elsewhere(pool, &claim, claimant->socket);
    sandbox = sandbox_new(&pool->host, &claim, (unsigned)slot, err);
    if (!sandbox ||
        (has_owner && sandbox_set_owner(sandbox, claimant->socket, err) < 0))
        return NULL;
    if (elsewhere)
        sandbox_keep_tell(sandbox, elsewhere);
    *created = true;
    pool->count++;
    pool->claims++;
    return pool->slots[slot].sandbox = TAKE(sandbox);
}

struct sandbox *
pool_default(struct pool *pool, struct error *err)
{
    AUTO(buffer) struct buffer body = BUFFER_INIT(SIZE_MAX);
    const struct claimant ourselves = {.socket = -1, .is_remote = true};
    bool created;

    json_text_append(&body, json_pack("{s:s}", "task_id", pool->default_task));
    return pool_claim(pool, buffer_slice(&body), &ourselves, &created, err);
}

void
pool_open(struct pool *pool)
{
    pool->is_open = true;
}

void
pool_set_claim_key(struct pool *pool, const char *key)
{
    pool->claim_key = key ? xstrdup(key) : NULL;
}

const char *
pool_claim_key(const struct pool *pool)
{
    return pool->claim_key;
}

bool
pool_is_open(const struct pool *pool)
{
    return pool->is_open;
}

bool
pool_is_warm(const struct pool *pool)
{
    return !pool->host.is_pod || zygote_pool_is_warm(pool->host.zygotes);
}

json_t *
pool_describe(struct pool *pool)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < pool->capacity; i++) {
        struct sandbox *sandbox = at_slot(pool, i);
        if (sandbox)
            json_array_append_new(list, sandbox_describe(sandbox));
    }
    return list;
}

unsigned
pool_capacity(const struct pool *pool)
{
    return pool->capacity;
}

const struct tally *
pool_tally(const struct pool *pool)
{
    return &pool->tally;
}

uint64_t
pool_claims(const struct pool *pool)
{
    return pool->claims;
}

size_t
pool_count(const struct pool *pool)
{
    return pool->count;
}

void
pool_end(struct pool *pool, struct sandbox *sandbox, pool_fn done, void *context)
{
    unsigned slot = sandbox_slot(sandbox);
    struct end_waiter *waiter = xcalloc(1, sizeof(*waiter));

    *waiter = (struct end_waiter){done, context, pool->slots[slot].waiters};
    pool->slots[slot].waiters = waiter;
    sandbox_end(sandbox, "deleted", "the sandbox has ended: it was deleted");
}

void
pool_close(struct pool *pool)
{
    pool->is_closed = true;
    for (unsigned i = 0; i < pool->capacity; i++)
        if (pool->slots[i].sandbox)
            sandbox_end(pool->slots[i].sandbox, "sandboxd",
                        pool->host.is_pod
                            ? "the sandbox has ended: its pod was stopped"
                            : "the sandbox has ended: sandboxd is shutting down");
}

void
pool_warn(struct pool *pool, int64_t ms)
{
    pool->is_closed = true;
    for (unsigned i = 0; i < pool->capacity; i++)
        if (at_slot(pool, i))
            sandbox_warn(at_slot(pool, i), ms);
}

bool
pool_is_closed(const struct pool *pool)
{
    return pool->is_closed;
}

bool
pool_is_attended(const struct pool *pool)
{
    for (unsigned i = 0; i < pool->capacity; i++)
        if (pool->slots[i].sandbox &&
            event_log_has_readers(sandbox_log(pool->slots[i].sandbox)))
            return true;
    return false;
}
