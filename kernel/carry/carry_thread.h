/*
 * carry_thread: does one thing after the other beside the loop: what reads or writes
 * the notebook's folder, which may be slow.
 */
#pragma once

#include <czmq.h>
#include <pthread.h>

#include "common/error.h"

typedef void carry_task_fn(void *task);

struct carry_thread {
    zloop_t *loop;
    void *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t news;
    int fd; /* readable once a task is done */
    bool is_running, is_ending, is_done;
    carry_task_fn *run, *done;
    void *task; /* NULL: none */
};

int carry_thread_start(struct carry_thread *thread, zloop_t *loop,
                       struct error *err) MUST_CHECK;
/* Waits for the task that is under way; its `done` is not called. */
void carry_thread_stop(struct carry_thread *thread);

/* Only when it is not busy. `run` is called there, then `done` by the loop. The task is
 * the caller's. */
void carry_thread_do(struct carry_thread *thread, carry_task_fn *run,
                     carry_task_fn *done, void *task);
bool carry_thread_is_busy(const struct carry_thread *thread);
