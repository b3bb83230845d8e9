/*
 * outputs: what this kernel's cells put out goes to the archive as it is published.
 *
 * A cell is begun with its id in the notebook, which its client sends as `cellId` in
 * the metadata of the request, and named as the sandbox knows it: so the next kernel,
 * which takes over the session, goes on with the same cell. Silent requests, `%outputs`
 * and
 * `%fresh` are no cells here; nor are answers to input().
 */
#pragma once

#include "common/error.h"

struct kernel;
struct request;

int outputs_start(struct kernel *kernel, struct error *err) MUST_CHECK;

/* The request is worked on from here on. */
void outputs_begin(struct kernel *kernel, const struct request *request);
/* It goes to the sandbox by this id. */
void outputs_name(struct kernel *kernel, const struct request *request, const char *id);
/* An earlier kernel's request may put out more; "": there is none. */
void outputs_go_on_with(struct kernel *kernel, const char *id);
/* An earlier kernel's request is over; "": there is none. */
void outputs_end_earlier(struct kernel *kernel, const char *id);

/* The archive has an answer, or something to tell the user. */
void outputs_take_news(struct kernel *kernel);
