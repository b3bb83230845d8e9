/*
 * exec_plugin: runs the program of a kubeconfig that prints credentials.
 *
 * By posix_spawn, in its own session, without a terminal, with limits for its time and
 * its output. Its stderr may hold secrets and is thrown away: users who run the command
 * by hand see it.
 */
#pragma once

#include <czmq.h>

#include "kube/access/exec_credential.h"

struct exec_plugin;

/* Called exactly once, unless cancelled. The callee may take the credential; it is NULL
 * if there is none, and then err says why. */
typedef void exec_plugin_done_fn(void *context, struct exec_credential *credential,
                                 const struct error *err);

/* access outlives the run. */
int exec_plugin_start(struct exec_plugin **out, zloop_t *loop,
                      const struct kube_access *access, exec_plugin_done_fn *done,
                      void *context, struct error *err) MUST_CHECK;
void exec_plugin_cancel(struct exec_plugin *plugin); /* ends the program; may be NULL */
