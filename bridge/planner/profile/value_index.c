/*
 * Which columns have a value: a hash of their cells' texts.
 */
#include <ctype.h>

#include "bridge/planner/profile/profile_reader.h"

enum {
    VALUES_MAX = 5000, /* indexed, of one column */
    VALUE_BYTES_MAX = 200,
    VALUE_WORDS_MAX = 8,
};

static size_t
value_slot(const struct frame *frame, uint64_t hash)
{
    size_t at = hash & (frame->value_slots - 1);

    while (frame->value[at].hash && frame->value[at].hash != hash)
        at = (at + 1) & (frame->value_slots - 1);
    return at;
}

static uint64_t
squash_value(const char *text, unsigned *words)
{
    bool inside = false;

    *words = 0;
    for (const char *at = text; *at; at++) {
        bool is_inside = (unsigned char)*at >= 0x80 || isalnum((unsigned char)*at);

        *words += is_inside && !inside;
        inside = is_inside;
    }
    return *words ? words_squash(0, text) : 0;
}

/* Values of the same text in other columns hang in a list behind the slots. */
static void
index_value(struct frame *frame, int column, const char *text)
{
    unsigned words;
    uint64_t hash = squash_value(text, &words);

    if (!hash || strlen(text) > VALUE_BYTES_MAX || words > VALUE_WORDS_MAX)
        return;
    size_t at = value_slot(frame, hash);
    struct value_entry *entry = &frame->value[at];
    if (entry->hash && entry->column == column)
        return;
    int next = -1;
    if (entry->hash) {
        next = (int)(frame->value_slots + frame->values);
        frame->value[next] = *entry;
        frame->values++;
    }
    *entry = (struct value_entry){hash, column, text, next};
    frame->value_words = words > frame->value_words ? words : frame->value_words;
}

static size_t
count_values(const struct frame *frame)
{
    size_t count = 0;

    for (int i = 0; i < frame->columns; i++) {
        size_t size = json_array_size(frame->column[i].values);

        count += size < VALUES_MAX ? size : VALUES_MAX;
    }
    return count;
}

void
frame_index_values(struct profile_reader *reader, struct frame *frame)
{
    size_t count = count_values(frame);

    frame->value_slots = 16;
    while (frame->value_slots < 2 * count)
        frame->value_slots *= 2;
    frame->value =
        arena_alloc(reader->arena, frame->value_slots + count, sizeof(*frame->value));
    for (int i = 0; i < frame->columns; i++)
        for (size_t k = 0; k < json_array_size(frame->column[i].values); k++) {
            const char *text =
                json_string_value(json_array_get(frame->column[i].values, k));

            if (text && k < VALUES_MAX)
                index_value(frame, i, text);
        }
}

int
frame_find_value(const struct frame *frame, uint64_t squash)
{
    size_t at = value_slot(frame, squash);

    return frame->value[at].hash ? (int)at : -1;
}
