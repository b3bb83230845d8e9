/*
 * exec_plugin: run the program of a kubeconfig that yields credentials.
 *
 * By posix_spawn, in a session of its own, without a terminal to ask at, with a time
 * limit; its output is bounded. What it says on stderr may hold secrets and is thrown
 * away: who runs the command by hand sees it.
 */
#pragma once

#include <czmq.h>

#include "kube/exec_credential.h"

struct exec_plugin;

/* Exactly once, unless cancelled; the credential is the callee's to take, NULL if there
 * is none, and then err says why. */
typedef void exec_plugin_done_fn(void *context, struct exec_credential *credential,
                                 const struct error *err);

/* access outlives the run. */
int exec_plugin_start(struct exec_plugin **out, zloop_t *loop,
                      const struct kube_access *access, exec_plugin_done_fn *done,
                      void *context, struct error *err) MUST_CHECK;
void exec_plugin_cancel(struct exec_plugin *plugin); /* ends the program; may be NULL */
