#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const level_names[] = {"error", "info", "debug"};
static enum log_level default_level = LEVEL_ERROR;
static char spec[256];

static int
level_of(const char *name, size_t len)
{
    for (size_t i = 0; i < COUNT_OF(level_names); i++)
        if (slice_equals((struct slice){name, len}, slice_of(level_names[i])))
            return (int)i;
    return -1;
}

void
log_configure(const char *wanted)
{
    snprintf(spec, sizeof(spec), "%s", wanted ? wanted : "");
    int level = level_of(spec, strcspn(spec, ","));
    default_level = level >= 0 ? (enum log_level)level : LEVEL_ERROR;
}

static bool
is_enabled(enum log_level level, const char *component)
{
    size_t len = strlen(component);

    for (const char *at = spec; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, component, len) == 0 && at[len] == '=')
            return (int)level <= level_of(at + len + 1, strcspn(at + len + 1, ","));
    }
    return level <= default_level;
}

/* One event, one line, and no commands for a terminal: parts of it come from peers. */
static void
flatten(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            *text = '?';
}

void
log_line(enum log_level level, const char *component, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    if (!is_enabled(level, component))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    flatten(text);
    dprintf(STDERR_FILENO, "%s %s %s\n", level_names[level], component, text);
}
