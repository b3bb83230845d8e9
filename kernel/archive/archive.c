#include "kernel/archive/archive.h"

#include <errno.h>
#include <openssl/evp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>

#include "common/limits.h"
#include "kernel/archive/archive_keeper.h"

enum {
    LOCK_TRIES = 100, /* while the kernel before this one still ends */
    LOCK_PAUSE_MS = 20,
};

void
archive_answer_free(struct archive_answer *answer)
{
    if (!answer)
        return;
    archive_shown_release(&answer->shown);
    free(answer->others);
    free(answer->list);
    free(answer->id);
    free(answer);
}

/* --- the thread; the mutex is held, except while it works --- */

static void
tell_loop(struct archive *archive)
{
    const uint64_t one = 1;

    (void)!write(archive->fd, &one, sizeof(one));
}

/* False: the kernel ends. */
static bool
pause_a_moment(struct archive *archive)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOCK_PAUSE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!archive->is_ending &&
           pthread_cond_timedwait(&archive->news, &archive->mutex, &until) == 0)
        ;
    return !archive->is_ending;
}

static int
open_keeper(struct archive *archive, struct archive_keeper *keeper, struct error *err)
{
    for (int i = 0;; i++) {
        pthread_mutex_unlock(&archive->mutex);
        int result = archive_keeper_open(keeper, &archive->choice, err);
        if (result < 0)
            archive_keeper_close(keeper);
        pthread_mutex_lock(&archive->mutex);
        if (result == 0 || err->kind != ERR_BUSY || i == LOCK_TRIES ||
            !pause_a_moment(archive))
            return result;
    }
}

static void
drop_orders(struct archive *archive)
{
    struct archive_order *order;

    while ((order = TAILQ_FIRST(&archive->orders))) {
        TAILQ_REMOVE(&archive->orders, order, link);
        archive->waiting -= archive_order_size(order);
        archive_order_free(order);
    }
}

static struct archive_order *
wait_for_order(struct archive *archive)
{
    while (!TAILQ_FIRST(&archive->orders) && !archive->is_ending)
        pthread_cond_wait(&archive->news, &archive->mutex);
    return TAILQ_FIRST(&archive->orders);
}

/* Without files: whoever asks is answered that nothing is there. */
static void
obey(struct archive_keeper *keeper, const struct archive_order *order)
{
    if (keeper->is_on || order->task == ARCHIVE_SHOW || order->task == ARCHIVE_LIST)
        archive_keeper_obey(keeper, order);
}

static void
hand_on(struct archive *archive, struct archive_keeper *keeper)
{
    const bool is_news = keeper->notice || !STAILQ_EMPTY(&keeper->answers);

    STAILQ_CONCAT(&archive->answers, &keeper->answers);
    if (keeper->notice) {
        free(archive->notice);
        archive->notice = TAKE(keeper->notice);
    }
    if (is_news)
        tell_loop(archive);
}

static void
work_on(struct archive *archive, struct archive_keeper *keeper)
{
    struct archive_order *order;

    while ((order = wait_for_order(archive))) {
        pthread_mutex_unlock(&archive->mutex);
        obey(keeper, order);
        pthread_mutex_lock(&archive->mutex);
        TAILQ_REMOVE(&archive->orders, order, link);
        archive->waiting -= archive_order_size(order);
        archive_order_free(order);
        hand_on(archive, keeper);
    }
}

