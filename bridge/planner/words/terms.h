/*
 * terms: what the planner's grammar knows words as.
 *
 * The lexicon file says which phrases of a language mean which term; a phrase has one
 * meaning, and the grammar decides by place what it does.
 */
#pragma once

#define TERMS(X)                                                              \
    /* charts */                                                              \
    X(BAR)                                                                    \
    X(STACKED)                                                                \
    X(GROUPED)                                                                \
    X(LINE)                                                                   \
    X(SCATTER)                                                                \
    X(HISTOGRAM)                                                              \
    X(BOX)                                                                    \
    X(PIE)                                                                    \
    X(HEATMAP)                                                                \
    X(TABLE)                                                                  \
    /* aggregates; HIGH and LOW rank or take the extreme, by place */         \
    X(MEAN)                                                                   \
    X(SUM)                                                                    \
    X(MAX)                                                                    \
    X(MIN)                                                                    \
    X(MEDIAN)                                                                 \
    X(DEVIATION)                                                              \
    X(COUNT)                                                                  \
    X(HOW_MANY)                                                               \
    X(HOW_MUCH)                                                               \
    X(AMOUNT)                                                                 \
    X(WORTH)                                                                  \
    X(DISTINCT)                                                               \
    X(COUNT_DISTINCT)                                                         \
    X(RATE)                                                                   \
    X(HIGH)                                                                   \
    X(LOW)                                                                    \
    X(TOP)                                                                    \
    X(BOTTOM)                                                                 \
    /* what joins the parts of a question */                                  \
    X(BY)                                                                     \
    X(PER)                                                                    \
    X(DIVIDED)                                                                \
    X(RATIO)                                                                  \
    X(EACH)                                                                   \
    X(DIFFERENT)                                                              \
    X(OVER)                                                                   \
    X(VERSUS)                                                                 \
    X(SERIES)                                                                 \
    X(FACET)                                                                  \
    X(GROUP_BY)                                                               \
    X(AND)                                                                    \
    X(OR)                                                                     \
    X(WITH)                                                                   \
    X(OF)                                                                     \
    X(IN)                                                                     \
    X(FOR)                                                                    \
    X(FROM)                                                                   \
    X(TO)                                                                     \
    X(X_AXIS)                                                                 \
    X(Y_AXIS)                                                                 \
    X(BARS)                                                                   \
    X(NAMES)                                                                  \
    /* what is asked */                                                       \
    X(RELATION)                                                               \
    X(CORRELATION)                                                            \
    X(DISTRIBUTION)                                                           \
    X(SHARE)                                                                  \
    X(COMPARE)                                                                \
    X(TIME)                                                                   \
    X(DESCRIBE)                                                               \
    X(MISSING)                                                                \
    X(ROWS)                                                                   \
    X(COLUMNS)                                                                \
    X(WHICH)                                                                  \
    X(HOW_IS)                                                                 \
    X(WHAT_IS)                                                                \
    X(RANGE_OF)                                                               \
    /* bins and grains */                                                     \
    X(BIN)                                                                    \
    X(BIN_SIZE)                                                               \
    X(YEAR)                                                                   \
    X(QUARTER)                                                                \
    X(MONTH)                                                                  \
    X(WEEK)                                                                   \
    X(DAY)                                                                    \
    X(WEEKDAY)                                                                \
    X(HOUR)                                                                   \
    /* order */                                                               \
    X(SORT)                                                                   \
    X(SHOW)                                                                   \
    X(ASCENDING)                                                              \
    X(DESCENDING)                                                             \
    X(ALPHABETIC)                                                             \
    /* conditions */                                                          \
    X(GREATER)                                                                \
    X(GREATER_EQUAL)                                                          \
    X(LESS)                                                                   \
    X(LESS_EQUAL)                                                             \
    X(EQUAL)                                                                  \
    X(UNEQUAL)                                                                \
    X(IS)                                                                     \
    X(NOT)                                                                    \
    X(EXCEPT)                                                                 \
    X(BETWEEN)                                                                \
    X(EMPTY)                                                                  \
    X(CONTAINS)                                                               \
    X(LETTERS)                                                                \
    X(STARTS)                                                                 \
    X(ENDS)                                                                   \
    X(WHOSE)                                                                  \
    X(MEANING)                                                                \
    X(ONLY)                                                                   \
    X(BEFORE)                                                                 \
    X(AFTER)                                                                  \
    X(SINCE)                                                                  \
    X(NOW)                                                                    \
    X(UNTIL)                                                                  \
    X(REACHES)                                                                \
    /* follow-ups */                                                          \
    X(INSTEAD)                                                                \
    X(AGAIN)                                                                  \
    X(ALSO)                                                                   \
    X(AS)                                                                     \
    /* steps along time, calendar, conditions, style */                       \
    X(CUMULATIVE)                                                             \
    X(CHANGE)                                                                 \
    X(GROWTH)                                                                 \
    X(ROLLING)                                                                \
    X(YEAR_BEFORE)                                                            \
    X(PERCENTILE)                                                             \
    X(NTH)                                                                    \
    X(WEEKEND)                                                                \
    X(MONTH_OF_YEAR)                                                          \
    X(JANUARY)                                                                \
    X(FEBRUARY)                                                               \
    X(MARCH)                                                                  \
    X(APRIL)                                                                  \
    X(MAY)                                                                    \
    X(JUNE)                                                                   \
    X(JULY)                                                                   \
    X(AUGUST)                                                                 \
    X(SEPTEMBER)                                                              \
    X(OCTOBER)                                                                \
    X(NOVEMBER)                                                               \
    X(DECEMBER)                                                               \
    X(MONDAY)                                                                 \
    X(TUESDAY)                                                                \
    X(WEDNESDAY)                                                              \
    X(THURSDAY)                                                               \
    X(FRIDAY)                                                                 \
    X(SATURDAY)                                                               \
    X(SUNDAY)                                                                 \
    X(Q1)                                                                     \
    X(Q2)                                                                     \
    X(Q3)                                                                     \
    X(Q4)                                                                     \
    X(SEASON)                                                                 \
    X(WINTER)                                                                 \
    X(SPRING)                                                                 \
    X(SUMMER)                                                                 \
    X(AUTUMN)                                                                 \
    X(FIRST_HALF)                                                             \
    X(SECOND_HALF)                                                            \
    X(REST)                                                                   \
    X(DIFFERENCE)                                                             \
    X(MORE)                                                                   \
    X(THAN)                                                                   \
    X(WHEN)                                                                   \
    X(ONCE)                                                                   \
    X(TWICE)                                                                  \
    X(TIMES)                                                                  \
    X(PLUS)                                                                   \
    X(MINUS)                                                                  \
    X(OUTLIER)                                                                \
    X(HORIZONTAL)                                                             \
    X(LOG)                                                                    \
    X(LINEAR)                                                                 \
    X(VERTICAL)                                                               \
    X(LABELS)                                                                 \
    X(TITLE)                                                                  \
    X(PERCENT_UNIT)                                                           \
    X(UNIT)                                                                   \
    /* words that say nothing, and words that ask for what rules cannot do */ \
    X(ENTITY)                                                                 \
    X(FILLER)                                                                 \
    X(BEYOND)                                                                 \
    X(HELP)

enum term {
    TERM_NONE,
#define X(name) TERM_##name,
    TERMS(X)
#undef X
    TERM_TOTAL,
};
