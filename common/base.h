/*
 * base: the attributes, ownership helpers and byte views that every file may use.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN          __attribute__((noreturn))
#define UNUSED            __attribute__((unused))
#define COUNT_OF(array)   (sizeof(array) / sizeof((array)[0]))
#define KIB(n)            ((size_t)(n) << 10)
#define MIB(n)            ((size_t)(n) << 20)

/* AUTO(fd) int x = -1;  closes x on every path out of its block. Each type that can be
 * owned supplies auto_<type>. */
#define AUTO(kind) __attribute__((cleanup(auto_##kind)))

/* Hand a pointer on: yields it and leaves NULL behind for the cleanup. */
#define TAKE(pointer)                   \
    ({                                  \
        __auto_type taken_ = (pointer); \
        (pointer) = NULL;               \
        taken_;                         \
    })

static inline int
take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

static inline void
auto_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline void
auto_mem(void *pointer_to_pointer)
{
    free(*(void **)pointer_to_pointer);
}

/* Borrowed bytes: never freed through, never NUL-terminated. */
struct slice {
    const char *data;
    size_t len;
};

#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})

static inline struct slice
slice_of(const char *text)
{
    return (struct slice){text, text ? strlen(text) : 0};
}

static inline bool
slice_equals(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* For sizes that the program chooses: these abort when there is no memory. Sizes that a
 * peer chooses are checked against common/limits.h first. */
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t len);
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);
char *xvasprintf(const char *fmt, va_list args) PRINTF(1, 0);
