/*
 * calendar: what the parsers of months, years and their bounds share.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Whether a number that nobody took is a year. */
bool calendar_is_year(const struct parser *p, int at);

enum {
    CALENDAR_NONE = -1
};

/* Which column what stands at `at` is about: the one that is named before it ("built
 * since 1990"), else `date`. CALENDAR_NONE: a number that is not a time. */
int calendar_column(const struct parser *p, int date, int at);

/* 1 to 12; 0: no month stands there. */
int calendar_month(const struct parser *p, int at);

/* A part of the dates of the column `date`. */
const struct value *calendar_part(struct parser *p, int date, enum query_part which);

/* Adds the test that rows are of that year; of a number, where years are numbers. */
void calendar_add_year(struct parser *p, int date, double year);

/* "onwards", "to now", and "on" that nothing follows. */
bool calendar_goes_on(const struct parser *p, int at);

bool calendar_has_preposition(const struct parser *p, int at);

/* Uses [from, to] and the words around that are said, too: "in", and the column "order
 * date". */
void calendar_use_around(struct parser *p, int from, int to);
