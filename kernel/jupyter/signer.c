#include "kernel/jupyter/signer.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

struct signer {
    EVP_MAC_CTX *context; /* NULL: no key, nothing is signed */
    size_t digest_len;
};

/* Names that OpenSSL spells in another way than hashlib; else '_' is '-'. */
static const struct {
    const char *hashlib, *openssl;
} spellings[] = {
    {"blake2b",    "BLAKE2B-512"},
    {"blake2s",    "BLAKE2S-256"},
    {"sha512_256", "SHA512-256" },
    {"sha512_224", "SHA512-224" },
};

static char *
openssl_name(const char *hashlib)
{
    for (size_t i = 0; i < COUNT_OF(spellings); i++)
        if (strcmp(hashlib, spellings[i].hashlib) == 0)
            return xstrdup(spellings[i].openssl);
    char *name = xstrdup(hashlib);
    for (char *at = name; *at; at++)
        if (*at == '_')
            *at = '-';
    return name;
}

static int
set_up(struct signer *signer, const char *digest, struct slice key, struct error *err)
{
    AUTO(mem) char *name = openssl_name(digest);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);

    signer->context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac); /* the context holds its own reference */
    if (!signer->context ||
        !EVP_MAC_init(signer->context, (const uint8_t *)key.data, key.len, params))
        return error_set(err, ERR_BAD_INPUT, "signature_scheme: unknown digest `%.40s'",
                         digest);
    signer->digest_len = EVP_MAC_CTX_get_mac_size(signer->context);
    if (signer->digest_len < 16 || signer->digest_len * 2 > SIGNATURE_HEX_MAX)
        return error_set(
            err, ERR_BAD_INPUT,
            "signature_scheme: the digest `%.40s' is too short or too long", digest);
    return 0;
}

int
signer_new(struct signer **out, const char *scheme, struct slice key, struct error *err)
{
    AUTO(signer) struct signer *signer = xcalloc(1, sizeof(*signer));
    /* Checked also when it will not be used: a wrong file should not pass. */
    struct slice any = key.len ? key : SLICE("unused");

    if (strncmp(scheme, "hmac-", 5) != 0)
        return error_set(err, ERR_BAD_INPUT,
                         "signature_scheme: must be hmac-DIGEST, not `%.40s'", scheme);
    if (set_up(signer, scheme + 5, any, err) < 0)
        return -1;
    if (key.len == 0) {
        EVP_MAC_CTX_free(signer->context);
        signer->context = NULL;
    }
    *out = TAKE(signer);
    return 0;
}

void
signer_free(struct signer *signer)
{
    if (!signer)
        return;
    EVP_MAC_CTX_free(signer->context);
    free(signer);
}

bool
signer_is_off(const struct signer *signer)
{
    return !signer->context;
}

size_t
signer_hex_len(const struct signer *signer)
{
    return signer->context ? signer->digest_len * 2 : 0;
}

void
signer_sign(struct signer *signer, const struct slice *parts, size_t count,
            char hex[SIGNATURE_HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SIGNATURE_HEX_MAX / 2];
    size_t len = 0;

    if (!signer->context)
        return;
    bool ok = EVP_MAC_init(signer->context, NULL, 0, NULL); /* the same key again */
    for (size_t i = 0; ok && i < count; i++)
        ok = EVP_MAC_update(signer->context, (const uint8_t *)parts[i].data,
                            parts[i].len);
    if (!ok || !EVP_MAC_final(signer->context, digest, &len, sizeof(digest)))
        abort(); /* only memory can be lacking */
    for (size_t i = 0; i < len; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
}

bool
signer_verify(struct signer *signer, const struct slice *parts, size_t count,
              struct slice signature)
{
    char expected[SIGNATURE_HEX_MAX];

    if (signer_is_off(signer))
        return true;
    if (signature.len != signer_hex_len(signer))
        return false;
    signer_sign(signer, parts, count, expected);
    return CRYPTO_memcmp(expected, signature.data, signature.len) == 0;
}
