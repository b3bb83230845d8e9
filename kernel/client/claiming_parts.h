/*
 * claiming_parts: what claiming.c and claiming_pause.c share.
 */
#pragma once

#include "kernel/client/claiming.h"

#define ANSWER_MS 30000

void claiming_stop(struct claiming *claiming);
/* A failure there, and not of the place: the place is named. */
void claiming_fail_at_place(struct claiming *claiming, const char *message,
                            const char *remedy);
/* Nobody answers, or only a router: tries again, until the time is up. */
bool claiming_is_silence(const struct claiming *claiming, long status);
void claiming_take_silence(struct claiming *claiming, const struct http_result *result);
/* Of what is resumed: does it still know its sandbox? */
void claiming_probe(struct claiming *claiming);
