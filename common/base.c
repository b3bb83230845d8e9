#include "common/base.h"

#include <stdarg.h>
#include <stdio.h>

/* Said without any memory. */
NORETURN static void
run_out(void)
{
    static const char said[] = "cellpod: out of memory\n";

    (void)!write(STDERR_FILENO, said, sizeof(said) - 1);
    abort();
}

void *
xcalloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        run_out();
    return memory;
}

void *
xrealloc(void *memory, size_t size)
{
    void *moved = realloc(memory, size ? size : 1);

    if (!moved)
        run_out();
    return moved;
}

char *
xstrdup(const char *text)
{
    return xstrndup(text, strlen(text));
}

char *
xstrndup(const char *text, size_t len)
{
    char *copy = xcalloc(len + 1, 1);

    memcpy(copy, text, len);
    return copy;
}

char *
xvasprintf(const char *fmt, va_list args)
{
    char *text;

    if (vasprintf(&text, fmt, args) < 0)
        run_out();
    return text;
}

char *
xasprintf(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = xvasprintf(fmt, args);
    va_end(args);
    return text;
}
