#include "kernel/output/inspector.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* --- jobs --- */

static void
copy_section(struct inspector_job *job, struct slice *section, struct slice given)
{
    section->data = job->bytes.data + job->bytes.len; /* there is room: no move */
    section->len = given.len;
    buffer_append(&job->bytes, given.data, given.len);
}

static size_t
size_of(const struct envelope *event)
{
    size_t len = event->content.len + event->metadata.len;

    for (size_t i = 0; i < event->buffer_count; i++)
        len += event->buffers[i].len;
    return len;
}

struct inspector_job *
inspector_job_new(const struct envelope *event, const struct inspection_order *order)
{
    struct inspector_job *job = xcalloc(1, sizeof(*job));
    const size_t count = event->buffer_count;

    job->bytes = (struct buffer)BUFFER_INIT(SIZE_MAX);
    buffer_reserve(&job->bytes, size_of(event) + 1);
    job->event = *event;
    json_incref(job->event.line);
    copy_section(job, &job->event.content, event->content);
    copy_section(job, &job->event.metadata, event->metadata);
    job->event.buffers = count ? xcalloc(count, sizeof(*event->buffers)) : NULL;
    for (size_t i = 0; i < count; i++)
        copy_section(job, &job->event.buffers[i], event->buffers[i]);
    job->order = *order;
    job->order.content = job->event.content;
    job->order.metadata = job->event.metadata;
    inspection_init(&job->result);
    return job;
}

void
inspector_job_free(struct inspector_job *job)
{
    if (!job)
        return;
    inspection_release(&job->result);
    envelope_release(&job->event);
    buffer_release(&job->bytes);
    free(job);
}

/* --- the thread --- */

static struct inspector_job *
wait_for_job(struct inspector *inspector)
{
    while (!inspector->is_ending && (!inspector->job || inspector->is_done))
        pthread_cond_wait(&inspector->news, &inspector->mutex);
    return inspector->is_ending ? NULL : inspector->job;
}

static void
tell_done(struct inspector *inspector)
{
    const uint64_t one = 1;

    inspector->is_done = true;
    pthread_cond_broadcast(&inspector->news);
    (void)!write(inspector->fd, &one, sizeof(one));
}

static void *
work(void *context)
{
    struct inspector *inspector = context;
    struct inspector_job *job;

    pthread_mutex_lock(&inspector->mutex);
    while ((job = wait_for_job(inspector))) {
        pthread_mutex_unlock(&inspector->mutex);
        inspection_run(&job->order, &job->result);
        pthread_mutex_lock(&inspector->mutex);
        tell_done(inspector);
    }
    pthread_mutex_unlock(&inspector->mutex);
    return NULL;
}

int
inspector_start(struct inspector *inspector, struct error *err)
{
    inspector->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (inspector->fd < 0)
        return error_sys(err, "start the inspector");
    pthread_mutex_init(&inspector->mutex, NULL);
    pthread_cond_init(&inspector->news, NULL);
    errno = pthread_create(&inspector->thread, NULL, work, inspector);
    inspector->is_running = errno == 0;
    return inspector->is_running ? 0 : error_sys(err, "start the inspector");
}

void
inspector_stop(struct inspector *inspector)
{
    if (!inspector->is_running)
        return;
    pthread_mutex_lock(&inspector->mutex);
    inspector->is_ending = true;
    pthread_cond_broadcast(&inspector->news);
    pthread_mutex_unlock(&inspector->mutex);
    pthread_join(inspector->thread, NULL);
    inspector_job_free(TAKE(inspector->job));
    pthread_cond_destroy(&inspector->news);
    pthread_mutex_destroy(&inspector->mutex);
    close(inspector->fd);
    inspector->is_running = false;
}

/* --- the event loop's side --- */

void
inspector_begin(struct inspector *inspector, struct inspector_job *job)
{
    pthread_mutex_lock(&inspector->mutex);
    inspector->job = job;
    inspector->is_done = false;
    pthread_cond_broadcast(&inspector->news);
    pthread_mutex_unlock(&inspector->mutex);
}

bool
inspector_is_busy(const struct inspector *inspector)
{
    return inspector->job != NULL; /* which only the loop changes */
}

struct inspector_job *
inspector_take(struct inspector *inspector)
{
    uint64_t count;

    pthread_mutex_lock(&inspector->mutex);
    while (!inspector->is_done)
        pthread_cond_wait(&inspector->news, &inspector->mutex);
    struct inspector_job *job = TAKE(inspector->job);
    pthread_mutex_unlock(&inspector->mutex);
    (void)!read(inspector->fd, &count, sizeof(count));
    return job;
}
