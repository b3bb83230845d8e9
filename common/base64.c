#include "common/base64.h"

#include <limits.h>
#include <openssl/evp.h>

static void
auto_decoder(EVP_ENCODE_CTX **decoder)
{
    EVP_ENCODE_CTX_free(*decoder);
}

/* How many bytes it gave, -1 if it is not base64. libcrypto takes a `-` for the end of
 * the text, whatever follows, and wants padding, which some leave off. */
static int
decode(EVP_ENCODE_CTX *decoder, struct slice text, unsigned char *out)
{
    const unsigned char *digits = (const unsigned char *)text.data;
    int len = 0, rest = 0;

    if (text.len > INT_MAX || (text.len && memchr(text.data, '-', text.len)))
        return -1;
    EVP_DecodeInit(decoder);
    if (EVP_DecodeUpdate(decoder, out, &len, digits, (int)text.len) < 0)
        return -1;
    int odd = EVP_ENCODE_CTX_num(decoder) % 4; /* digits of the last four */
    bool is_padded = text.len && memchr(text.data, '=', text.len);
    if (odd >= 2 && !is_padded)
        EVP_DecodeUpdate(decoder, out + len, &rest,
                         (const unsigned char *)"==", 4 - odd);
    return EVP_ENCODE_CTX_num(decoder) == 0 ? len + rest : -1;
}

int
base64_decode(struct slice text, struct buffer *out, struct error *err)
{
    AUTO(decoder) EVP_ENCODE_CTX *decoder = EVP_ENCODE_CTX_new();
    char *end = buffer_reserve(out, text.len / 4 * 3 + 3);

    if (!decoder)
        abort();
    if (!end)
        return error_set(err, ERR_TOO_LARGE, "base64 of more than %zu bytes", out->max);
    int len = decode(decoder, text, (unsigned char *)end);
    if (len < 0)
        return error_set(err, ERR_BAD_INPUT, "not base64");
    buffer_advance(out, (size_t)len);
    return 0;
}
