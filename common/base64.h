/*
 * base64: RFC 4648's decoding, white space allowed between the digits.
 */
#pragma once

#include "common/buffer.h"

int base64_decode(struct slice text, struct buffer *out, struct error *err) MUST_CHECK;
