#include "sandbox/api/file_call.h"

#include <time.h>

#include "sandbox/files/workspace_tree.h"
#include "sandbox/http/http_form.h"
#include "sandbox/http/uri_path.h"

enum {
    DEFAULT_MODE = 0644,
};

struct file_call {
    struct http_request *request;
    const struct file_style *style;
    void (*run)(struct file_call *call, const struct workspace *workspace);
    struct waiter waiter;
    char *path, *asked;
    struct http_form *form; /* of a body that is one */
    char *form_name;        /* of the file in it */
    mode_t mode;
    bool recursive;
    struct workspace workspace; /* of a form: kept until its file begins */
    struct upload upload;
};

static void
drop(void *context)
{
    struct file_call *call = context;

    waiters_cancel(&call->waiter);
    upload_release(&call->upload);
    workspace_release(&call->workspace);
    http_form_free(call->form);
    free(call->form_name);
    free(call->path);
    free(call->asked);
    free(call);
}

static void
on_ready(void *context, struct sandbox *sandbox, const struct error *refused)
{
    struct file_call *call = context;
    struct error err;

    if (!refused && sandbox_workspace(sandbox)->root < 0) {
        (void)error_set(&err, ERR_UNAVAILABLE,
                        "the sandbox is restarting: try again in a second");
        refused = &err;
    }
    if (refused)
        call->style->fail(call->request, refused);
    else
        call->run(call, sandbox_workspace(sandbox));
}

/* --- the query --- */

static int
read_mode(const struct http_request *request, mode_t *out, struct error *err)
{
    const char *text = http_query(request, "mode");

    *out = DEFAULT_MODE;
    if (!text || !*text)
        return 0;
    if (text[0] != '0' || strlen(text) != 4 || strspn(text, "01234567") != 4)
        return error_set(err, ERR_BAD_INPUT, "mode must be like 0644");
    *out = (mode_t)strtoul(text, NULL, 8);
    return 0;
}

static int
read_recursive(const struct http_request *request, bool *out, struct error *err)
{
    const char *text = http_query(request, "recursive");

    *out = text && strcmp(text, "true") == 0;
    if (!text || *out || strcmp(text, "false") == 0)
        return 0;
    return error_set(err, ERR_BAD_INPUT, "recursive must be true or false");
}

static void
begin(struct http_request *request, struct sandbox *sandbox, struct slice path,
      const struct file_style *style,
      void (*run)(struct file_call *call, const struct workspace *workspace))
{
    struct file_call *call = xcalloc(1, sizeof(*call));
    struct error err;

    *call = (struct file_call){
        .request = request,
        .style = style,
        .run = run,
        .waiter = {.on_ready = on_ready, .context = call},
        .workspace = WORKSPACE_INIT,
        .upload = UPLOAD_INIT,
    };
    http_on_drop(request, drop, call);
    http_on_refusal(request, style->fail);
    if (uri_path_decode(path, &call->asked, &err) < 0 ||
        uri_path_clean(slice_of(call->asked), &call->path, &err) < 0 ||
        read_mode(request, &call->mode, &err) < 0 ||
        read_recursive(request, &call->recursive, &err) < 0)
        style->fail(request, &err);
    else
        sandbox_await(sandbox, &call->waiter);
}

/* --- reading --- */

static void
run_list(struct file_call *call, const struct workspace *workspace)
{
    struct error err;
    json_t *entries = workspace_list(workspace, call->path, &err);

    if (entries)
        call->style->listing(call->request, call->path, entries);
    else
        call->style->fail(call->request, &err);
}

static void
run_read(struct file_call *call, const struct workspace *workspace)
{
    struct error err;
    struct stat st;
    int file = workspace_open(workspace, call->path, &st, &err);

    if (file == -2 && !call->style->listing)
        (void)error_set(&err, ERR_NOT_FOUND, "%.200s: it is a folder", call->path);
    if (file == -2 && call->style->listing)
        run_list(call, workspace);
    else if (file < 0)
        call->style->fail(call->request, &err);
    else
        http_reply_file(call->request, file, (uint64_t)st.st_size);
}

void
file_call_read(struct http_request *request, struct sandbox *sandbox, struct slice path,
               const struct file_style *style)
{
    begin(request, sandbox, path, style, run_read);
}

void
file_call_list(struct http_request *request, struct sandbox *sandbox, struct slice path,
               const struct file_style *style)
{
    begin(request, sandbox, path, style, run_list);
}

static void
run_tree(struct file_call *call, const struct workspace *workspace)
{
    struct error err;
    json_t *tree = workspace_tree(workspace, &err);

    if (tree)
        http_reply(call->request, 200, tree);
    else
        call->style->fail(call->request, &err);
}

void
file_call_tree(struct http_request *request, struct sandbox *sandbox)
{
    begin(request, sandbox, SLICE(""), &file_style_ours, run_tree);
}

static void
run_exists(struct file_call *call, const struct workspace *workspace)
{
    struct error err;
    struct stat st;
    bool exists = workspace_stat(workspace, call->path, &st, &err) == 0;
    json_t *asked = json_string(call->asked);

    if (exists || err.kind == ERR_NOT_FOUND) {
        http_reply(call->request, 200,
                   json_pack("{s:o, s:b}", "path", asked ? asked : json_string(""),
                             "exists", exists));
        return;
    }
    json_decref(asked);
    call->style->fail(call->request, &err);
}

