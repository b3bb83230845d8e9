/*
 * cache: models' answers, found by their request, each in a file of mode 0600.
 *
 * The key is a hash of the api, the address and the body of the request, so it covers
 * prompt, model and parameters, but no API key. Answers are stored only after their
 * code ran, and their code runs again whenever they are used.
 */
#pragma once

#include "bridge/models/reply.h"

enum {
    CACHE_KEY_SIZE = 65,
    CACHE_ENTRIES = 500,
    CACHE_DAYS = 30,
};

void cache_key(char key[CACHE_KEY_SIZE], const char *api, const char *url,
               struct slice body);

/* True, and the reply filled in as if it had just come. Unreadable entries are misses.
 */
bool cache_find(const char *key, struct reply *reply);

/* Drops the oldest beyond CACHE_ENTRIES, and all older than CACHE_DAYS. */
int cache_store(const char *key, const struct reply *reply,
                struct error *err) MUST_CHECK;
