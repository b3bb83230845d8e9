/*
 * parse_durations: what the parsers of durations share.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* "within 30 days", "more than 2 hours" */
struct within {
    enum plan_operator op;
    double number;
    enum query_part unit;
    int end;
};

/* Whether a number of each row is asked for: a mean, an extreme, a correlation. */
bool parse_durations_asks(const struct parser *p, int end);
/* The dates that a word means; NULL: none, or several. */
const struct value *parse_durations_date(struct parser *p, int at);
const struct value *parse_durations_make(struct parser *p, const struct value *from,
                                         const struct value *to, enum query_part unit);
/* Says that it is the time between the two. */
void parse_durations_note(struct parser *p, const struct value *from,
                          const struct value *to);
/* The one other column of dates, which the time runs from; or NULL. */
const struct value *parse_durations_other(struct parser *p, const struct value *to);
/* The one that the time from `from` ends with; or NULL. */
const struct value *parse_durations_end(struct parser *p, const struct value *from);
/* When something was booked, and when it takes place. */
bool parse_durations_lead(struct parser *p, const struct value *date[2]);
/* The two columns of dates, where there are no others; or what they begin and end. */
bool parse_durations_pair(struct parser *p, const struct value *date[2]);
bool parse_durations_within(const struct parser *p, int at, struct within *within);

/* Where the words for a time before `at` begin: "how many days" before "from"; *unit is
 * theirs, or stays. */
int parse_durations_begin(const struct parser *p, int at, enum query_part *unit);

/* The unit of time that the token at `at` names; or PART_NONE. */
enum query_part parse_durations_unit(const struct parser *p, int at);
/* Whether it is a word for a span of time that says nothing more of it: "time". */
bool parse_durations_is_span(const struct parser *p, int at);

bool parse_elapsed(struct parser *p, int at);       /* "turnaround" */
bool parse_elapsed_named(struct parser *p, int at); /* "processing time" */
bool parse_elapsed_done(struct parser *p, int at);  /* "time parked", "median stay" */
bool parse_ages(struct parser *p, int at);          /* "age" of `birth_year` */
bool parse_offsets(struct parser *p, int at);       /* "10 days before arrival" */
bool parse_gaps(struct parser *p, int at); /* "between two orders of a customer" */
bool parse_spans_time_of(struct parser *p, int at);   /* "delivery time" */
void parse_spans_drop_rows(struct parser *p, int at); /* "batch duration" */
bool parse_spans_stay(struct parser *p, int at); /* "how many days do guests stay" */
bool parse_spans_within_of(struct parser *p, int at);   /* "within 30 days of issue" */
bool parse_spans_done_within(struct parser *p, int at); /* "sold within 30 days" */
bool parse_spans_within(struct parser *p, int at);      /* "went out within 2 days" */
/* "takes", among the three words before. */
bool parse_spans_says_took(const struct parser *p, int at);
void parse_lengths(struct parser *p);            /* "how long" of `minutes` */
bool parse_spans_kept(struct parser *p, int at); /* "kept longest", "batch duration" */
bool parse_leads(struct parser *p, int at);      /* "days in advance", "lead time" */
/* A number of its own says how long: `duration_sec`. */
bool parse_spans_has_number(const struct parser *p);
bool parse_spans_took(struct parser *p, int at); /* "took more than 4 days" */
void parse_spans_fastest(struct parser *p, int at);
