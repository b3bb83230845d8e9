/* No more text comes out than went in, and none of it from elsewhere. The input: what
 * comes before the text, 8 bytes; of each piece whether it is taken, and where it is
 * being put, 8 bytes; then the text, whose first bytes are those of both pieces. */
#include <stdlib.h>

#include "common/limits.h"
#include "sandbox/running/output_journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct told {
    const char *end; /* of the last piece of the text */
};

static struct journal_memory memory;

static bool
is_within(struct slice text, const char *bytes, size_t len)
{
    return text.data >= bytes && text.data + text.len <= bytes + len;
}

static void
check(void *context, const char *stream, const char *parent, struct slice text)
{
    struct told *told = context;

    if (strncmp(stream, "std", 3) != 0 || strlen(parent) > LIMIT_REQUEST_ID ||
        !text.len)
        abort();
    if (is_within(text, memory.text, sizeof(memory.text))) {
        if (text.data < told->end)
            abort();
        told->end = text.data + text.len;
    } else if (!is_within(text, memory.pieces[0].bytes, JOURNAL_PIECE) &&
               !is_within(text, memory.pieces[1].bytes, JOURNAL_PIECE)) {
        abort();
    }
}

/* As much of the input as is there. */
static void
fill(void *to, size_t len, const uint8_t **data, size_t *size)
{
    const size_t count = *size < len ? *size : len;

    memcpy(to, *data, count);
    *data += count;
    *size -= count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t said = size % 16;
    struct told told = {memory.text};

    memset(&memory, 0, sizeof(memory));
    fill(&memory.before, sizeof(memory.before), &data, &size);
    for (int i = 0; i < JOURNAL_STREAMS; i++) {
        struct journal_piece *piece = &memory.pieces[i];
        fill(&piece->is_taken, sizeof(piece->is_taken), &data, &size);
        fill(&piece->put_at, sizeof(piece->put_at), &data, &size);
        memcpy(piece->bytes, data, size < JOURNAL_PIECE ? size : JOURNAL_PIECE);
    }
    fill(memory.text, sizeof(memory.text), &data, &size);
    output_journal_parse(&memory, said, "now", check, &told);
    return 0;
}
