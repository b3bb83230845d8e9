/*
 * claim_problem: why a claim cannot be used, or no longer, in words for its user.
 *
 * `kubectl` is the command line that calls kubectl for this cluster.
 */
#pragma once

#include "kube/problem.h"
#include "kube/stage.h"

/* The server will never make it ready; facts->claim says why. */
void claim_problem_refused(const struct stage_facts *facts, const char *kubectl,
                           struct kube_problem *out);
/* No pod in time: because of the last obstacle (out->message), or else how far it
 * came. */
void claim_problem_late(const struct stage_facts *facts, const char *kubectl,
                        unsigned wait_seconds, struct kube_problem *out);
/* It was ready as `title`, and is lost. `told` is the report of the program in the pod;
 * it may be "". */
void claim_problem_ended(const struct stage_facts *facts, const char *kubectl,
                         const char *title, const char *told, struct kube_problem *out);
