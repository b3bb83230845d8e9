#include "common/utf8.h"

/* First bytes, and what the second may be; every later byte is 80..BF. */
static const struct {
    unsigned char first, last, second_low, second_high, len;
} forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4},
    {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static bool
is_within(unsigned char byte, unsigned char low, unsigned char high)
{
    return byte >= low && byte <= high;
}

size_t
utf8_sequence(const char *data, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)data;

    if (len == 0)
        return 0;
    if (bytes[0] < 0x80)
        return 1;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        if (!is_within(bytes[0], forms[i].first, forms[i].last))
            continue;
        if (len < forms[i].len ||
            !is_within(bytes[1], forms[i].second_low, forms[i].second_high))
            return 0;
        for (size_t at = 2; at < forms[i].len; at++)
            if (!is_within(bytes[at], 0x80, 0xBF))
                return 0;
        return forms[i].len;
    }
    return 0;
}

bool
utf8_is_valid(struct slice text)
{
    while (text.len) {
        size_t len = utf8_sequence(text.data, text.len);
        if (len == 0)
            return false;
        text = (struct slice){text.data + len, text.len - len};
    }
    return true;
}

size_t
utf8_count(struct slice text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return count;
}
