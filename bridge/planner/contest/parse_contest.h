/*
 * parse_contest: what the parsers of contests share. "Do repeat guests give better
 * ratings than others": two groups, and one number of each.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

struct contest {
    int more;  /* "better" */
    int than;  /* may be the same token: "more than" */
    int other; /* the second group's token */
};

/* Where "more", "longer" stands that nobody has taken; -1. */
int parse_contest_more(const struct parser *p);
/* The two groups are told apart by a key that was added: what is left is a number. */
void parse_contest_settle(struct parser *p, int more);

/* "difference in mean price between organic and other fields" */
bool parse_contest_difference(struct parser *p);
/* A yes or no that a token tells of. */
bool parse_contest_flag(struct parser *p, int at, struct test *test);
/* "the others", or a word for them that says nothing else: "genuine ones". */
bool parse_contest_is_rest(struct parser *p, int at);

/* "from Rome than from Oslo": two values of one column, one before "than". */
bool parse_contest_take_cells(struct parser *p, const struct contest *contest);
/* "with more than 100 seats … than smaller ones": rows beyond a bound, and the others.
 */
bool parse_contest_take_bound(struct parser *p, const struct contest *contest);
void parse_contest_note_opposite(struct parser *p, int at, const struct value *of);
/* "do seniors churn more often than others": how many of each do. */
bool parse_contest_rates(struct parser *p, const struct contest *contest);
/* "do rentals with a waiver get damaged more often": than those without. */
bool parse_contest_rates_alone(struct parser *p);

/* A number of the table, which nobody has taken. */
bool parse_contest_is_number(const struct parser *p, int at);
/* "how much more": the difference is asked for. */
bool parse_contest_asks_how_much(const struct parser *p, int more);
/* Adds the number that `more` speaks of where none is named: "faster", "larger", "more
 * expensive". False: there is no such number, or none is needed. */
bool parse_contest_measure(struct parser *p, int more);
/* "do they make more on average", "how much more do we spend": how the number that is
 * named is reduced, where it is not said before it. */
void parse_contest_reduce(struct parser *p, int more, bool is_how_much);
