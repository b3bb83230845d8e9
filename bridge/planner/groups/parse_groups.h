/*
 * parse_groups: what group and aggregate share while a question is read.
 *
 * The scan goes over the tokens once, from left to right: parse_groups.c says what a
 * word opens, parse_keys.c, parse_amounts.c and parse_nouns.c take what it opened.
 */
#pragma once

#include "bridge/planner/tokens/parser.h"

struct parse_scan {
    struct parser *p;
    enum query_aggregate reduce; /* said, and waiting for its column */
    int reduce_at;
    double quantile, other_quantile; /* "10th and 90th" */
    bool is_key;                     /* after "by" */
    bool is_each;                    /* after "in each": ranks are within */
    int key_term;                    /* the term that said so */
    bool is_which;                   /* the next column is what is looked for */
    bool is_done_key;                /* a key was just taken */
    bool is_measure;                 /* an amount was just taken */
    bool is_held;                    /* "mean, by city, of sales": it is further on */
    bool is_bound;                   /* the aggregate has had a column */
    int opened;                      /* the token after "by"; 0: none */
    unsigned keys_before;            /* what there was then */
    bool is_ratio;                   /* "ratio of" */
    bool has_rows;                   /* a noun for rows was met */
    int things;               /* the column of what it names, of which a thing has
                                 several rows, and 1; 0: none */
    bool counts;              /* the aggregate is of a number of things */
    bool mean_rows;           /* "average number of orders": of each, which follows */
    int mean_at;              /* "orders" */
    const struct value *each; /* "average monthly" */
    bool
        is_worth; /* "total amount of", "value of": what follows amounts to something */
    bool is_value;    /* "value of": a sum, never a count of rows */
    double per_count; /* of "per 1000"; 0: none */
};

void parse_plain_take(struct parse_scan *scan, int at); /* nothing said what it is */
/* "number of orders", "how many patients", "revenue per order" */
void parse_nouns_take(struct parse_scan *scan, int at);
/* "samples per month" of a `sample_no`; false: nothing is counted there. */
bool parse_things_take(struct parse_scan *scan, int at);
void parse_nouns_count(const struct parse_scan *scan); /* rows, or what they are of */

/* --- keys --- */
bool parse_keys_fit(const struct parser *p, const struct value *value);
bool parse_keys_grain(struct parse_scan *scan, int at);
void parse_keys_take(struct parse_scan *scan, int at);
void parse_keys_per_rows(struct parse_scan *scan, int at);
bool parse_keys_divisor(struct parse_scan *scan, int at); /* "per employee" */
bool parse_keys_is_agent(const struct parser *p, int at); /* "by members who …" */
bool parse_keys_each(struct parse_scan *scan, int at);
bool parse_keys_mean_rows(struct parse_scan *scan, int at);

/* --- amounts --- */
void parse_amounts_counted(struct parse_scan *scan, int at);
void parse_amounts_ratio(struct parse_scan *scan, int at);
bool parse_ratios_of_unit(struct parse_scan *scan, int at); /* "per km" */
bool parse_ratios_count(struct parse_scan *scan, int at);   /* "per 1000 impressions" */
void parse_amounts_take(struct parse_scan *scan, int at);
bool parse_quantiles_take(struct parse_scan *scan, int at); /* "p95" */
void parse_amounts_mean_rows(struct parse_scan *scan);      /* there is no such mean */
void parse_amounts_of_row(struct parse_scan *scan);         /* what a row amounts to */
bool parse_amounts_worth(struct parse_scan *scan, int at);  /* "value of orders" */
void parse_amounts_drop(struct parse_scan *scan);
void parse_amounts_note(struct parser *p, const struct amount *amount);
