#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *code;
    unsigned http_status;
    bool retryable;
} kinds[] = {
#define X(kind, code, http, retry) [ERR_##kind] = {code, http, retry},
    ERROR_KINDS(X)
#undef X
};

static void
append(struct error *err, const char *text)
{
    size_t used = strlen(err->text);

    snprintf(err->text + used, sizeof(err->text) - used, ": %s", text);
}

void
error_format(struct error *err, enum error_kind kind, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    err->kind = kind;
    err->sys = 0;
}

void
error_format_sys(struct error *err, const char *fmt, ...)
{
    int sys = errno;
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    append(err, strerror(sys));
    err->kind = ERR_SYSTEM;
    err->sys = sys;
}

void
error_prefix(struct error *err, const char *fmt, ...)
{
    const struct error cause = *err;
    va_list args;

    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    append(err, cause.text);
}

const char *
error_code(enum error_kind kind)
{
    return kinds[kind].code;
}

unsigned
error_http_status(enum error_kind kind)
{
    return kinds[kind].http_status;
}

bool
error_is_retryable(enum error_kind kind)
{
    return kinds[kind].retryable;
}
