/*
 * curl_memory: memory for libcurl, which holds requests with keys in them.
 *
 * What libcurl gives up is wiped. What is large, such as the buffer in which it keeps a
 * request for as long as a transfer over TLS lasts, is left out of core dumps.
 */
#pragma once

#include "common/base.h"

void *curl_memory_take(size_t size);
void *curl_memory_take_zeros(size_t count, size_t size);
void *curl_memory_resize(void *memory, size_t size);
char *curl_memory_copy_text(const char *text);
void curl_memory_give_up(void *memory);
