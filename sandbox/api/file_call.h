/*
 * file_call: one HTTP request for a file of a sandbox's workspace.
 *
 * Waits until the sandbox is ready, without reading the body. What differs between the
 * APIs that name files (ours, and those of agent-sandbox) is a struct file_style.
 */
#pragma once

#include "sandbox/http/http_request.h"
#include "sandbox/life/sandbox.h"

struct file_style {
    /* How an error is told. */
    void (*fail)(struct http_request *request, const struct error *err);
    /* A listing; takes entries, as workspace_list gives them. NULL: a folder is no
     * file. */
    void (*listing)(struct http_request *request, const char *path, json_t *entries);
    /* A form's file is there; `name` as the form has it. NULL: 204, without a body. */
    void (*uploaded)(struct http_request *request, const char *name);
    bool has_states; /* `unless` and the state of what was written, in the query */
};

/* Each takes the rest of the request's path, encoded, and answers. */
void file_call_read(struct http_request *request, struct sandbox *sandbox,
                    struct slice path, const struct file_style *style);
void file_call_write(struct http_request *request, struct sandbox *sandbox,
                     struct slice path, const struct file_style *style);
void file_call_remove(struct http_request *request, struct sandbox *sandbox,
                      struct slice path, const struct file_style *style);

/* All files of the workspace (sandbox/files/workspace_tree.h). */
void file_call_tree(struct http_request *request, struct sandbox *sandbox);
/* Of a folder alone. */
void file_call_list(struct http_request *request, struct sandbox *sandbox,
                    struct slice path, const struct file_style *style);
/* {"path":"as it was asked","exists":true} */
void file_call_exists(struct http_request *request, struct sandbox *sandbox,
                      struct slice path, const struct file_style *style);
/* The part `file` of a form (multipart/form-data), under its file name; or under `path`
 * where that is not NULL. */
void file_call_form(struct http_request *request, struct sandbox *sandbox,
                    const struct slice *path, const struct file_style *style);

/* Our own style: errors as everywhere in the API, listings as in agent-sandbox's. */
extern const struct file_style file_style_ours;
void file_call_style_listing(struct http_request *request, const char *path,
                             json_t *entries);
