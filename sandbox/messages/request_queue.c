#include "sandbox/messages/request_queue.h"

#include <assert.h>

#include "common/envelope.h"
#include "common/limits.h"

struct waiting {
    struct request *first, **last;
};

/* Beside what runs; the one that came last is first. */
struct open {
    struct request *first;
    size_t count, bytes;
};

struct request_queue {
    struct request *running; /* owned */
    struct waiting main, beside;
    struct open asides, besides;
    size_t count, bytes; /* that wait */
    struct trace_id trace;
    json_t *known; /* id -> has it been started? */
    char *ring[LIMIT_KNOWN_REQUESTS];
    size_t oldest;
};

static void
request_free(struct request *request)
{
    if (!request)
        return;
    buffer_release(&request->bytes);
    free(request->id);
    free(request);
}

struct request_queue *
request_queue_new(void)
{
    struct request_queue *queue = xcalloc(1, sizeof(*queue));

    queue->main.last = &queue->main.first;
    queue->beside.last = &queue->beside.first;
    queue->known = json_object();
    return queue;
}

static void
free_all(struct request *first)
{
    while (first) {
        struct request *request = first;
        first = request->next;
        request_free(request);
    }
}

void
request_queue_free(struct request_queue *queue)
{
    if (!queue)
        return;
    request_free(queue->running);
    free_all(queue->main.first);
    free_all(queue->beside.first);
    free_all(queue->asides.first);
    free_all(queue->besides.first);
    for (size_t i = 0; i < COUNT_OF(queue->ring); i++)
        free(queue->ring[i]);
    json_decref(queue->known);
    free(queue);
}

static void
remember(struct request_queue *queue, const char *id)
{
    char **slot = &queue->ring[queue->oldest];

    queue->oldest = (queue->oldest + 1) % COUNT_OF(queue->ring);
    if (*slot)
        json_object_del(queue->known, *slot);
    free(*slot);
    *slot = xstrdup(id);
    json_object_set_new(queue->known, id, json_false());
}

static int
check_room(const struct request_queue *queue, size_t len, struct error *err)
{
    if (queue->count >= LIMIT_QUEUED_REQUESTS)
        return error_set(err, ERR_BUSY, "%d requests are already waiting",
                         LIMIT_QUEUED_REQUESTS);
    if (queue->count && len > LIMIT_QUEUED_BYTES - queue->bytes)
        return error_set(err, ERR_BUSY, "%zu bytes of requests are already waiting",
                         queue->bytes);
    return 0;
}

static int
check_envelope(struct slice bytes, struct envelope *e, struct error *err)
{
    ssize_t used = envelope_parse(bytes, e, NULL, err);

    if (used < 0)
        return -1;
    if (used == 0 || (size_t)used != bytes.len)
        return error_set(err, ERR_BAD_INPUT, "the body is not exactly one envelope");
    const struct message_type *type = messages_find(e->type);
    if (!type || !messages_is_for_worker(type))
        return error_set(err, ERR_BAD_INPUT, "no request is called %.64s", e->type);
    if (!*e->id)
        return error_set(err, ERR_BAD_INPUT, "the request has no id");
    return 0;
}

/* A debug_request has a channel of its own. */
static bool
is_beside(const struct envelope *e)
{
    return json_is_string(json_object_get(e->line, "beside")) &&
           messages_find(e->type)->kind != MESSAGE_IS_ASIDE;
}

int
request_queue_add(struct request_queue *queue, struct buffer *bytes, struct error *err)
{
    AUTO(envelope) struct envelope e = ENVELOPE_INIT;

    if (check_envelope(buffer_slice(bytes), &e, err) < 0)
        return -1;
    if (json_object_get(queue->known, e.id))
        return 1;
    if (check_room(queue, bytes->len, err) < 0)
        return -1;
    struct request *request = xcalloc(1, sizeof(*request));
    request->type = messages_find(e.type);
    request->id = xstrdup(e.id);
    request->bytes = *bytes;
    request->trace = queue->trace;
    *bytes = (struct buffer)BUFFER_INIT(bytes->max);
    struct waiting *waiting = is_beside(&e) ? &queue->beside : &queue->main;
    *waiting->last = request;
    waiting->last = &request->next;
    queue->count++;
    queue->bytes += request->bytes.len;
    remember(queue, request->id);
    return 0;
}

