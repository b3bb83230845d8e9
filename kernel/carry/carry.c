#include "kernel/carry/carry.h"

#include <fcntl.h>

#define LOG_COMPONENT "carry"
#include "common/log.h"

static void
free_record(void **record)
{
    free(*record);
}

void
carry_init(struct carry *carry, zloop_t *loop, const struct carry_owner *owner)
{
    *carry = (struct carry){.owner = *owner,
                            .loop = loop,
                            .root = -1,
                            .is_first = true,
                            .fetched = BUFFER_INIT(SIZE_MAX),
                            .copied = BUFFER_INIT(SIZE_MAX)};
    carry->records = zhashx_new();
    zhashx_set_destructor(carry->records, free_record);
}

void
carry_end(struct carry *carry)
{
    carry_scan_release(&carry->scan);
    carry_load_release(&carry->load);
    carry->load = (struct carry_load){0};
    carry_tree_release(&carry->tree);
    buffer_release(&carry->fetched);
    free(TAKE(carry->store.copy));
    carry->store = (struct carry_store){0};
    buffer_release(&carry->copied);
    carry_missing_release(&carry->missing);
    carry->state = CARRY_IDLE;
    carry->stage[0] = '\0';
}

void
carry_release(struct carry *carry)
{
    carry_thread_stop(&carry->thread);
    carry_end(carry);
    zhashx_destroy(&carry->records);
    auto_fd(&carry->root);
    carry_choice_release(&carry->choice);
    free(TAKE(carry->notice));
}

/* While the thread works for the sandbox before, what it works with stays. */
void
carry_configure(struct carry *carry, const json_t *flags)
{
    struct error err;

    if (carry_thread_is_busy(&carry->thread))
        return;
    auto_fd(&carry->root);
    carry_choice_release(&carry->choice);
    carry_choice_make(flags, &carry->choice);
    carry->root = carry->choice.folder
                      ? open(carry->choice.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                      : -1;
    if (carry->root >= 0 && carry_thread_start(&carry->thread, carry->loop, &err) < 0) {
        log_error("%s", err.text);
        auto_fd(&carry->root);
        carry->root = -1;
    }
    if (carry->choice.notice)
        carry_tell(carry, carry->choice.notice);
}

void
carry_forget(struct carry *carry)
{
    zhashx_purge(carry->records);
    carry->told = (struct carry_left){0};
    carry->told_cut = false;
    carry->told_refused = 0;
    carry->is_first = true;
    carry->has_baseline = carry->is_old = false;
    if (carry_thread_is_busy(&carry->thread))
        carry->is_stale = true;
    else
        carry_end(carry);
    carry->state = CARRY_IDLE;
}

bool
carry_drops_stale(struct carry *carry)
{
    if (!carry->is_stale)
        return false;
    const bool is_wanted = carry->state == CARRY_WAITING;
    carry->is_stale = false;
    carry_end(carry);
    if (is_wanted)
        carry_send(carry, carry->sandbox);
    return true;
}

bool
carry_is_on(const struct carry *carry)
{
    return carry->root >= 0;
}

bool
carry_is_busy(const struct carry *carry)
{
    return carry->state != CARRY_IDLE;
}

bool
carry_brings(const struct carry *carry)
{
    return carry_is_on(carry) && carry->choice.is_back && carry->has_baseline;
}

const char *
carry_stage(const struct carry *carry)
{
    return carry->stage;
}

void
carry_tell(struct carry *carry, const char *line)
{
    AUTO(mem) char *before = TAKE(carry->notice);

    carry->notice = xasprintf("%s%s", before ? before : "", line);
}

char *
carry_take_notice(struct carry *carry)
{
    return TAKE(carry->notice);
}

struct carry_record *
carry_find(const struct carry *carry, const char *path)
{
    return zhashx_lookup(carry->records, path);
}

struct carry_record *
carry_find_or_add(struct carry *carry, const char *path)
{
    struct carry_record *record = carry_find(carry, path);

    if (!record) {
        record = xcalloc(1, sizeof(*record));
        zhashx_insert(carry->records, path, record);
    }
    return record;
}
