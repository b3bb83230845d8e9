#include "kernel/carry/carry_left.h"

#include <stdio.h>

#include "common/utf8.h"

static const char *const texts[] = {
#define X(reason, text) [CARRY_LEFT_##reason] = text,
    CARRY_LEFT_REASONS(X)
#undef X
};

/* As much of a path as there is room for, of whole characters that a terminal shows. */
static void
copy_shown(char *out, size_t size, const char *path)
{
    const size_t len = strlen(path);
    size_t at = 0, used = 0;

    while (at < len) {
        size_t step = utf8_sequence(path + at, len - at);
        const char *shown = step && (unsigned char)path[at] >= ' ' && path[at] != 0x7f
                                ? path + at
                                : "?";
        size_t shown_len = *shown == '?' ? 1 : step;
        if (used + shown_len + sizeof("…") > size) {
            memcpy(out + used, "…", sizeof("…"));
            return;
        }
        memcpy(out + used, shown, shown_len);
        used += shown_len;
        at += step ? step : 1;
    }
    out[used] = '\0';
}

void
carry_left_note(struct carry_left *left, enum carry_left_reason reason,
                const char *path, uint64_t bytes)
{
    if (left->of[reason].count++)
        return;
    left->of[reason].bytes = bytes;
    copy_shown(left->of[reason].first, sizeof(left->of[reason].first), path);
}

void
carry_left_add(struct carry_left *left, const struct carry_left *more)
{
    for (size_t i = 0; i < COUNT_OF(left->of); i++) {
        unsigned count = left->of[i].count + more->of[i].count;
        if (!left->of[i].count)
            left->of[i] = more->of[i];
        left->of[i].count = count;
    }
}

unsigned
carry_left_count(const struct carry_left *left)
{
    unsigned count = 0;

    for (size_t i = 0; i < COUNT_OF(left->of); i++)
        count += left->of[i].count;
    return count;
}

bool
carry_left_equals(const struct carry_left *a, const struct carry_left *b)
{
    for (size_t i = 0; i < COUNT_OF(a->of); i++)
        if (a->of[i].count != b->of[i].count ||
            strcmp(a->of[i].first, b->of[i].first) != 0)
            return false;
    return true;
}

void
carry_left_append_size(struct buffer *text, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double size = (double)bytes / 1000;
    size_t unit = 0;

    if (bytes < 1000) {
        buffer_printf(text, "%llu bytes", (unsigned long long)bytes);
        return;
    }
    for (; size >= 999.95 && unit + 1 < COUNT_OF(units); unit++)
        size /= 1000;
    buffer_printf(text, "%.1f %s", size, units[unit]);
}

void
carry_left_append(struct buffer *text, const struct carry_left *left)
{
    const char *between = "";

    for (size_t i = 0; i < COUNT_OF(left->of); i++) {
        if (!left->of[i].count)
            continue;
        buffer_printf(text, "%s%s", between, left->of[i].first);
        if (left->of[i].count > 1)
            buffer_printf(text, " and %u more", left->of[i].count - 1);
        buffer_append_text(text, " (");
        if (i == CARRY_LEFT_LARGE) {
            carry_left_append_size(text, left->of[i].bytes);
            buffer_append_text(text, ", ");
        }
        buffer_printf(text, "%s)", texts[i]);
        between = ", ";
    }
}
