#include "kernel/archive/archive_index.h"

#include <stdio.h>

#include "kernel/jupyter/json_scan.h"

void
archive_index_init(struct archive_index *index)
{
    index->cells = xcalloc(ARCHIVE_CELLS, sizeof(*index->cells));
    index->last = 0;
}

void
archive_index_release(struct archive_index *index)
{
    free(TAKE(index->cells));
}

struct archive_cell *
archive_index_add(struct archive_index *index, uint32_t number)
{
    struct archive_cell *cell = &index->cells[number % ARCHIVE_CELLS];

    *cell = (struct archive_cell){.number = number};
    if (number > index->last)
        index->last = number;
    return cell;
}

struct archive_cell *
archive_index_at(const struct archive_index *index, uint32_t number)
{
    struct archive_cell *cell = &index->cells[number % ARCHIVE_CELLS];

    return number && cell->number == number ? cell : NULL;
}

/* --- from records --- */

static void
copy_part(char *out, size_t size, struct slice part)
{
    size_t len = part.len < size ? part.len : size - 1;

    memcpy(out, part.data, len);
    out[len] = '\0';
}

static void
note_output(struct archive_cell *cell, const struct archive_record *record)
{
    cell->bytes += archive_record_size(record);
    if (record->seq > cell->seq)
        cell->seq = record->seq;
    if (!slice_equals(record->parts[0], SLICE("execute_input"))) {
        cell->shows++;
        return;
    }
    if (json_scan_check(record->parts[1], &(struct error){0}) < 0)
        return;
    struct slice count = json_scan_field(record->parts[1], "execution_count");
    if (json_scan_kind(count) == JSON_KIND_NUMBER)
        cell->count = strtoll(count.data, NULL, 10); /* `}` or `,` follows */
}

/* Than the one that has its place. */
static bool
is_newer(const struct archive_index *index, uint32_t number)
{
    return index->cells[number % ARCHIVE_CELLS].number < number;
}

void
archive_index_note(struct archive_index *index, const struct archive_record *record)
{
    struct archive_cell *cell = archive_index_at(index, record->cell);

    if (!cell && record->kind == ARCHIVE_CELL && is_newer(index, record->cell)) {
        cell = archive_index_add(index, record->cell);
        copy_part(cell->id, sizeof(cell->id), record->parts[0]);
        cell->began = record->time;
        cell->has_gap = record->seq;
    }
    if (!cell)
        return;
    switch (record->kind) {
    case ARCHIVE_CELL:
        break;
    case ARCHIVE_NAME:
        copy_part(cell->sandbox, sizeof(cell->sandbox), record->parts[0]);
        copy_part(cell->request, sizeof(cell->request), record->parts[1]);
        break;
    case ARCHIVE_OUTPUT:
        note_output(cell, record);
        break;
    case ARCHIVE_GAP:
        cell->has_gap = true;
        break;
    case ARCHIVE_END:
        cell->ended = record->time;
        break;
    }
}

/* --- finding --- */

typedef bool match_fn(const struct archive_cell *cell, const void *wanted);

static struct archive_cell *
newest(const struct archive_index *index, match_fn *matches, const void *wanted)
{
    for (uint32_t i = 0; i < ARCHIVE_CELLS && i < index->last; i++) {
        struct archive_cell *cell = archive_index_at(index, index->last - i);
        if (cell && matches(cell, wanted))
            return cell;
    }
    return NULL;
}

static bool
has_key(const struct archive_cell *cell, const void *wanted)
{
    return memcmp(cell->key, wanted, ARCHIVE_KEY) == 0;
}

struct archive_cell *
archive_index_find(const struct archive_index *index,
                   const unsigned char key[ARCHIVE_KEY])
{
    return newest(index, has_key, key);
}

struct names {
    const char *sandbox, *request;
};

static bool
has_names(const struct archive_cell *cell, const void *wanted)
{
    const struct names *names = wanted;

    return strcmp(cell->sandbox, names->sandbox) == 0 &&
           strcmp(cell->request, names->request) == 0;
}

struct archive_cell *
archive_index_named(const struct archive_index *index, const char *sandbox,
                    const char *request)
{
    return *sandbox && *request
               ? newest(index, has_names, &(struct names){sandbox, request})
               : NULL;
}

static bool
is_wanted(const struct archive_cell *cell, const void *wanted)
{
    const char *text = wanted;
    char count[24];

    snprintf(count, sizeof(count), "%lld", cell->count);
    return !*text || (*cell->id && strcmp(cell->id, text) == 0) ||
           (cell->count && strcmp(count, text) == 0);
}

struct archive_cell *
archive_index_wanted(const struct archive_index *index, const char *wanted)
{
    return newest(index, is_wanted, wanted);
}
