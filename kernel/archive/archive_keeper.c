#include "kernel/archive/archive_keeper.h"

#include <stdio.h>
#include <time.h>

#include "kernel/archive/archive_answer.h"

#define LOG_COMPONENT "archive"
#include "common/log.h"

static void
tell(struct archive_keeper *keeper, char *text)
{
    log_info("%s", text);
    free(keeper->notice);
    keeper->notice = text;
}

/* --- what is there --- */

static bool
note(void *context, const struct archive_record *record)
{
    archive_index_note(context, record);
    return true;
}

static void
forget_old(struct archive_index *index, int64_t before)
{
    for (size_t i = 0; i < ARCHIVE_CELLS; i++)
        if (index->cells[i].number && index->cells[i].began < before)
            index->cells[i].number = 0;
}

static int
look(struct archive_keeper *keeper, struct error *err)
{
    struct archive_reading reading;

    if (archive_files_read(&keeper->files, note, &keeper->index, &reading, err) < 0)
        return -1;
    if (reading.is_now_damaged &&
        archive_files_mend(&keeper->files, reading.good, err) < 0)
        return -1;
    if (reading.is_now_damaged || reading.is_before_damaged)
        tell(keeper,
             xasprintf("cellpod: some of the outputs that were kept of earlier cells "
                       "cannot be read (damaged, or of another version); those before "
                       "them are there. The file stays as `damaged' in %s.\n",
                       keeper->choice->folder));
    return 0;
}

int
archive_keeper_open(struct archive_keeper *keeper, const struct archive_choice *choice,
                    struct error *err)
{
    const int64_t oldest = time(NULL) - choice->seconds;

    *keeper = (struct archive_keeper){.choice = choice};
    keeper->scratch = (struct buffer)BUFFER_INIT(SIZE_MAX);
    STAILQ_INIT(&keeper->answers);
    archive_index_init(&keeper->index);
    if (archive_files_open(&keeper->files, choice->folder, choice->bytes / 2, err) < 0)
        return -1;
    keeper->is_on = true;
    if (look(keeper, err) < 0)
        return -1;
    forget_old(&keeper->index, oldest);
    archive_files_sweep(choice->folder, oldest);
    return 0;
}

void
archive_keeper_close(struct archive_keeper *keeper)
{
    struct archive_answer *answer;

    if (keeper->is_on)
        archive_files_close(&keeper->files);
    keeper->is_on = false;
    keeper->index.last = 0;
    archive_index_release(&keeper->index);
    while ((answer = STAILQ_FIRST(&keeper->answers))) {
        STAILQ_REMOVE_HEAD(&keeper->answers, link);
        archive_answer_free(answer);
    }
    buffer_release(&keeper->scratch);
    free(TAKE(keeper->notice));
}

/* --- writing --- */

static int
append(struct archive_keeper *keeper, const struct archive_record *record,
       struct error *err)
{
    buffer_clear(&keeper->scratch);
    archive_record_append(&keeper->scratch, record);
    int result =
        archive_files_append(&keeper->files, buffer_slice(&keeper->scratch), err);
    if (keeper->scratch.capacity > MIB(1))
        buffer_release(&keeper->scratch);
    return result;
}

static struct archive_record
record_of(const struct archive_cell *cell, enum archive_kind kind)
{
    return (struct archive_record){
        .kind = kind,
        .cell = cell->number,
        .time = kind == ARCHIVE_CELL ? cell->began : time(NULL),
        .parts = {SLICE(""), SLICE(""), SLICE("")}
    };
}

static int
append_cell(struct archive_keeper *keeper, const struct archive_cell *cell,
            bool is_older, struct error *err)
{
    struct archive_record begin = record_of(cell, ARCHIVE_CELL),
                          name = record_of(cell, ARCHIVE_NAME);

    begin.parts[0] = slice_of(cell->id);
    begin.seq = is_older;
    name.parts[0] = slice_of(cell->sandbox);
    name.parts[1] = slice_of(cell->request);
    if (append(keeper, &begin, err) < 0)
        return -1;
    return *cell->request ? append(keeper, &name, err) : 0;
}

/* Cells that go on are in the new file, too. */
static int
turn(struct archive_keeper *keeper, struct error *err)
{
    if (archive_files_turn(&keeper->files, err) < 0)
        return -1;
    for (size_t i = 0; i < ARCHIVE_CELLS; i++) {
        const struct archive_cell *cell = &keeper->index.cells[i];
        if (cell->number && cell->is_open && append_cell(keeper, cell, true, err) < 0)
            return -1;
    }
    return 0;
}

static bool
write_or_tell(struct archive_keeper *keeper, const struct archive_record *record)
{
    const size_t size = archive_record_size(record);
    struct error err;

    if (keeper->is_failing)
        return false;
    if ((archive_files_has_room(&keeper->files, size) || turn(keeper, &err) == 0) &&
        append(keeper, record, &err) == 0)
        return true;
    keeper->is_failing = true;
    if (!keeper->has_failed)
        tell(keeper, xasprintf("cellpod: outputs are not kept for %%outputs from here "
                               "on: %s. What was kept before is still there.\n",
                               err.text));
    keeper->has_failed = true;
    return false;
}