const struct request *
request_queue_next(const struct request_queue *queue)
{
    return queue->main.first;
}

void
request_queue_set_trace(struct request_queue *queue, const struct trace_id *trace)
{
    queue->trace = trace ? *trace : (struct trace_id){""};
}

const struct request *
request_queue_newest(const struct request_queue *queue)
{
    const struct waiting *main = &queue->main;

    return main->first ? (const struct request *)((const char *)main->last -
                                                  offsetof(struct request, next))
                       : NULL;
}

/* *at is not NULL: it waits no longer. */
static struct request *
unlink_at(struct request_queue *queue, struct waiting *waiting, struct request **at)
{
    struct request *request = *at;

    *at = TAKE(request->next);
    if (!*at)
        waiting->last = at;
    queue->count--;
    queue->bytes -= request->bytes.len;
    json_object_set_new(queue->known, request->id, json_true());
    return request;
}

struct request *
request_queue_start(struct request_queue *queue)
{
    assert(!queue->running);
    if (!queue->main.first)
        return NULL;
    return queue->running = unlink_at(queue, &queue->main, &queue->main.first);
}

const struct request *
request_queue_running(const struct request_queue *queue)
{
    return queue->running;
}

void
request_queue_end(struct request_queue *queue)
{
    request_free(TAKE(queue->running));
}

bool
request_queue_is_running(const struct request_queue *queue, const char *id)
{
    return queue->running && strcmp(queue->running->id, id) == 0;
}

bool
request_queue_knows(const struct request_queue *queue, const char *id)
{
    return json_is_true(json_object_get(queue->known, id));
}

size_t
request_queue_waiting(const struct request_queue *queue)
{
    return queue->count;
}

/* --- beside what runs --- */

static struct request *
open_request(struct open *open, struct request *request)
{
    request->next = open->first;
    open->first = request;
    open->count++;
    open->bytes += request->bytes.len;
    return request;
}

static struct request *
find_open(const struct open *open, const char *id)
{
    for (struct request *request = open->first; request; request = request->next)
        if (strcmp(request->id, id) == 0)
            return request;
    return NULL;
}

static void
end_open(struct open *open, const char *id)
{
    struct request **at = &open->first;

    while (*at && strcmp((*at)->id, id) != 0)
        at = &(*at)->next;
    struct request *request = *at;
    if (!request)
        return;
    *at = request->next;
    open->count--;
    open->bytes -= request->bytes.len;
    request_free(request);
}

struct request *
request_queue_start_aside(struct request_queue *queue)
{
    struct request **at = &queue->main.first;

    while (*at && (*at)->type->kind != MESSAGE_IS_ASIDE)
        at = &(*at)->next;
    if (!*at || queue->asides.count >= LIMIT_ASIDES)
        return NULL;
    return open_request(&queue->asides, unlink_at(queue, &queue->main, at));
}

bool
request_queue_is_aside(const struct request_queue *queue, const char *id,
                       enum message_id reply)
{
    const struct request *open = find_open(&queue->asides, id);

    return open && open->type->reply == reply;
}

const struct request *
request_queue_first_aside(const struct request_queue *queue)
{
    return queue->asides.first;
}

void
request_queue_end_aside(struct request_queue *queue, const char *id)
{
    end_open(&queue->asides, id);
}

static bool
has_room_beside(const struct request_queue *queue)
{
    const struct open *open = &queue->besides;

    return open->count < LIMIT_BESIDES &&
           (!open->count ||
            queue->beside.first->bytes.len <= LIMIT_QUEUED_BYTES - open->bytes);
}

struct request *
request_queue_start_beside(struct request_queue *queue)
{
    if (!queue->beside.first || !has_room_beside(queue))
        return NULL;
    return open_request(&queue->besides,
                        unlink_at(queue, &queue->beside, &queue->beside.first));
}

struct request *
request_queue_find_beside(const struct request_queue *queue, const char *id)
{
    return find_open(&queue->besides, id);
}

const struct request *
request_queue_first_beside(const struct request_queue *queue)
{
    return queue->besides.first;
}

void
request_queue_end_beside(struct request_queue *queue, const char *id)
{
    end_open(&queue->besides, id);
}

bool
request_queue_has_besides(const struct request_queue *queue)
{
    return queue->besides.first || queue->beside.first;
}