/* A file that may not grow is an error of write, and no reason to end. */
static void
block_signals(void)
{
    sigset_t set;

    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void *
work(void *context)
{
    struct archive *archive = context;
    struct archive_keeper keeper;
    struct error err;

    block_signals();
    pthread_mutex_lock(&archive->mutex);
    bool is_open = open_keeper(archive, &keeper, &err) == 0;
    if (!is_open)
        archive->notice = xasprintf(
            "cellpod: the outputs of this notebook's cells are not kept for %%outputs: "
            "%s.\n",
            err.text);
    else
        archive->notice = TAKE(keeper.notice);
    if (archive->notice)
        tell_loop(archive);
    work_on(archive, &keeper);
    pthread_mutex_unlock(&archive->mutex);
    if (is_open)
        archive_keeper_close(&keeper);
    return NULL;
}

int
archive_start(struct archive *archive, struct archive_choice *choice, struct error *err)
{
    archive->choice = *choice;
    *choice = (struct archive_choice){0};
    archive->fd = -1;
    TAILQ_INIT(&archive->orders);
    STAILQ_INIT(&archive->answers);
    if (!archive->choice.folder)
        return 0;
    archive->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (archive->fd < 0)
        return error_sys(err, "start the archive of outputs");
    pthread_mutex_init(&archive->mutex, NULL);
    pthread_cond_init(&archive->news, NULL);
    errno = pthread_create(&archive->thread, NULL, work, archive);
    archive->is_running = errno == 0;
    return archive->is_running ? 0 : error_sys(err, "start the archive of outputs");
}

void
archive_stop(struct archive *archive)
{
    struct archive_answer *answer;

    if (archive->is_running) {
        pthread_mutex_lock(&archive->mutex);
        archive->is_ending = true;
        pthread_cond_broadcast(&archive->news);
        pthread_mutex_unlock(&archive->mutex);
        pthread_join(archive->thread, NULL);
        drop_orders(archive);
        while ((answer = archive_take_answer(archive)))
            archive_answer_free(answer);
        pthread_cond_destroy(&archive->news);
        pthread_mutex_destroy(&archive->mutex);
        close(archive->fd);
    }
    archive->is_running = false;
    free(TAKE(archive->notice));
    archive_choice_release(&archive->choice);
}

/* --- the event loop's side --- */

static struct slice
text_of(const char *text)
{
    return text ? slice_of(text) : SLICE("");
}

static void
set_key(struct archive_order *order, struct slice header)
{
    unsigned char digest[EVP_MAX_MD_SIZE] = {0};

    EVP_Digest(header.data, header.len, digest, NULL, EVP_sha256(), NULL);
    memcpy(order->key, digest, sizeof(order->key));
}

static struct archive_order *
order_for(enum archive_task task, const struct archive_ref *cell,
          const struct slice parts[ARCHIVE_PARTS])
{
    const struct slice names[] = {text_of(cell->sandbox), text_of(cell->request)};
    struct archive_order *order = archive_order_new(task, names, parts);

    order->is_by_name = !cell->header.len;
    set_key(order, cell->header);
    return order;
}

/* One gap after the other of a cell is one; and so many wait that nobody reads. */
static bool
is_idle_talk(const struct archive *archive, const struct archive_order *order)
{
    const struct archive_order *last = TAILQ_LAST(&archive->orders, archive_orders);

    if (order->task != ARCHIVE_LEAVE_OUT)
        return false;
    return archive->waiting > LIMIT_ARCHIVE_QUEUE_BYTES + MIB(1) ||
           (last && last->task == ARCHIVE_LEAVE_OUT &&
            memcmp(last->key, order->key, sizeof(last->key)) == 0);
}

static void
give(struct archive *archive, struct archive_order *order)
{
    pthread_mutex_lock(&archive->mutex);
    if (is_idle_talk(archive, order)) {
        archive_order_free(order);
    } else {
        TAILQ_INSERT_TAIL(&archive->orders, order, link);
        archive->waiting += archive_order_size(order);
        pthread_cond_broadcast(&archive->news);
    }
    pthread_mutex_unlock(&archive->mutex);
}

#define NO_PARTS                        \
    (const struct slice[ARCHIVE_PARTS]) \
    {                                   \
        SLICE(""), SLICE(""), SLICE("") \
    }

void
archive_begin(struct archive *archive, struct slice header, const char *id)
{
    const struct slice parts[] = {text_of(id), SLICE(""), SLICE("")};

    if (archive->is_running)
        give(archive,
             order_for(ARCHIVE_BEGIN, &(struct archive_ref){header, "", ""}, parts));
}

void
archive_name(struct archive *archive, struct slice header, const char *sandbox,
             const char *request)
{
    const struct archive_ref cell = {header, sandbox, request};

    if (archive->is_running)
        give(archive, order_for(ARCHIVE_CALL, &cell, NO_PARTS));
}

/* How much waits is bounded by what is left out: no order is but an output. */
static bool
is_full(struct archive *archive, size_t more)
{
    pthread_mutex_lock(&archive->mutex);
    bool is_over = archive->waiting + more > LIMIT_ARCHIVE_QUEUE_BYTES;
    pthread_mutex_unlock(&archive->mutex);
    return is_over;
}

void
archive_put(struct archive *archive, const struct archive_ref *cell,
            const struct archive_output *output)
{
    const struct slice parts[] = {slice_of(output->type), output->content,
                                  output->metadata};

    if (!archive->is_running)
        return;
    const bool fits = !is_full(archive, output->content.len + output->metadata.len);
    struct archive_order *order = order_for(fits ? ARCHIVE_PUT : ARCHIVE_LEAVE_OUT,
                                            cell, fits ? parts : NO_PARTS);
    order->seq = output->seq;
    give(archive, order);
}

void
archive_go_on(struct archive *archive, const struct archive_ref *cell)
{
    if (archive->is_running)
        give(archive, order_for(ARCHIVE_GO_ON, cell, NO_PARTS));
}

void
archive_end(struct archive *archive, const struct archive_ref *cell)
{
    if (archive->is_running)
        give(archive, order_for(ARCHIVE_FINISH, cell, NO_PARTS));
}

static unsigned
ask(struct archive *archive, enum archive_task task, const char *wanted, bool follows)
{
    const struct slice parts[] = {slice_of(wanted), SLICE(""), SLICE("")};

    if (!archive->is_running)
        return 0;
    struct archive_order *order =
        order_for(task, &(struct archive_ref){SLICE(""), "", ""}, parts);
    order->follows = follows;
    order->ticket = ++archive->ticket;
    give(archive, order);
    return archive->ticket;
}

unsigned
archive_show(struct archive *archive, const char *wanted, bool follows)
{
    return ask(archive, ARCHIVE_SHOW, wanted, follows);
}

unsigned
archive_list(struct archive *archive)
{
    return ask(archive, ARCHIVE_LIST, "", false);
}

void
archive_unfollow(struct archive *archive, unsigned ticket)
{
    if (!archive->is_running)
        return;
    struct archive_order *order =
        order_for(ARCHIVE_UNFOLLOW, &(struct archive_ref){SLICE(""), "", ""}, NO_PARTS);
    order->ticket = ticket;
    give(archive, order);
}

struct archive_answer *
archive_take_answer(struct archive *archive)
{
    uint64_t count;

    pthread_mutex_lock(&archive->mutex);
    struct archive_answer *answer = STAILQ_FIRST(&archive->answers);
    if (answer)
        STAILQ_REMOVE_HEAD(&archive->answers, link);
    else
        (void)!read(archive->fd, &count, sizeof(count));
    pthread_mutex_unlock(&archive->mutex);
    return answer;
}

char *
archive_take_notice(struct archive *archive)
{
    pthread_mutex_lock(&archive->mutex);
    char *notice = TAKE(archive->notice);
    pthread_mutex_unlock(&archive->mutex);
    return notice;
}
