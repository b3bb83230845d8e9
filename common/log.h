/*
 * log: one line for each event, on stderr: `level component event key=value ...`; or
 * one JSON object with the members that programs which collect logs look for.
 *
 * CELLPOD_LOG=info,wire=debug chooses levels, the first word for all components.
 * Say what happened and to whom: ids and sizes, never a key, a token, a prompt or a
 * user's code. Children after fork do not log, nor do threads beside the event loop.
 *
 * Errors of one kind (one call of log_error) that follow each other are a cell's doing,
 * or a loop's: the first eight are written, then every one that doubles their number,
 * which it names. After a minute without one they count anew.
 */
#pragma once

#include "common/base.h"

enum log_level {
    LEVEL_ERROR,
    LEVEL_INFO,
    LEVEL_DEBUG,
};

/* Define LOG_COMPONENT before including this, once, at the top of the .c file. */
#define log_error(...) log_line(LEVEL_ERROR, LOG_COMPONENT, __VA_ARGS__)
#define log_info(...)  log_line(LEVEL_INFO, LOG_COMPONENT, __VA_ARGS__)
#define log_debug(...) log_line(LEVEL_DEBUG, LOG_COMPONENT, __VA_ARGS__)

/* "text", or "json"; NULL or "": text. False: it is something else. */
bool log_set_format(const char *format);
/* Of what the next lines are about, in JSON; NULL or "": of nothing. Copied. */
void log_set_trace(const char *trace_id);

/* NULL or "" means the default, `error` for all. Keeps its own copy. */
void log_configure(const char *spec);
void log_line(enum log_level level, const char *component, const char *fmt, ...)
    PRINTF(3, 4);
