/*
 * report: what the doctor found, check by check.
 */
#pragma once

#include <jansson.h>

#include "common/buffer.h"

enum check_status {
    CHECK_OK,
    CHECK_NOTE,    /* worth knowing, but not needed */
    CHECK_FAILED,  /* needed */
    CHECK_SKIPPED, /* could not be tried after a failure */
};

struct report {
    json_t *checks; /* array of {"area","name","status","detail","remedy"} */
    bool has_failed;
    bool is_json;     /* nothing is printed before the end */
    const char *area; /* the area whose heading was printed last */
};

/* Prints it at once: the next check may take its time. `remedy` may be NULL or "". */
void report_add(struct report *report, const char *name, enum check_status status,
                const char *remedy, const char *fmt, ...) PRINTF(5, 6);

void report_area(struct report *report, const char *area);

/* The last line, or all as JSON. */
void report_finish(struct report *report);
