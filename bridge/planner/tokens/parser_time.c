/* Which of a table's dates a question speaks of. */
#include "bridge/planner/tokens/parser.h"

enum {
    BYGONE = 6,       /* how much less likely `release_date` is the time of a row */
    PANEL_LEAST = 10, /* things of which each has a row each year */
    YEARS_LEAST = 3,
};

/* `end_date` of rows that go on until they have one; -1: there is none, or several. */
int
parser_time_end(const struct parser *p)
{
    int found = PARSER_ROOTS_NONE;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind != COLUMN_DATE || column->nulls <= 0 ||
            !column_is_called(column, p->lexicon, "word.rowends"))
            continue;
        found = found == PARSER_ROOTS_NONE ? i : PARSER_ROOTS_SEVERAL;
    }
    return found;
}

/* "members who left by month": when they did. */
static int
end_that_is_told(const struct parser *p, const char *list)
{
    for (int i = 0; i < p->count; i++)
        if (!token_column(p, i) && lexicon_lists(p->lexicon, list, p->token[i].text))
            return parser_time_end(p);
    return -1;
}

/* "on" of `paid_on`; but "in" of `check_in` */
static bool
is_on_behind(const struct words *words, size_t at)
{
    return at > 0 && at + 1 == words->count && strlen(words->at[at].text) == 2 &&
           (words_ends_in_ed(words->at[at - 1].text) ||
            strcmp(words->at[at].text, "on") == 0);
}

/* "sold" of `sale_date`, which may be the column `sold_eur` as well. */
static bool
tells_of(const struct parser *p, int at, const char *name)
{
    if (token_kind(p, at, TOKEN_TERM) && strlen(name) <= 2)
        return false; /* "in 2022", and no `date_in` */
    return lexicon_is_form(p->lexicon, p->token[at].text, name) ||
           (p->token[at].kind != TOKEN_VALUE &&
            parser_roots_is_root(p->token[at].text, name));
}

/* "arrive" of `arr_date`, where the word says nothing else. */
static bool
is_told_by_filler(const struct parser *p, int column)
{
    for (size_t i = 0; i < p->reading->count; i++) {
        const struct item *item = &p->reading->item[i];
        const char *word = p->reading->words.at[item->begin].text;

        if (item->kind == ITEM_TERM && item->term == TERM_FILLER && item->len == 1 &&
            !words_is_plural(word) && parser_roots_date(p, word) == column)
            return true;
    }
    return false;
}

/* `year`, `FY`: the year of the row itself, and not when something was built. */
static bool
is_own_year(const struct parser *p, const struct column *column)
{
    if (column->kind != COLUMN_NUMBER || !column->words.count)
        return false;
    for (size_t i = 0; i < column->words.count; i++) {
        const struct words *full =
            lexicon_expansion(p->lexicon, column->words.at[i].stem);
        const size_t count = full ? full->count : 1;

        for (size_t k = 0; k < count; k++)
            if (!lexicon_lists(p->lexicon, "word.years",
                               full ? full->at[k].text : column->words.at[i].text))
                return false;
    }
    return true;
}

/* Something that takes a date: "in May 2023", "each week". */
static bool
speaks_of_dates(const struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        const enum query_part part = token_part(p, i);

        if (token_kind(p, i, TOKEN_DATE) || (part && part != PART_YEAR) ||
            (token_kind(p, i, TOKEN_TERM) && p->token[i].term >= TERM_JANUARY &&
             p->token[i].term <= TERM_SECOND_HALF))
            return true;
    }
    return false;
}

/* "in 2023", "each year" */
static bool
speaks_of_years(const struct parser *p)
{
    bool says_year = false;

    for (int i = 0; i < p->count; i++)
        says_year |= token_part(p, i) == PART_YEAR ||
                     (token_kind(p, i, TOKEN_NUMBER) && p->token[i].number >= 1900 &&
                      p->token[i].number <= 2100);
    return says_year;
}

/* A row for each company and year, nearly: what comes by the date of its report does
 * not happen then. */
static bool
is_of_panel(const struct parser *p, const struct column *year)
{
    const json_int_t rows = p->frame->rows;

    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind != COLUMN_TEXT || column->unique < PANEL_LEAST ||
            year->unique < YEARS_LEAST || column->nulls > 0)
            continue;
        const json_int_t all = column->unique * year->unique;
        if (all >= rows && rows * 10 >= all * 7)
            return true;
    }
    return false;
}

/* Whether a name's word is one of a date's: "sale" of `date_sold`. */
static bool
is_of_date(const struct parser *p, const struct word *word, const struct words *date)
{
    for (size_t i = 0; i < date->count; i++)
        if (date->at[i].stem == word->stem ||
            lexicon_is_form(p->lexicon, word->text, date->at[i].text))
            return true;
    return false;
}

/* How likely a column of dates is the time that a question speaks of. */
static int
time_score(const struct parser *p, int column)
{
    const struct column *about = &p->frame->column[column];
    int score = about->kind == COLUMN_DATE ? 100 : 0;
    struct words full = about->words;

    if (about->flags & FLAG_BIRTH)
        score -= 50;
    score += column_is_called(about, p->lexicon, "word.staying");
    score += frame_owns(p->frame, column); /* `Launch_UTC` of launches */
    if (about->kind == COLUMN_DATE &&
        column_is_called(about, p->lexicon, "word.bygone"))
        score -= BYGONE; /* of what a row is about, and not of the row */
    if (is_own_year(p, about) && !speaks_of_dates(p) &&
        (speaks_of_years(p) || is_of_panel(p, about)))
        score += 155; /* more than a date after which rows are called */
    for (int i = 0; i < p->count; i++) {
        const struct column *named = token_column(p, i);
        if (named == about && p->token[i].score >= 0.6f)
            score += 40;
        if (named == about && about->kind == COLUMN_DATE &&
            words_ends_in_ed(p->token[i].text) &&
            (token_part(p, i + 1) || token_part(p, i + 2) || token_part(p, i + 3)))
            score += 200; /* "founded in each year", whatever other years there are */
        if (token_kind(p, i, TOKEN_ROWS) && p->token[i].item->kind == ITEM_COLUMN &&
            parser_roots_date(p, p->token[i].text) == column)
            score += 30; /* "arrivals" of `arr_date` */
        if (named && named != about && named->words.count == 1 && named->yes &&
            is_of_date(p, named->words.at, &full))
            score += 20; /* "sales in 2022" of `sold` and `date_sold` */
        if (named && named != about && named->words.count > 1 && full.count > 1 &&
            is_of_date(p, named->words.at, &full))
            score += 10; /* "sale price in 2022" of `sale_date` */
        for (size_t k = 0; k < full.count; k++)
            if (!is_on_behind(&full, k) && tells_of(p, i, full.at[k].text))
                score += 20;
    }
    return score + (is_told_by_filler(p, column) ? 20 : 0);
}

int
parser_roots_time(struct parser *p)
{
    int best = -1, most = -1, many = 0, runner = -1;
    const int told = end_that_is_told(p, "word.leaves"),
              done = end_that_is_told(p, "word.completes");

    for (int i = 0; i < p->frame->columns; i++) {
        if (p->frame->column[i].role != ROLE_TIME)
            continue;
        int score = time_score(p, i) + (i == told ? 20 : i == done ? 12 : 0);
        many += score >= 60;
        if (score > most) {
            runner = most;
            most = score;
            best = i;
        } else if (score > runner) {
            runner = score;
        }
    }
    if (many > 1 && runner >= most - BYGONE)
        parser_note(p, "assume.time", p->frame->column[best].name, NULL);
    return best;
}
