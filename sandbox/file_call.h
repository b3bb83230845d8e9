/*
 * file_call: one HTTP request for a file of a sandbox's workspace.
 *
 * Waits until the sandbox is ready, without reading the body. What differs between the
 * APIs that name files (ours, and those of agent-sandbox) is a struct file_style.
 */
#pragma once

#include "sandbox/httpd.h"
#include "sandbox/sandbox.h"

struct file_style {
    /* How an error is told. */
    void (*fail)(struct http_request *request, const struct error *err);
    /* A listing; takes entries, as workspace_list gives them. */
    void (*listing)(struct http_request *request, const char *path, json_t *entries);
};

/* Each takes the rest of the request's path, encoded, and answers. */
void file_call_read(struct http_request *request, struct sandbox *sandbox,
                    struct slice path, const struct file_style *style);
void file_call_write(struct http_request *request, struct sandbox *sandbox,
                     struct slice path, const struct file_style *style);
void file_call_remove(struct http_request *request, struct sandbox *sandbox,
                      struct slice path, const struct file_style *style);

/* Our own style: errors as everywhere in the API, listings as in agent-sandbox's. */
extern const struct file_style file_style_ours;
void file_style_listing(struct http_request *request, const char *path,
                        json_t *entries);
