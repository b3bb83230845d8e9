#include "bridge/repair/diff.h"

#include "common/buffer.h"

enum {
    AROUND = 3,             /* lines shown before and behind a change */
    COMPARED_MAX = 1000000, /* pairs of lines; above that, all are exchanged */
};

struct lines {
    struct slice *at;
    size_t count;
};

struct row {
    char sign;
    struct slice text;
};

struct rows {
    struct row *at;
    size_t count;
};

static struct lines
split(const char *text)
{
    struct lines lines = {xcalloc(strlen(text) + 1, sizeof(*lines.at)), 0};

    while (*text) {
        size_t len = strcspn(text, "\n");
        lines.at[lines.count++] = (struct slice){text, len};
        text += len + (text[len] == '\n');
    }
    return lines;
}

static void
add(struct rows *rows, char sign, const struct slice *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rows->at[rows->count++] = (struct row){sign, lines[i]};
}

/* longest[i][j]: lines that a from i on and b from j on share, in order. */
static unsigned *
longest_of(const struct slice *a, size_t m, const struct slice *b, size_t n)
{
    unsigned *longest = xcalloc((m + 1) * (n + 1), sizeof(*longest));

    for (size_t i = m; i-- > 0;)
        for (size_t j = n; j-- > 0;) {
            unsigned down = longest[(i + 1) * (n + 1) + j];
            unsigned right = longest[i * (n + 1) + j + 1];
            longest[i * (n + 1) + j] = slice_equals(a[i], b[j])
                                           ? longest[(i + 1) * (n + 1) + j + 1] + 1
                                       : down > right ? down
                                                      : right;
        }
    return longest;
}

static void
compare(struct rows *rows, const struct slice *a, size_t m, const struct slice *b,
        size_t n)
{
    size_t i = 0, j = 0;

    if (m && n && m <= COMPARED_MAX / n) {
        AUTO(mem) unsigned *longest = longest_of(a, m, b, n);
        while (i < m && j < n) {
            if (slice_equals(a[i], b[j])) {
                add(rows, ' ', &a[i++], 1);
                j++;
            } else if (longest[(i + 1) * (n + 1) + j] >= longest[i * (n + 1) + j + 1]) {
                add(rows, '-', &a[i++], 1);
            } else {
                add(rows, '+', &b[j++], 1);
            }
        }
    }
    add(rows, '-', a + i, m - i);
    add(rows, '+', b + j, n - j);
}

static bool
is_near_change(const struct rows *rows, size_t at)
{
    size_t from = at > AROUND ? at - AROUND : 0;

    for (size_t i = from; i < rows->count && i <= at + AROUND; i++)
        if (rows->at[i].sign != ' ')
            return true;
    return false;
}

static char *
written(const struct rows *rows)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    bool is_gap = false;

    buffer_append_text(&out, "");
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_near_change(rows, i)) {
            is_gap = true;
            continue;
        }
        if (is_gap)
            buffer_append_text(&out, "@@\n");
        is_gap = false;
        buffer_append(&out, &rows->at[i].sign, 1);
        buffer_append(&out, rows->at[i].text.data, rows->at[i].text.len);
        buffer_append_text(&out, "\n");
    }
    return TAKE(out.data);
}

char *
diff_lines(const char *before, const char *after)
{
    struct lines a = split(before), b = split(after);
    struct rows rows = {xcalloc(a.count + b.count + 1, sizeof(*rows.at)), 0};
    size_t head = 0, tail = 0;

    while (head < a.count && head < b.count && slice_equals(a.at[head], b.at[head]))
        head++;
    while (tail < a.count - head && tail < b.count - head &&
           slice_equals(a.at[a.count - 1 - tail], b.at[b.count - 1 - tail]))
        tail++;
    add(&rows, ' ', a.at, head);
    compare(&rows, a.at + head, a.count - head - tail, b.at + head,
            b.count - head - tail);
    add(&rows, ' ', a.at + a.count - tail, tail);
    char *out = written(&rows);
    free(a.at);
    free(b.at);
    free(rows.at);
    return out;
}
