/*
 * rfc3339: points in time as Kubernetes writes them: 2026-11-22T01:02:03Z.
 */
#pragma once

#include <time.h>

#include "common/base.h"

#define RFC3339_SIZE 21

/* False if the text is not such a time. Fractions of seconds are dropped. */
bool rfc3339_read(const char *text, time_t *out);
void rfc3339_write(time_t when, char out[RFC3339_SIZE]);
