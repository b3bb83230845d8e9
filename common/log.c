#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/trace.h"

enum {
    KINDS = 64,
    WRITTEN = 8, /* of one kind in a row */
    QUIET_S = 60,
    LINE_BYTES = 8192, /* of text that is escaped */
};

/* Of errors: component and format are literals, so a kind is told by where they are. */
static struct kind {
    const char *component, *fmt;
    unsigned long long count;
    time_t last;
} kinds[KINDS];

static const char *const level_names[] = {"error", "info", "debug"};
static enum log_level default_level = LEVEL_ERROR;
static char spec[256];
static bool is_json;
static char trace[TRACE_ID_LEN + 1];

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

bool
log_set_format(const char *format)
{
    is_json = format && strcmp(format, "json") == 0;
    return !format || !*format || is_json || strcmp(format, "text") == 0;
}

void
log_set_trace(const char *trace_id)
{
    snprintf(trace, sizeof(trace), "%s", trace_id ? trace_id : "");
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

static time_t
seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}

/* How many there were of this kind, this one included. */
static unsigned long long
count_error(const char *component, const char *fmt)
{
    struct kind *kind = &kinds[(uintptr_t)fmt / 8 % KINDS];
    const time_t now = seconds_now();

    if (kind->component != component || kind->fmt != fmt || now - kind->last > QUIET_S)
        *kind = (struct kind){component, fmt, 0, now};
    kind->last = now;
    return ++kind->count;
}

static bool
is_written(unsigned long long count)
{
    return count <= WRITTEN || (count & (count - 1)) == 0;
}

static void
append_time(struct buffer *line)
{
    struct timespec now;
    struct tm utc;
    char text[32];

    clock_gettime(CLOCK_REALTIME, &now);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    buffer_printf(line, "{\"time\":\"%s.%03ldZ\"", text, now.tv_nsec / 1000000);
}

/* In one write: lines of several processes do not run into each other. What peers have
 * put into it is escaped; bytes that are not UTF-8 are replaced. */
static void
write_json(enum log_level level, const char *component, const char *text,
           const char *more)
{
    static const char *const severities[] = {"ERROR", "INFO", "DEBUG"};
    AUTO(buffer) struct buffer line = BUFFER_INIT(LINE_BYTES);
    AUTO(buffer) struct buffer message = BUFFER_INIT(LINE_BYTES);

    buffer_append_text(&message, text);
    buffer_append_text(&message, more);
    append_time(&line);
    buffer_printf(&line, ",\"severity\":\"%s\",\"component\":\"%s\",\"message\":",
                  severities[level], component);
    buffer_append_json_string(&line, buffer_slice(&message));
    if (*trace)
        buffer_printf(&line, ",\"trace_id\":\"%s\"", trace);
    buffer_append_text(&line, "}\n");
    if (write(STDERR_FILENO, line.data, line.len) < 0)
        return; /* nobody reads it */
}

void
log_line(enum log_level level, const char *component, const char *fmt, ...)
{
    char text[1024], more[64] = "";
    va_list args;

    if (!is_enabled(level, component))
        return;
    const unsigned long long count =
        level == LEVEL_ERROR ? count_error(component, fmt) : 1;
    if (!is_written(count))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    flatten(text);
    if (count > WRITTEN)
        snprintf(more, sizeof(more), " (the %lluth of its kind)", count);
    if (is_json)
        write_json(level, component, text, more);
    else
        dprintf(STDERR_FILENO, "%s %s %s%s\n", level_names[level], component, text,
                more);
}
