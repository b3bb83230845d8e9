/*
 * curl_library: libcurl, loaded when it is first needed.
 *
 * It is not loaded at the start: with its thirty libraries, it takes as long to load as
 * all the rest of the kernel. It allocates memory through common/http/curl_memory.
 */
#pragma once

#define CURL_DISABLE_TYPECHECK /* its macros do not know a pointer to the function */
#include <curl/curl.h>

#include "common/error.h"

/* The functions of libcurl that are used. */
#define CURL_FUNCTIONS(X)  \
    X(easy_cleanup)        \
    X(easy_getinfo)        \
    X(easy_header)         \
    X(easy_init)           \
    X(easy_perform)        \
    X(easy_pause)          \
    X(easy_setopt)         \
    X(easy_strerror)       \
    X(free)                \
    X(global_init_mem)     \
    X(multi_add_handle)    \
    X(multi_cleanup)       \
    X(multi_info_read)     \
    X(multi_init)          \
    X(multi_perform)       \
    X(multi_poll)          \
    X(multi_remove_handle) \
    X(multi_setopt)        \
    X(multi_socket_action) \
    X(multi_strerror)      \
    X(slist_append)        \
    X(slist_free_all)      \
    X(url)                 \
    X(url_cleanup)         \
    X(url_get)             \
    X(url_set)

struct curl_functions {
#define X(name) __typeof__(curl_##name) *name;
    CURL_FUNCTIONS(X)
#undef X
};

/* curl.easy_init() and so on, once curl_library_load has succeeded. */
extern struct curl_functions curl;

/* May be called again. */
int curl_library_load(struct error *err) MUST_CHECK;
