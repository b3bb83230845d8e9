#include "kernel/carry/carry.h"
#include "kernel/carry/carry_path.h"

#define LOG_COMPONENT "carry"
#include "common/log.h"

enum {
    BRING_MS = 300000, /* no file is begun later */
    MAX_COPIES_TOLD = 5,
};

static void go_on(struct carry *carry);

/* --- what is told --- */

static void
append_copy(struct carry *carry, const char *path, const char *copy)
{
    if (++carry->copies <= MAX_COPIES_TOLD)
        buffer_printf(&carry->copied,
                      "cellpod: %s has changed beside the notebook and in the sandbox. "
                      "Both are kept, the sandbox's as %s.\n",
                      path, copy);
}

static void
tell(struct carry *carry)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    buffer_append(&text, carry->copied.data, carry->copied.len);
    if (carry->copies > MAX_COPIES_TOLD)
        buffer_printf(&text, "cellpod: and %u more files.\n",
                      carry->copies - MAX_COPIES_TOLD);
    if (carry_left_count(&carry->left_back)) {
        buffer_append_text(&text, "cellpod: not brought back from the sandbox: ");
        carry_left_append(&text, &carry->left_back);
        buffer_append_text(&text, ". See docs/cluster.md, \"Files\".\n");
    }
    if (text.len)
        carry_tell(carry, text.data);
}

static void
leave_it(struct carry *carry)
{
    carry_end(carry);
    carry->owner.on_brought(carry->owner.context);
}

/* --- what the cell did not find --- */

static void
look_for_missing(void *task)
{
    struct carry *carry = task;

    carry_missing_run(&carry->missing);
}

/* It is sent once, and not again because it was removed there. */
static bool
was_sent(const struct carry *carry, const char *path)
{
    const struct carry_record *record = carry_find(carry, path);

    return record && record->known.is_known;
}

static void
on_missing(void *task)
{
    struct carry *carry = task;
    struct carry_missing *missing = &carry->missing;

    if (carry_drops_stale(carry))
        return;
    if (missing->path) {
        const char *notebook = carry->choice.session;
        if (missing->why == CARRY_LEFT_COUNTED && was_sent(carry, missing->path))
            missing->why = CARRY_LEFT_REMOVED;
        AUTO(mem) char *line = carry_missing_tell(missing, notebook ? notebook : ".");
        carry_tell(carry, line);
    }
    leave_it(carry);
}

static void
explain(struct carry *carry)
{
    if (!carry->missing.said) {
        leave_it(carry);
        return;
    }
    carry->missing.spec = (struct carry_scan_spec){.root = carry->root,
                                                   .is_flat = carry->choice.is_flat,
                                                   .except = carry->choice.session,
                                                   .bounds = carry->choice.bounds};
    carry_thread_do(&carry->thread, look_for_missing, on_missing, carry);
}

static void
finish(struct carry *carry)
{
    tell(carry);
    log_info("brought files=%u bytes=%llu copies=%u left=%u", carry->brought_files,
             (unsigned long long)carry->brought_bytes, carry->copies,
             carry_left_count(&carry->left_back));
    explain(carry);
}

/* --- one file --- */

static const struct carry_entry *
current(const struct carry *carry)
{
    return &carry->tree.entries[carry->at];
}

/* This state of it is not looked at again. */
static void
settle(struct carry *carry)
{
    struct carry_record *record = carry_find_or_add(carry, current(carry)->path);

    memcpy(record->there, current(carry)->state, sizeof(record->there));
}

static void
leave(struct carry *carry, enum carry_left_reason reason)
{
    const struct carry_entry *entry = current(carry);
    struct carry_record *record = carry_find_or_add(carry, entry->path);

    log_info("left path=\"%s\" reason=%d", entry->path, (int)reason);
    if (strcmp(record->told, entry->state) != 0)
        carry_left_note(&carry->left_back, reason, entry->path, entry->size);
    memcpy(record->told, entry->state, sizeof(record->told));
    carry->at++;
}

static void
take_stored(struct carry *carry)
{
    const struct carry_store *store = &carry->store;
    const char *path = current(carry)->path;

    switch (store->outcome) {
    case CARRY_STORED:
        carry->brought_files++;
        carry->brought_bytes += store->bytes.len;
        carry_find_or_add(carry, path)->known = store->known;
        break;
    case CARRY_STORED_SAME:
        carry_find_or_add(carry, path)->known = store->known;
        break;
    case CARRY_STORED_COPY: /* which is sent there as any new file */
        append_copy(carry, path, store->copy);
        break;
    case CARRY_STORED_NOT: /* tried again after the next cell */
        leave(carry, store->why);
        return;
    }
    settle(carry);
    carry->at++;
}

