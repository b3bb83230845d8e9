/*
 * curl_memory: memory for libcurl, which holds requests with keys in them.
 *
 * Memory that libcurl frees is wiped. Large blocks, such as the buffer that holds a
 * request during a transfer over TLS, are left out of core dumps.
 */
#pragma once

#include "common/base.h"

void *curl_memory_take(size_t size);
void *curl_memory_take_zeros(size_t count, size_t size);
void *curl_memory_resize(void *memory, size_t size);
char *curl_memory_copy_text(const char *text);
void curl_memory_give_up(void *memory);