void
file_call_exists(struct http_request *request, struct sandbox *sandbox,
                 struct slice path, const struct file_style *style)
{
    begin(request, sandbox, path, style, run_exists);
}

/* --- writing --- */

static int
on_body(void *context, const char *data, size_t len, struct error *err)
{
    struct file_call *call = context;

    return upload_write(&call->upload, data, len, err);
}

/* 204 for who has not named a state. */
static void
reply_written(struct file_call *call)
{
    char state[WORKSPACE_STATE_SIZE];
    struct stat st;

    if (!call->upload.unless || fstat(call->upload.file, &st) < 0) {
        http_reply_empty(call->request, 204);
        return;
    }
    workspace_state(&st, state);
    http_reply(call->request, 200, json_pack("{s:s}", "state", state));
}

static void
on_body_end(void *context)
{
    struct file_call *call = context;
    struct error err;

    if (upload_end(&call->upload, &err) < 0) {
        upload_release(
            &call->upload); /* nothing is left, when the client hears of it */
        call->style->fail(call->request, &err);
    } else {
        reply_written(call);
    }
}

static void
run_write(struct file_call *call, const struct workspace *workspace)
{
    const struct http_sink sink = {on_body, on_body_end, call};
    struct error err;

    if (upload_begin(&call->upload, workspace, call->path, call->mode, &err) < 0) {
        call->style->fail(call->request, &err);
        return;
    }
    if (call->style->has_states)
        call->upload.unless = http_query(call->request, "unless");
    http_receive(call->request, &sink);
}

void
file_call_write(struct http_request *request, struct sandbox *sandbox,
                struct slice path, const struct file_style *style)
{
    begin(request, sandbox, path, style, run_write);
}

/* --- writing what a form holds --- */

/* The first file of that name is it; what else the form has is read, and dropped. */
static int
on_part(void *context, const char *key, const char *name, uint64_t offset,
        struct slice data, struct error *err)
{
    struct file_call *call = context;

    if (strcmp(key, "file") != 0 || (call->form_name && offset == 0))
        return 0;
    if (offset == 0) {
        call->form_name = xstrdup(name ? name : "");
        if (!call->path &&
            uri_path_clean(slice_of(call->form_name), &call->path, err) < 0)
            return -1;
        if (upload_begin(&call->upload, &call->workspace, call->path, call->mode, err) <
            0)
            return -1;
    }
    return upload_write(&call->upload, data.data, data.len, err);
}

static int
on_form(void *context, const char *data, size_t len, struct error *err)
{
    struct file_call *call = context;

    return http_form_read(call->form, data, len, err);
}

static void
on_form_end(void *context)
{
    struct file_call *call = context;
    struct error err;

    if (!call->form_name) {
        (void)error_set(&err, ERR_BAD_INPUT,
                        "the form has no part `file' that contains a file");
        call->style->fail(call->request, &err);
    } else if (upload_end(&call->upload, &err) < 0) {
        call->style->fail(call->request, &err);
    } else if (call->style->uploaded) {
        call->style->uploaded(call->request, call->form_name);
    } else {
        http_reply_empty(call->request, 204);
    }
}

static void
run_form(struct file_call *call, const struct workspace *workspace)
{
    if (!*call->asked)
        free(TAKE(call->path));
    const struct http_sink sink = {on_form, on_form_end, call};
    struct error err;

    call->form = http_form_new(call->request, on_part, call);
    if (!call->form)
        (void)error_set(&err, ERR_BAD_INPUT,
                        "the body is not a form (multipart/form-data)");
    if (!call->form || workspace_copy(workspace, &call->workspace, &err) < 0)
        call->style->fail(call->request, &err);
    else
        http_receive(call->request, &sink);
}

void
file_call_form(struct http_request *request, struct sandbox *sandbox,
               const struct slice *path, const struct file_style *style)
{
    begin(request, sandbox, path ? *path : SLICE(""), style, run_form);
}

/* --- removal --- */

static void
run_remove(struct file_call *call, const struct workspace *workspace)
{
    struct error err;

    if (workspace_remove(workspace, call->path, call->recursive, &err) < 0)
        call->style->fail(call->request, &err);
    else
        http_reply_empty(call->request, 204);
}

void
file_call_remove(struct http_request *request, struct sandbox *sandbox,
                 struct slice path, const struct file_style *style)
{
    begin(request, sandbox, path, style, run_remove);
}

/* --- our style --- */

static void
set_time(json_t *entry)
{
    time_t seconds = (time_t)json_real_value(json_object_get(entry, "mtime"));
    char text[32];
    struct tm utc;

    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    json_object_set_new(entry, "modified_at", json_string(text));
    json_object_del(entry, "mtime");
}

void
file_call_style_listing(struct http_request *request, const char *path, json_t *entries)
{
    AUTO(mem) char *named = xasprintf("/%s", strcmp(path, ".") == 0 ? "" : path);
    size_t index;
    json_t *entry, *shown = json_string(named);

    json_array_foreach (entries, index, entry)
        set_time(entry);
    http_reply(request, 200,
               json_pack("{s:o, s:o}", "path", shown ? shown : json_string("/"),
                         "entries", entries));
}

const struct file_style file_style_ours = {http_reply_error, file_call_style_listing,
                                           NULL, true};
