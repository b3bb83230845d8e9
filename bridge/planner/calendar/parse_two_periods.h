/*
 * parse_two_periods: two periods side by side: "the first half of 2023 with the first
 * half of 2024", "2023 and 2024", "January and June".
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

struct period {
    int first, last; /* months; 0: a whole year */
    int year;        /* 0: it is not said */
    bool is_quarter; /* of the year, by its name */
    int end;         /* its last token */
};

struct two_periods {
    struct period one, other;
};

/* Reads them from `at` on; false: no two periods that can be compared stand there. */
bool parse_two_periods_read(const struct parser *p, int at, struct two_periods *two);

/* Two tests and a key of the dates of the column `date`. */
void parse_two_periods_take(struct parser *p, int date, int at,
                            const struct two_periods *two);

/* The same months of two years, compared, when they stand at `at`; date: the column
 * that they are of. */
bool parse_two_periods(struct parser *p, int date, int at);
