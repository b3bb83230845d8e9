#include "kernel/archive/archive_answer.h"

#include "common/json_text.h"

enum {
    OTHERS = 20 /* cells that an answer names */
};

static struct archive_answer *
add(struct archive_keeper *keeper, enum archive_news news, unsigned ticket,
    const struct archive_cell *cell)
{
    struct archive_answer *answer = xcalloc(1, sizeof(*answer));

    answer->news = news;
    answer->ticket = ticket;
    answer->is_found = cell;
    if (cell) {
        answer->id = xstrdup(cell->id);
        answer->is_open = cell->is_open;
        answer->has_gap = cell->has_gap;
        answer->count = cell->count;
        answer->began = cell->began;
    }
    STAILQ_INSERT_TAIL(&keeper->answers, answer, link);
    return answer;
}

/* --- what a cell shows --- */

struct showing {
    struct archive_shown *shown;
    uint32_t cell;
};

static bool
show_record(void *context, const struct archive_record *record)
{
    const struct showing *showing = context;

    archive_shown_take(showing->shown, record, record->cell == showing->cell);
    return true;
}

/* The newest cells' counts. */
static char *
list_others(const struct archive_index *index, const struct archive_cell *shown)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    size_t found = 0;

    for (uint32_t i = 0; i < ARCHIVE_CELLS && i < index->last && found < OTHERS; i++) {
        const struct archive_cell *cell = archive_index_at(index, index->last - i);
        if (cell && cell != shown && cell->count)
            buffer_printf(&text, "%s%lld", found++ ? ", " : "", cell->count);
    }
    return xstrndup(buffer_slice(&text).data, text.len);
}

static bool
add_follower(struct archive_keeper *keeper, unsigned ticket, uint32_t cell)
{
    for (size_t i = 0; i < ARCHIVE_FOLLOWERS; i++)
        if (!keeper->followers[i].ticket) {
            keeper->followers[i].ticket = ticket;
            keeper->followers[i].cell = cell;
            return true;
        }
    return false;
}

void
archive_answer_show(struct archive_keeper *keeper, const struct archive_order *order)
{
    const struct archive_cell *cell =
        archive_index_wanted(&keeper->index, order->parts[0].data);
    struct archive_answer *answer = add(keeper, ARCHIVE_SHOWN, order->ticket, cell);
    struct archive_reading reading;
    struct error err;

    answer->others = list_others(&keeper->index, cell);
    if (!cell)
        return;
    if (order->follows && cell->is_open)
        answer->is_open = add_follower(keeper, order->ticket, cell->number);
    struct showing showing = {&answer->shown, cell->number};
    if (archive_files_read(&keeper->files, show_record, &showing, &reading, &err) < 0 ||
        reading.is_before_damaged || reading.is_now_damaged)
        answer->has_gap = true;
}

/* --- which there are --- */

static json_t *
describe(const struct archive_cell *cell)
{
    json_t *ended = cell->ended ? json_integer(cell->ended) : json_null();

    return json_pack("{s:o, s:I, s:I, s:o, s:b, s:b}", "cell",
                     json_text_string(slice_of(cell->id)), "count",
                     (json_int_t)cell->count, "began", (json_int_t)cell->began, "ended",
                     ended, "running", (int)cell->is_open, "gap", (int)cell->has_gap);
}

void
archive_answer_list(struct archive_keeper *keeper, const struct archive_order *order)
{
    const struct archive_index *index = &keeper->index;
    struct archive_answer *answer = add(keeper, ARCHIVE_LISTED, order->ticket, NULL);
    json_auto_t *seen = json_object(), *list = json_array();

    for (uint32_t i = 0; i < ARCHIVE_CELLS && i < index->last; i++) {
        const struct archive_cell *cell = archive_index_at(index, index->last - i);
        if (!cell || !*cell->id || json_object_get(seen, cell->id))
            continue;
        json_object_set_new(seen, cell->id, json_true());
        if (cell->shows || cell->is_open)
            json_array_append_new(list, describe(cell));
    }
    answer->list = json_dumps(list, JSON_COMPACT);
}

/* --- to followers --- */

void
archive_answer_more(struct archive_keeper *keeper, const struct archive_cell *cell,
                    unsigned ticket, const struct archive_record *record)
{
    if (slice_equals(record->parts[0], SLICE("execute_input")))
        return;
    struct archive_answer *answer = add(keeper, ARCHIVE_MORE, ticket, cell);
    archive_shown_add(&answer->shown, record);
}

void
archive_answer_end(struct archive_keeper *keeper, const struct archive_cell *cell,
                   unsigned ticket)
{
    add(keeper, ARCHIVE_ENDED, ticket, cell);
}
