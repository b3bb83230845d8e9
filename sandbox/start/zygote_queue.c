#include "sandbox/start/zygote_queue.h"

void
zygote_queue_add(struct zygote_job **queue, struct zygote_job *job)
{
    job->state = JOB_WAITING;
    job->next = NULL;
    while (*queue)
        queue = &(*queue)->next;
    *queue = job;
}

void
zygote_queue_remove(struct zygote_job **queue, struct zygote_job *job)
{
    for (struct zygote_job **at = queue; *at; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            break;
        }
    auto_fd(&job->init_socket);
    job->init_socket = -1;
    json_decref(TAKE(job->spec));
    job->state = JOB_NONE;
    job->zygote = NULL;
    job->next = NULL;
}

struct zygote_job *
zygote_queue_find(struct zygote_job *queue, const char *id)
{
    for (struct zygote_job *job = queue; job; job = job->next)
        if (job->state == JOB_SENT && id && strcmp(job->id, id) == 0)
            return job;
    return NULL;
}

void
zygote_queue_fail(struct zygote_job **queue, struct zygote_job *job,
                  const json_t *failure)
{
    zygote_queue_remove(queue, job);
    job->on_failed(job->context, failure);
}

void
zygote_queue_fail_all(struct zygote_job **queue, enum zygote_job_state state,
                      const json_t *failure)
{
    struct zygote_job *next;

    for (struct zygote_job *job = *queue; job; job = next) {
        next = job->next;
        if (job->state == state)
            zygote_queue_fail(queue, job, failure);
    }
}