static void
write_plain(struct archive_keeper *keeper, const struct archive_cell *cell,
            enum archive_kind kind)
{
    const struct archive_record record = record_of(cell, kind);

    (void)write_or_tell(keeper, &record);
}

/* --- orders --- */

static void
begin(struct archive_keeper *keeper, const struct archive_order *order)
{
    struct archive_cell *cell =
        archive_index_add(&keeper->index, keeper->index.last + 1);

    keeper->is_failing = false;
    memcpy(cell->key, order->key, sizeof(cell->key));
    if (order->parts[0].len < sizeof(cell->id))
        memcpy(cell->id, order->parts[0].data, order->parts[0].len);
    cell->began = time(NULL);
    cell->is_open = true;
    struct archive_record record = record_of(cell, ARCHIVE_CELL);
    record.parts[0] = slice_of(cell->id);
    (void)write_or_tell(keeper, &record);
}

static void
call(struct archive_keeper *keeper, const struct archive_order *order)
{
    struct archive_cell *cell = archive_index_find(&keeper->index, order->key);

    if (!cell)
        return;
    struct archive_record record = record_of(cell, ARCHIVE_NAME);
    record.parts[0] = order->sandbox;
    record.parts[1] = order->request;
    archive_index_note(&keeper->index, &record);
    (void)write_or_tell(keeper, &record);
}

static void
leave_out(struct archive_keeper *keeper, struct archive_cell *cell)
{
    if (!cell->has_gap)
        write_plain(keeper, cell, ARCHIVE_GAP);
    cell->has_gap = true;
}

static void
follow(struct archive_keeper *keeper, const struct archive_cell *cell,
       const struct archive_record *record)
{
    for (size_t i = 0; i < ARCHIVE_FOLLOWERS; i++)
        if (keeper->followers[i].ticket && keeper->followers[i].cell == cell->number)
            archive_answer_more(keeper, cell, keeper->followers[i].ticket, record);
}

static void
put(struct archive_keeper *keeper, struct archive_cell *cell,
    const struct archive_order *order)
{
    struct archive_record record = record_of(cell, ARCHIVE_OUTPUT);

    if (order->is_by_name && order->seq && order->seq <= cell->seq)
        return; /* the earlier kernel has written it */
    memcpy(record.parts, order->parts, sizeof(record.parts));
    record.seq = order->seq;
    follow(keeper, cell, &record);
    if (cell->bytes + archive_record_size(&record) > keeper->choice->bytes / 4 ||
        !write_or_tell(keeper, &record))
        leave_out(keeper, cell);
    else
        archive_index_note(&keeper->index, &record);
}

static void
finish(struct archive_keeper *keeper, struct archive_cell *cell)
{
    write_plain(keeper, cell, ARCHIVE_END);
    cell->is_open = false;
    cell->ended = time(NULL);
    for (size_t i = 0; i < ARCHIVE_FOLLOWERS; i++)
        if (keeper->followers[i].ticket && keeper->followers[i].cell == cell->number) {
            archive_answer_end(keeper, cell, keeper->followers[i].ticket);
            keeper->followers[i].ticket = 0;
        }
}

/* A cell that goes on in this kernel is open again. */
static struct archive_cell *
find(struct archive_keeper *keeper, const struct archive_order *order)
{
    struct archive_cell *cell =
        order->is_by_name ? archive_index_named(&keeper->index, order->sandbox.data,
                                                order->request.data)
                          : archive_index_find(&keeper->index, order->key);

    if (cell && order->is_by_name && !cell->ended)
        cell->is_open = true;
    return cell;
}

static void
unfollow(struct archive_keeper *keeper, unsigned ticket)
{
    for (size_t i = 0; i < ARCHIVE_FOLLOWERS; i++)
        if (keeper->followers[i].ticket == ticket)
            keeper->followers[i].ticket = 0;
}

static void
obey_for_cell(struct archive_keeper *keeper, const struct archive_order *order)
{
    struct archive_cell *cell = find(keeper, order);

    if (cell && order->task == ARCHIVE_PUT)
        put(keeper, cell, order);
    else if (cell && order->task == ARCHIVE_LEAVE_OUT)
        leave_out(keeper, cell);
    else if (cell && order->task == ARCHIVE_FINISH)
        finish(keeper, cell);
}

void
archive_keeper_obey(struct archive_keeper *keeper, const struct archive_order *order)
{
    switch (order->task) {
    case ARCHIVE_BEGIN:
        begin(keeper, order);
        break;
    case ARCHIVE_CALL:
        call(keeper, order);
        break;
    case ARCHIVE_SHOW:
        archive_answer_show(keeper, order);
        break;
    case ARCHIVE_LIST:
        archive_answer_list(keeper, order);
        break;
    case ARCHIVE_UNFOLLOW:
        unfollow(keeper, order->ticket);
        break;
    case ARCHIVE_GO_ON: /* to be found is enough */
    case ARCHIVE_PUT:
    case ARCHIVE_LEAVE_OUT:
    case ARCHIVE_FINISH:
        obey_for_cell(keeper, order);
        break;
    }
}
