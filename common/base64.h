/*
 * base64: RFC 4648's decoding by libcrypto, held to the rule: padding is whole or left
 * off, nothing follows it; white space may stand between the digits.
 */
#pragma once

#include "common/buffer.h"

/* Appends to out; ERR_BAD_INPUT, ERR_TOO_LARGE. A failure leaves out as it was. */
int base64_decode(struct slice text, struct buffer *out, struct error *err) MUST_CHECK;
