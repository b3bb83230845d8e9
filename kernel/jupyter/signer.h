/*
 * signature: the HMAC of Jupyter's messages, as lower-case hex.
 *
 * It takes any digest that OpenSSL has, by its name in Python's hashlib ("hmac-sha256",
 * "hmac-sha3_256", "hmac-blake2b"). An empty key means that nothing is signed.
 */
#pragma once

#include "common/error.h"

#define SIGNATURE_HEX_MAX 128

struct signer;

int signer_new(struct signer **out, const char *scheme, struct slice key,
               struct error *err) MUST_CHECK;
void signer_free(struct signer *signer);

bool signer_is_off(const struct signer *signer);
size_t signer_hex_len(const struct signer *signer); /* 0 when off */

/* The signature over the parts, as they will be sent. hex is not NUL-terminated. */
void signer_sign(struct signer *signer, const struct slice *parts, size_t count,
                 char hex[SIGNATURE_HEX_MAX]);

/* Constant time; false for any other length than that of a signature. */
bool signer_verify(struct signer *signer, const struct slice *parts, size_t count,
                   struct slice signature);

static inline void
auto_signer(struct signer **signer)
{
    signer_free(*signer);
}
