#include "kernel/carry/carry.h"

#include <stdio.h>

#include "kernel/carry/carry_path.h"

#define LOG_COMPONENT "carry"
#include "common/log.h"

enum {
    SEND_MS = 300000, /* no file is begun later */
};

/* --- what is told --- */

static void
append_sent(struct buffer *text, const struct carry *carry)
{
    buffer_printf(text, "sent %u file%s of the notebook's folder to the sandbox (",
                  carry->sent_files, carry->sent_files == 1 ? "" : "s");
    carry_left_append_size(text, carry->sent_bytes);
    buffer_append_text(text, ").");
}

/* The first time all of it, later what was not said before. */
static void
tell(struct carry *carry)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    const bool has_news = carry_left_count(&carry->left) &&
                          !carry_left_equals(&carry->left, &carry->told);

    if (!has_news && !(carry->is_first && carry->sent_files))
        return;
    buffer_append_text(&text, "cellpod: ");
    if (carry->sent_files)
        append_sent(&text, carry);
    if (has_news) {
        buffer_printf(&text, "%sNot sent: ", carry->sent_files ? " " : "");
        carry_left_append(&text, &carry->left);
        buffer_append_text(&text, ". For what is left out, and how to reach it, see "
                                  "docs/cluster.md, \"Files\".");
    }
    buffer_append_text(&text, "\n");
    carry->told = carry->left;
    carry_tell(carry, text.data);
}

static void
show_stage(struct carry *carry)
{
    AUTO(buffer) struct buffer size = BUFFER_INIT(SIZE_MAX);

    carry_left_append_size(&size, carry->sent_bytes);
    (void)snprintf(carry->stage, sizeof(carry->stage),
                   "sending the notebook's files: %zu of %zu looked at, %s sent",
                   carry->at, carry->scan.count, size.data);
    carry->owner.on_stage(carry->owner.context, carry->stage);
}

/* --- the end --- */

static void
finish(struct carry *carry)
{
    carry_left_add(&carry->left, &carry->scan.left);
    tell(carry);
    log_info("sent files=%u bytes=%llu left=%u", carry->sent_files,
             (unsigned long long)carry->sent_bytes, carry_left_count(&carry->left));
    carry->is_first = carry->is_first && !carry->sent_files;
    carry_end(carry);
    carry->owner.on_sent(carry->owner.context);
}

/* What is there before the first cell has run is no cell's work. */
static void
on_baseline(void *context, const struct http_result *result)
{
    struct carry *carry = context;
    struct carry_tree tree;
    struct error err;

    carry->is_old = result->status == 404;
    if (result->status != 200 || carry_tree_parse(result->body, &tree, &err) < 0) {
        log_error("no list of files status=%ld", result->status);
        finish(carry);
        return;
    }
    for (size_t i = 0; i < tree.count; i++) {
        struct carry_record *record = carry_find_or_add(carry, tree.entries[i].path);
        if (!*record->there)
            memcpy(record->there, tree.entries[i].state, sizeof(record->there));
    }
    carry_tree_release(&tree);
    carry->has_baseline = true;
    finish(carry);
}

static void
end(struct carry *carry)
{
    if (carry->choice.is_back && !carry->has_baseline && !carry->is_old)
        sandbox_get_tree(carry->sandbox, on_baseline, carry);
    else
        finish(carry);
}

/* --- one file --- */

static void go_on(struct carry *carry);

static const struct carry_file *
current(const struct carry *carry)
{
    return &carry->scan.files[carry->at];
}

static void
leave(struct carry *carry, enum carry_left_reason reason)
{
    const struct carry_file *file = current(carry);

    log_info("left path=\"%s\" reason=%d", file->path, (int)reason);
    carry_left_note(&carry->left, reason, file->path, file->stamp.size);
    carry->at++;
}

/* None of the rest is tried. */
static void
leave_all(struct carry *carry, enum carry_left_reason reason)
{
    while (carry->at < carry->scan.count)
        leave(carry, reason);
}

/* state: there; "" when it is not known. */
static void
remember(struct carry *carry, const char *state)
{
    struct carry_record *record = carry_find_or_add(carry, current(carry)->path);

    record->known = (struct carry_known){.is_known = true, .stamp = carry->load.stamp};
    memcpy(record->known.digest, carry->load.digest, CARRY_DIGEST);
    (void)snprintf(record->there, sizeof(record->there), "%s", state);
    carry->at++;
}

static void
digest_fetched(void *task)
{
    struct carry *carry = task;

    carry_load_digest(buffer_slice(&carry->fetched), carry->store.known.digest);
}

static void
on_digested(void *task)
{
    struct carry *carry = task;

    if (carry_drops_stale(carry))
        return;
    if (memcmp(carry->store.known.digest, carry->load.digest, CARRY_DIGEST) == 0)
        remember(carry, "");
    else
        leave(carry, CARRY_LEFT_THERE);
    go_on(carry);
}

