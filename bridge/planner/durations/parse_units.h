/*
 * parse_units: the units of numbers, in questions and in the names of columns.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

/* Whether the token at `at` is a unit: "km", "minutes". */
bool parse_units_is(const struct parser *p, int at);
/* Whether two columns have units of one kind that differ: seconds and minutes. */
bool parse_units_differ(const struct parser *p, const struct value *a,
                        const struct value *b);
/* Whether the token names a currency that an amount of the query is not in. */
bool parse_units_is_other_money(const struct parser *p, int at);
/* The one column that is in the unit at `at`: "distance_km"; -1: none, or several. */
int parse_units_column(const struct parser *p, int at);
/* The one column that is in another unit of that kind: seconds of `resp_ms`; -1. */
int parse_units_convertible(struct parser *p, int at);
/* What a number in the unit at `at` is multiplied by to be one of `value`'s; 1 where
 * either is unknown. */
double parse_units_factor(const struct parser *p, int at, const struct value *value);
/* Whether a column is in that unit already. */
bool parse_units_is_own(const struct parser *p, int at, const struct value *value);
/* Whether it is the last word of the column's name: "kg" of `price_eur/kg`. */
bool parse_units_names_last(const struct parser *p, int at,
                            const struct column *column);
/* Whether it is a unit that others can be converted into. */
bool parse_units_is_known(const struct parser *p, int at);
/* A column's numbers in the unit at `at`: divided or multiplied, or as they are. */
const struct value *parse_units_scaled(struct parser *p, int at,
                                       const struct value *value);
/* Units that stand for the column which has them become its values. */
/* "2 million", "500k", "500,000 euros", "€500": money that says how much it is. */
bool parse_units_is_full_money(const struct parser *p, int number);
void parse_units_named(struct parser *p);
/* "revenue in millions", "in thousand euros": of the number before it. */
void parse_units_in_scale(struct parser *p, int at);
/* "hours of downtime" of a column of minutes: its numbers, in hours. */
void parse_units_of(struct parser *p, int at);
/* Whether a number is a length of time. */
bool parse_units_is_time(const struct parser *p, const struct value *value);
/* How many seconds the unit there has; 0: it is not a unit of time. */
double parse_units_seconds(const struct parser *p, int at);
