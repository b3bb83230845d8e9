/*
 * archive: the outputs of a notebook's cells, kept in files for who did not see them.
 *
 * A thread writes and reads the files, so that the event loop never waits for a disk.
 * What is given to it is worked on in order. If more waits for it than is allowed, an
 * output is left out, and its cell has a gap. Of one cell a quarter of all that may be
 * kept is, from its beginning.
 *
 * Without a folder (kernel/archive/archive_choice.h) there is no thread, and all of
 * this does nothing.
 */
#pragma once

#include <pthread.h>
#include <sys/queue.h>

#include "kernel/archive/archive_choice.h"
#include "kernel/archive/archive_shown.h"

struct archive_order;

/* A cell: by the header of its request, or, of an earlier kernel, by its names in the
 * sandbox; the others are empty. All borrowed. */
struct archive_ref {
    struct slice header;
    const char *sandbox, *request;
};

struct archive_output {
    const char *type;
    struct slice content, metadata;
    long long seq; /* the sandbox's number for the event, or 0 */
};

enum archive_news {
    ARCHIVE_SHOWN,  /* what a cell shows; if it is open and followed, more comes */
    ARCHIVE_LISTED, /* list */
    ARCHIVE_MORE, /* a followed cell's next output, as it was published: shown has it */
    ARCHIVE_ENDED, /* a followed cell has: no more comes */
};

/* What the fields of a cell are is said in archive_index.h. */
struct archive_answer {
    STAILQ_ENTRY(archive_answer) link;
    unsigned ticket; /* that archive_show or archive_list gave */
    enum archive_news news;
    bool is_found, is_open, has_gap;
    char *id; /* of the cell; owned, or NULL */
    /* Owned, or NULL: the newest cell of each id that has put something out:
     * [{"cell":ID,"count":n,"began":s,"ended":s,"running":b,"gap":b},…] */
    char *list;
    long long count;
    int64_t began;
    char *others; /* counts of cells that there are, "1, 2, 5"; owned, or NULL */
    struct archive_shown shown;
};

STAILQ_HEAD(archive_answers, archive_answer);

struct archive {
    struct archive_choice choice;
    unsigned ticket; /* the last one given */
    pthread_t thread;
    pthread_mutex_t mutex; /* for all below */
    pthread_cond_t news;
    TAILQ_HEAD(archive_orders, archive_order) orders;
    struct archive_answers answers;
    size_t waiting; /* bytes of orders */
    char *notice;   /* for the user; or NULL */
    bool is_running, is_ending;
    int fd; /* readable when there is a notice or an answer */
};

/* Takes what choice owns. */
int archive_start(struct archive *archive, struct archive_choice *choice,
                  struct error *err) MUST_CHECK;
/* What waits is written first. */
void archive_stop(struct archive *archive);

/* A cell begins. id: in the notebook; NULL or "": its client gave none. */
void archive_begin(struct archive *archive, struct slice header, const char *id);
/* How the sandbox knows it, from here on. */
void archive_name(struct archive *archive, struct slice header, const char *sandbox,
                  const char *request);
/* Not for a cell that was not begun. Of an earlier kernel's cell, not what is there
 * already. */
void archive_put(struct archive *archive, const struct archive_ref *cell,
                 const struct archive_output *output);
/* An earlier kernel's cell may put out more. */
void archive_go_on(struct archive *archive, const struct archive_ref *cell);
void archive_end(struct archive *archive, const struct archive_ref *cell);

/* Each returns a ticket, or 0 when nothing is kept. */
/* What a cell shows; wanted: its id or its execution count, "": the newest. follows:
 * and what it puts out from there on, while it is open. */
unsigned archive_show(struct archive *archive, const char *wanted, bool follows);
unsigned archive_list(struct archive *archive);
void archive_unfollow(struct archive *archive, unsigned ticket);

/* NULL: none. The caller's. */
struct archive_answer *archive_take_answer(struct archive *archive);
void archive_answer_free(struct archive_answer *answer);
/* NULL: none. The caller's. */
char *archive_take_notice(struct archive *archive);

static inline void
auto_archive_answer(struct archive_answer **answer)
{
    archive_answer_free(*answer);
}