static void
store(void *task)
{
    struct carry *carry = task;

    carry_store_run(&carry->store);
}

static void
on_stored(void *task)
{
    struct carry *carry = task;

    if (carry_drops_stale(carry))
        return;
    take_stored(carry);
    go_on(carry);
}

static void
on_fetched(void *context, const struct http_result *result)
{
    struct carry *carry = context;
    const struct carry_record *record = carry_find(carry, current(carry)->path);

    /* Removed by now, changed, or cut by what is between. */
    if (result->status != 200 || result->body.len != current(carry)->size) {
        if (result->status != 404)
            leave(carry, CARRY_LEFT_CHANGING);
        else
            carry->at++;
        go_on(carry);
        return;
    }
    buffer_release(&carry->fetched);
    carry->fetched = (struct buffer)BUFFER_INIT(SIZE_MAX);
    buffer_append(&carry->fetched, result->body.data, result->body.len);
    free(TAKE(carry->store.copy));
    carry->store = (struct carry_store){
        .root = carry->root,
        .path = current(carry)->path,
        .bytes = buffer_slice(&carry->fetched),
        .known = record ? record->known : (struct carry_known){0},
    };
    carry_thread_do(&carry->thread, store, on_stored, carry);
}

/* CARRY_LEFT_COUNTED: it may come. */
static enum carry_left_reason
refusal(const struct carry *carry)
{
    const struct carry_bounds *bounds = &carry->choice.bounds;
    const struct carry_entry *entry = current(carry);

    if (carry->choice.is_flat && strchr(entry->path, '/'))
        return CARRY_LEFT_FLAT;
    if (carry_store_refuses(entry->path))
        return CARRY_LEFT_ACTED_ON;
    if (entry->size > bounds->file_bytes)
        return CARRY_LEFT_LARGE;
    if (carry->brought_files >= bounds->files)
        return CARRY_LEFT_COUNT;
    if (entry->size > bounds->total_bytes - carry->brought_bytes)
        return CARRY_LEFT_TOTAL;
    return CARRY_LEFT_COUNTED;
}

static void
fetch(struct carry *carry)
{
    AUTO(mem) char *path = carry_path_encode(current(carry)->path);

    sandbox_get_file(
        carry->sandbox,
        &(struct sandbox_file){.path = path, .most = carry->choice.bounds.file_bytes},
        on_fetched, carry);
}

static bool
is_settled(const struct carry *carry)
{
    const struct carry_record *record = carry_find(carry, current(carry)->path);

    return record && strcmp(record->there, current(carry)->state) == 0;
}

static void
go_on(struct carry *carry)
{
    const bool is_late = zclock_mono() - carry->began > BRING_MS;

    while (carry->at < carry->tree.count) {
        if (is_settled(carry)) {
            carry->at++;
            continue;
        }
        enum carry_left_reason reason = is_late ? CARRY_LEFT_SLOW : refusal(carry);
        if (reason == CARRY_LEFT_COUNTED) {
            fetch(carry);
            return;
        }
        if (reason != CARRY_LEFT_SLOW)
            settle(carry);
        leave(carry, reason);
    }
    finish(carry);
}

/* --- all of them --- */

/* What the list does not have; told when it gets more. */
static void
note_unlisted(struct carry *carry)
{
    if (carry->tree.is_cut && !carry->told_cut)
        carry_left_note(&carry->left_back, CARRY_LEFT_DEEP, "what is beyond", 0);
    if (carry->tree.refused > carry->told_refused)
        carry_left_note(&carry->left_back, CARRY_LEFT_NAME, "a file", 0);
    carry->told_cut = carry->told_cut || carry->tree.is_cut;
    carry->told_refused = carry->tree.refused;
}

static void
on_tree(void *context, const struct http_result *result)
{
    struct carry *carry = context;
    struct error err;

    if (result->status != 200 ||
        carry_tree_parse(result->body, &carry->tree, &err) < 0) {
        log_error("no list of files status=%ld", result->status);
        carry_left_note(&carry->left_back, CARRY_LEFT_UNREADABLE,
                        "the list of its files", 0);
        finish(carry);
        return;
    }
    note_unlisted(carry);
    go_on(carry);
}

void
carry_bring(struct carry *carry, char **said)
{
    carry->state = CARRY_BRINGING;
    carry->missing.said = TAKE(*said);
    carry->at = 0;
    carry->began = zclock_mono();
    carry->brought_files = carry->copies = 0;
    carry->brought_bytes = 0;
    carry->left_back = (struct carry_left){0};
    carry->copied = (struct buffer)BUFFER_INIT(SIZE_MAX);
    if (carry_brings(carry))
        sandbox_get_tree(carry->sandbox, on_tree, carry);
    else
        explain(carry);
}
