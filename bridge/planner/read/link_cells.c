/* Columns by what most of their cells are called: "garages" of "Riverside Garage",
 * "machine" of "Machine 3". */
#include <ctype.h>

#include "bridge/planner/read/reader.h"

enum {
    CELLS_LEAST = 3,
    PLACES_MOST = 40, /* more, and a "Book 217" is what rows are about */
    NOUN_LEAST = 4,   /* letters */
};

static const float MEANT = 0.8f;

/* The last word of a cell that is none of its numbers; 0: it has none. */
static uint64_t
noun_of(const char *cell)
{
    size_t end = strlen(cell), begin;

    while (end > 0 && !isalpha((unsigned char)cell[end - 1]))
        end--;
    for (begin = end; begin > 0 && isalpha((unsigned char)cell[begin - 1]);)
        begin--;
    if (end - begin < NOUN_LEAST || end - begin == strlen(cell))
        return 0;
    char noun[32];
    if (end - begin >= sizeof(noun))
        return 0;
    for (size_t i = begin; i < end; i++)
        noun[i - begin] = (char)tolower((unsigned char)cell[i]);
    return words_stem(noun, end - begin);
}

/* What two of three cells and more are called, as its stem; 0: nothing. */
static uint64_t
noun_of_cells(const struct column *column)
{
    const size_t count = json_array_size(column->values);
    size_t at, same = 0;
    json_t *value;

    if (column->kind != COLUMN_TEXT || count < CELLS_LEAST || column->is_measured ||
        column->unique > PLACES_MOST)
        return 0;
    uint64_t noun = 0;
    for (size_t i = 0; i < CELLS_LEAST && !noun; i++) {
        const char *text = json_string_value(json_array_get(column->values, i));

        noun = text ? noun_of(text) : 0;
    }
    json_array_foreach (column->values, at, value)
        same +=
            noun && json_is_string(value) && noun_of(json_string_value(value)) == noun;
    return same * 3 >= count * 2 ? noun : 0;
}

void
reader_link_cells(struct reader *reader)
{
    for (int i = 0; i < reader->frame->columns; i++) {
        const uint64_t noun = noun_of_cells(&reader->frame->column[i]);

        for (size_t at = 0; noun && at < reader->words.count; at++) {
            struct span *span = &reader->span[at][0];

            if (reader->words.at[at].stem == noun && !span->links &&
                !frame_is_noun(reader->frame, noun))
                reader_add_link(span, (struct link){i, MEANT});
        }
    }
}
