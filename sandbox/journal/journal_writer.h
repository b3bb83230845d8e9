/*
 * journal_writer: text that is printed and not yet sent, kept in memory that outlives
 * the process (journal_memory.h).
 *
 * Loaded by the zygote through ctypes (sandbox/worker/cellpod/journal.py): it is what
 * each print() of a cell goes through. It calls a few functions of Python's stable
 * interface, which are in whatever process loads it: so it needs no header of a Python,
 * and fits each. Python's lock is held in all of it: a call is one step for the others.
 */
#pragma once

#include <stdint.h>

typedef struct _object PyObject;

/* fd: the memory that sandboxd has lent, or -1: none, and nothing survives. pending: a
 * list, borrowed for ever. Returns 0, or -1 and errno. */
int journal_writer_open(int fd, PyObject *pending) __attribute__((warn_unused_result));

/*
 * A new reference to a Python function `put(name, request, text)`, which appends the
 * three to pending and keeps the text. It returns how many bytes wait to be sent; or a
 * huge number, if the text could not be kept and so should be sent at once.
 */
PyObject *journal_writer_function(void);

/* Moves what a stream's pipe holds into pending, a piece of it at most; what ends in
 * the middle of a character is kept until the rest is there. fd does not block. Returns
 * how many bytes were taken out of the pipe, or -1 with Python's error set. */
int64_t journal_writer_take(int fd, PyObject *name, PyObject *request);
int64_t journal_writer_waiting(void);

/* Bytes of text that are about to be sent. Returns where they end in all text of this
 * worker, or 0: nobody needs to know. */
int64_t journal_writer_say(int64_t bytes);
void journal_writer_forget(void); /* what was sent, if that is all there is */

/* In a fork that is not a worker: what it prints is lost when it dies. */
int journal_writer_leave(void) __attribute__((warn_unused_result));
void journal_writer_take_over(
    void); /* in a fork that is the worker: what was kept is told */
