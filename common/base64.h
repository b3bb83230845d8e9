/*
 * base64: decoding as of RFC 4648, by libcrypto, and strict: padding is complete or
 * absent, and nothing follows it. White space between the digits is allowed.
 */
#pragma once

#include "common/buffer.h"

/* Appends to out; ERR_BAD_INPUT, ERR_TOO_LARGE. A failure leaves out as it was. */
int base64_decode(struct slice text, struct buffer *out, struct error *err) MUST_CHECK;
