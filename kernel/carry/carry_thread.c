#include "kernel/carry/carry_thread.h"

#include <errno.h>
#include <sys/eventfd.h>

static bool
wait_for_task(struct carry_thread *thread)
{
    while (!thread->is_ending && (!thread->task || thread->is_done))
        pthread_cond_wait(&thread->news, &thread->mutex);
    return !thread->is_ending;
}

static void *
work(void *context)
{
    struct carry_thread *thread = context;
    const uint64_t one = 1;

    pthread_mutex_lock(&thread->mutex);
    while (wait_for_task(thread)) {
        pthread_mutex_unlock(&thread->mutex);
        thread->run(thread->task);
        pthread_mutex_lock(&thread->mutex);
        thread->is_done = true;
        (void)!write(thread->fd, &one, sizeof(one));
    }
    pthread_mutex_unlock(&thread->mutex);
    return NULL;
}

static int
on_done(zloop_t *loop UNUSED, zmq_pollitem_t *item UNUSED, void *context)
{
    struct carry_thread *thread = context;
    uint64_t count;

    if (read(thread->fd, &count, sizeof(count)) < 0)
        return 0;
    pthread_mutex_lock(&thread->mutex);
    void *task = TAKE(thread->task);
    thread->is_done = false;
    pthread_mutex_unlock(&thread->mutex);
    thread->done(task); /* may begin the next one */
    return 0;
}

int
carry_thread_start(struct carry_thread *thread, zloop_t *loop, struct error *err)
{
    if (thread->is_running)
        return 0;
    *thread = (struct carry_thread){.loop = loop};
    thread->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (thread->fd < 0)
        return error_sys(err, "start a thread for files");
    pthread_mutex_init(&thread->mutex, NULL);
    pthread_cond_init(&thread->news, NULL);
    errno = pthread_create(&thread->thread, NULL, work, thread);
    if (errno) {
        (void)error_sys(err, "start a thread for files");
        close(thread->fd);
        return -1;
    }
    thread->is_running = true;
    zmq_pollitem_t item = {.fd = thread->fd, .events = ZMQ_POLLIN};
    zloop_poller(loop, &item, on_done, thread);
    return 0;
}

void
carry_thread_stop(struct carry_thread *thread)
{
    if (!thread->is_running)
        return;
    pthread_mutex_lock(&thread->mutex);
    thread->is_ending = true;
    pthread_cond_broadcast(&thread->news);
    pthread_mutex_unlock(&thread->mutex);
    pthread_join(thread->thread, NULL);
    zmq_pollitem_t item = {.fd = thread->fd, .events = ZMQ_POLLIN};
    zloop_poller_end(thread->loop, &item);
    pthread_cond_destroy(&thread->news);
    pthread_mutex_destroy(&thread->mutex);
    close(thread->fd);
    thread->is_running = false;
}

void
carry_thread_do(struct carry_thread *thread, carry_task_fn *run, carry_task_fn *done,
                void *task)
{
    pthread_mutex_lock(&thread->mutex);
    thread->run = run;
    thread->done = done;
    thread->task = task;
    pthread_cond_broadcast(&thread->news);
    pthread_mutex_unlock(&thread->mutex);
}

bool
carry_thread_is_busy(const struct carry_thread *thread)
{
    return thread->task != NULL; /* which only the loop changes */
}
