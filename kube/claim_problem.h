/*
 * claim_problem: why a claim is of no use, or of no more use, in words for its user.
 *
 * kubectl is how that is called for this cluster.
 */
#pragma once

#include "kube/problem.h"
#include "kube/stage.h"

/* The server will never make it ready; facts->claim says why. */
void claim_problem_refused(const struct stage_facts *facts, const char *kubectl,
                           struct kube_problem *out);
/* No pod in time: for what was in the way last (out->message), or where it stands. */
void claim_problem_late(const struct stage_facts *facts, const char *kubectl,
                        unsigned wait_seconds, struct kube_problem *out);
/* It was ready as `title`. told, by what ran in the pod, may be "". */
void claim_problem_ended(const struct stage_facts *facts, const char *kubectl,
                         const char *title, const char *told, struct kube_problem *out);