static void
on_there(void *context, const struct http_result *result)
{
    struct carry *carry = context;

    if (result->status != 200) {
        leave(carry, CARRY_LEFT_THERE);
        go_on(carry);
        return;
    }
    buffer_release(&carry->fetched);
    carry->fetched = (struct buffer)BUFFER_INIT(SIZE_MAX);
    buffer_append(&carry->fetched, result->body.data, result->body.len);
    carry_thread_do(&carry->thread, digest_fetched, on_digested, carry);
}

/* A volume has it from before; or a cell has made it meanwhile. */
static void
look_at_what_is_there(struct carry *carry)
{
    AUTO(mem) char *path = carry_path_encode(current(carry)->path);

    sandbox_get_file(carry->sandbox,
                     &(struct sandbox_file){
                         .path = path, .most = carry->choice.bounds.file_bytes + 1},
                     on_there, carry);
}

static void
on_put(void *context, const struct http_result *result)
{
    struct carry *carry = context;
    char state[CARRY_STATE_SIZE] = "";

    if (result->status == 409) {
        look_at_what_is_there(carry);
        return;
    }
    if (result->status >= 200 && result->status < 300) {
        if (!carry_tree_read_state(result->body, state))
            state[0] = '\0';
        carry->sent_files++;
        carry->sent_bytes += carry->load.stamp.size;
        remember(carry, state);
    } else if (result->status == 413) {
        leave_all(carry, CARRY_LEFT_NO_ROOM);
    } else if (result->status == 0) {
        leave_all(carry, CARRY_LEFT_REFUSED);
    } else {
        leave(carry, CARRY_LEFT_REFUSED);
    }
    show_stage(carry);
    go_on(carry);
}

static void
put(struct carry *carry)
{
    AUTO(mem) char *path = carry_path_encode(current(carry)->path);
    const struct carry_record *record = carry_find(carry, current(carry)->path);

    sandbox_put_file(carry->sandbox,
                     &(struct sandbox_file){.path = path,
                                            .is_executable = carry->load.is_executable,
                                            .unless = record ? record->there : "",
                                            .bytes = &carry->load.bytes},
                     on_put, carry);
}

static void
load(void *task)
{
    struct carry *carry = task;

    carry_load_run(carry->root, current(carry)->path, carry->choice.bounds.file_bytes,
                   &carry->load);
}

static void
on_loaded(void *task)
{
    struct carry *carry = task;

    if (carry_drops_stale(carry))
        return;
    struct carry_record *record = carry_find(carry, current(carry)->path);
    if (!carry->load.is_loaded) {
        leave(carry, carry->load.why);
    } else if (record && record->known.is_known &&
               memcmp(record->known.digest, carry->load.digest, CARRY_DIGEST) == 0) {
        record->known.stamp = carry->load.stamp;
        carry->at++;
    } else {
        put(carry);
        return;
    }
    go_on(carry);
}

static bool
is_unchanged(const struct carry *carry)
{
    const struct carry_record *record = carry_find(carry, current(carry)->path);

    return record && record->known.is_known &&
           carry_stamp_equals(&record->known.stamp, &current(carry)->stamp);
}

static void
go_on(struct carry *carry)
{
    while (carry->at < carry->scan.count && is_unchanged(carry))
        carry->at++;
    if (zclock_mono() - carry->began > SEND_MS)
        leave_all(carry, CARRY_LEFT_SLOW);
    if (carry->at == carry->scan.count) {
        end(carry);
        return;
    }
    carry_load_release(&carry->load);
    carry_thread_do(&carry->thread, load, on_loaded, carry);
}

/* --- all of them --- */

static void
scan(void *task)
{
    struct carry *carry = task;

    carry_scan_run(&(struct carry_scan_spec){.root = carry->root,
                                             .is_flat = carry->choice.is_flat,
                                             .except = carry->choice.session,
                                             .bounds = carry->choice.bounds},
                   &carry->scan);
}

static void
on_scanned(void *task)
{
    struct carry *carry = task;

    if (carry_drops_stale(carry))
        return;
    show_stage(carry);
    go_on(carry);
}

void
carry_send(struct carry *carry, struct sandbox *sandbox)
{
    carry->sandbox = sandbox;
    if (carry_thread_is_busy(&carry->thread)) {
        carry->state = CARRY_WAITING;
        return;
    }
    carry->state = CARRY_SENDING;
    carry->at = 0;
    carry->began = zclock_mono();
    carry->sent_files = 0;
    carry->sent_bytes = 0;
    carry->left = (struct carry_left){0};
    carry_thread_do(&carry->thread, scan, on_scanned, carry);
}
