#include "common/base64.h"

#define NO_DIGIT 0xFF

/* Value of each digit; built once from the alphabet. */
static const uint8_t *
digit_values(void)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static uint8_t values[256];

    if (values['B'] == 0) {
        memset(values, NO_DIGIT, sizeof(values));
        for (uint8_t i = 0; i < 64; i++)
            values[(unsigned char)alphabet[i]] = i;
    }
    return values;
}

static bool
is_space(char c)
{
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

/* Digits up to the padding; the rest must be padding and space. */
static int
decode(struct slice text, char *out, size_t *out_len, struct error *err)
{
    const uint8_t *values = digit_values();
    uint32_t bits = 0;
    size_t digits = 0, padding = 0, len = 0;

    for (size_t i = 0; i < text.len; i++) {
        uint8_t value = values[(unsigned char)text.data[i]];
        if (is_space(text.data[i]))
            continue;
        padding += text.data[i] == '=';
        if (padding ? text.data[i] != '=' : value == NO_DIGIT)
            return error_set(err, ERR_BAD_INPUT, "not base64 at byte %zu", i);
        if (padding)
            continue;
        bits = bits << 6 | value;
        if (++digits % 4 == 0) {
            out[len++] = (char)(bits >> 16);
            out[len++] = (char)(bits >> 8);
            out[len++] = (char)bits;
        }
    }
    if (digits % 4 == 1 || padding > 2 || (padding && (digits + padding) % 4))
        return error_set(err, ERR_BAD_INPUT,
                         "base64 that ends in the middle of a byte");
    if (digits % 4 >= 2)
        out[len++] = (char)(bits >> (digits % 4 == 2 ? 4 : 10));
    if (digits % 4 == 3)
        out[len++] = (char)(bits >> 2);
    *out_len = len;
    return 0;
}

int
base64_decode(struct slice text, struct buffer *out, struct error *err)
{
    size_t len;
    char *end = buffer_reserve(out, text.len / 4 * 3 + 3);

    if (!end)
        return error_set(err, ERR_TOO_LARGE, "base64 of more than %zu bytes", out->max);
    if (decode(text, end, &len, err) < 0)
        return -1;
    buffer_advance(out, len);
    return 0;
}
