/* Which of a table's dates a question speaks of. */
#include "bridge/planner/tokens/parser.h"

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
end_that_is_told(const struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (lexicon_lists(p->lexicon, "word.leaves", p->token[i].text))
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

/* How likely a column of dates is the time that a question speaks of. */
static int
time_score(const struct parser *p, int column)
{
    const struct column *about = &p->frame->column[column];
    int score = about->kind == COLUMN_DATE ? 100 : 0;
    struct words full = about->words;

    if (about->flags & FLAG_BIRTH)
        score -= 50;
    for (int i = 0; i < p->count; i++) {
        const struct column *named = token_column(p, i);
        if (named == about && p->token[i].score >= 0.6f)
            score += 40;
        if (named && named != about && named->words.count > 1 && full.count > 1 &&
            named->words.at[0].stem == full.at[0].stem)
            score += 10; /* "sale price in 2022" of `sale_date` */
        for (size_t k = 0; k < full.count; k++)
            if (p->token[i].kind != TOKEN_VALUE && !is_on_behind(&full, k) &&
                parser_roots_is_root(p->token[i].text, full.at[k].text))
                score += 20;
    }
    return score;
}

int
parser_roots_time(struct parser *p)
{
    int best = -1, most = -1, many = 0, runner = -1;
    const int told = end_that_is_told(p);

    for (int i = 0; i < p->frame->columns; i++) {
        if (p->frame->column[i].role != ROLE_TIME)
            continue;
        int score = time_score(p, i) + (i == told ? 20 : 0);
        many += score >= 60;
        if (score > most) {
            runner = most;
            most = score;
            best = i;
        } else if (score > runner) {
            runner = score;
        }
    }
    if (many > 1 && runner == most)
        parser_note(p, "assume.time", p->frame->column[best].name, NULL);
    return best;
}
