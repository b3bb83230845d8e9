/* A record's parts are in the bytes that it was read from, and what is read can be
 * written and is the same. What a cell shows of it is bounded by it. */
#include <stdlib.h>

#include "kernel/archive/archive_index.h"
#include "kernel/archive/archive_shown.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct archive_record *record, struct slice bytes)
{
    AUTO(buffer) struct buffer again = BUFFER_INIT(SIZE_MAX);
    size_t needed;
    struct archive_record read;

    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        if (record->parts[i].data < bytes.data ||
            record->parts[i].data + record->parts[i].len > bytes.data + bytes.len)
            abort();
    archive_record_append(&again, record);
    if (archive_record_parse(buffer_slice(&again), &read, &needed) !=
            (ssize_t)archive_record_size(record) ||
        read.cell != record->cell || read.seq != record->seq)
        abort();
}

/* The digest keeps a fuzzer out: what it has is read as a file, and as the parts of one
 * record. */
static void
take(struct archive_index *index, struct archive_shown *shown,
     const struct archive_record *record)
{
    archive_index_note(index, record);
    archive_shown_take(shown, record, record->cell % 2);
}

static void
take_file(struct archive_index *index, struct archive_shown *shown, struct slice bytes)
{
    struct archive_record record;
    ssize_t used;
    size_t needed;

    while ((used = archive_record_parse(bytes, &record, &needed)) > 0) {
        check(&record, bytes);
        take(index, shown, &record);
        bytes = (struct slice){bytes.data + used, bytes.len - (size_t)used};
    }
}

static void
take_parts(struct archive_index *index, struct archive_shown *shown, struct slice bytes)
{
    static const char *const types[] = {"stream", "display_data", "update_display_data",
                                        "clear_output", "execute_input"};
    const char first = bytes.len ? bytes.data[0] : 0;

    for (size_t i = 0; i < COUNT_OF(types); i++)
        take(
            index, shown,
            &(struct archive_record){
                .kind = i ? ARCHIVE_OUTPUT : ARCHIVE_CELL,
                .cell = 1,
                .parts = {slice_of(types[(i + (unsigned char)first) % COUNT_OF(types)]),
                          bytes, SLICE("")}
        });
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice bytes = {size ? (const char *)data : "", size};
    struct archive_index index;
    struct archive_shown shown = {0};

    archive_index_init(&index);
    take_file(&index, &shown, bytes);
    take_parts(&index, &shown, bytes);
    archive_shown_release(&shown);
    archive_index_release(&index);
    return 0;
}
