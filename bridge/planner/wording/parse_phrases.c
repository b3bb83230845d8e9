/* Phrases whose words say something else, or nothing more, together. */
#include "bridge/planner/tokens/parser.h"

/* Whether a column has that among its values. */
static bool
has_value(const struct parser *p, const struct column *column, int at)
{
    const struct item *item = p->token[at].item;
    uint64_t name = 0;

    for (size_t i = item->begin; i < item->begin + item->len; i++)
        name = words_squash(name, p->reading->words.at[i].text);
    for (int v = frame_find_value(p->frame, name); v >= 0; v = p->frame->value[v].next)
        if (&p->frame->column[p->frame->value[v].column] == column)
            return true;
    return false;
}

/* "by level, from junior to lead": the order of its values, where it is known. */
static void
name_value_order(struct parser *p)
{
    for (int i = 2; i + 3 < p->count; i++) {
        const int key = i - 1 - token_kind(p, i - 1, TOKEN_COMMA);
        const struct column *column = token_column(p, key);
        size_t count;

        if (!token_is(p, i, TERM_FROM) || !token_is(p, i + 2, TERM_TO) || !column ||
            column->kind != COLUMN_TEXT || !column->values ||
            !token_is(p, key - 1, TERM_BY) || !has_value(p, column, i + 1) ||
            !has_value(p, column, i + 3))
            continue;
        if (lexicon_ordinal(p->lexicon, p->arena, column->values, &count))
            token_drop(p, i, i + 3);
        else
            parser_refuse(p, "refuse.word", token_text(p, i + 1));
    }
}

/* "how long does a trip last on average?": a verb, and not the end of something. */
static void
drop_lasting(struct parser *p)
{
    for (int i = 1; i < p->count; i++) {
        bool asks = false;

        if (!token_is(p, i, TERM_BOTTOM) || strcmp(p->token[i].text, "last") != 0 ||
            token_kind(p, i + 1, TOKEN_NUMBER) || token_kind(p, i + 1, TOKEN_ROWS) ||
            token_kind(p, i + 1, TOKEN_VALUE) || token_part(p, i + 1))
            continue;
        for (size_t k = 0; k < p->token[i].item->begin; k++)
            asks |=
                lexicon_lists(p->lexicon, "word.asking", p->reading->words.at[k].text);
        if (asks)
            token_drop(p, i, i);
    }
}

/* "on which date", of times that are called otherwise: a day. */
static bool
is_date_asked(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_UNKNOWN) && p->token[at].item->len == 1 &&
           strcmp(p->token[at].text, "date") == 0 && token_is(p, at - 1, TERM_WHICH);
}

/* "which date", where no column is called so: a day. */
static void
name_date(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        if (is_date_asked(p, i)) {
            p->token[i].kind = TOKEN_TERM;
            p->token[i].term = TERM_DAY;
            continue;
        }
        const struct column *column = token_column(p, i);
        bool is_named = false;

        for (size_t k = 0; column && k < column->words.count; k++)
            is_named |= strcmp(column->words.at[k].text, "date") == 0;
        if (column && !is_named && p->token[i].item->len == 1 &&
            strcmp(p->token[i].text, "date") == 0 && token_column(p, i - 1) &&
            token_column(p, i - 1)->kind == COLUMN_DATE) {
            token_drop(p, i, i); /* "end date" of `actual_end` */
            continue;
        }
        const int time = column && !is_named && p->token[i].item->len == 1 &&
                                 strcmp(p->token[i].text, "date") == 0
                             ? parser_roots_time(p)
                             : -1;
        if (time < 0 || p->frame->column[time].kind != COLUMN_DATE)
            continue;
        parser_note(p, "assume.column", token_text(p, i), p->frame->column[time].name);
        p->token[i].kind = TOKEN_TERM;
        p->token[i].term = TERM_DAY;
    }
}

/* "daily rate" of `day_rate` */
static void
drop_grain_of_name(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);
        const enum query_part part = token_part(p, i);

        for (size_t k = 0; column && part && k < column->words.count; k++)
            if (column->words.count > 1 &&
                value_is_quantity(p, p->token[i + 1].value) &&
                p->token[i].item->len == 1 &&
                strcmp(p->token[i].text, query_part_name(part)) != 0 &&
                strcmp(column->words.at[k].text, query_part_name(part)) == 0) {
                token_drop(p, i, i);
                break;
            }
    }
}

/* "rate below 80 per night" of `ratePerNight` */
static void
drop_per_of_name(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        if (!token_is(p, i, TERM_PER) || !token_kind(p, i - 1, TOKEN_NUMBER))
            continue;
        const struct word *what = &p->reading->words.at[p->token[i + 1].item->begin];
        for (int of = 0; of < i; of++) {
            const struct column *column = token_column(p, of);

            for (size_t k = 1; column && k < column->words.count; k++)
                if (strcmp(column->words.at[k - 1].text, "per") == 0 &&
                    column->words.at[k].stem == what->stem)
                    token_drop(p, i, i + 1);
        }
    }
}

/* "flights to Lisbon (LIS)": the value in brackets is meant. */
static void
name_codes(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++) {
        int first = i;

        if (!token_is_mark(p, i, '(') || !token_kind(p, i + 1, TOKEN_CELL) ||
            !token_is_mark(p, i + 2, ')'))
            continue;
        while (token_kind(p, first - 1, TOKEN_UNKNOWN))
            first--;
        if (first == i)
            continue;
        token_drop(p, i + 2, i + 2);
        /* the value stands where the words did, so that lists are lists */
        const struct token cell = p->token[i + 1];
        token_drop(p, first, i + 1);
        memmove(&p->token[first + 1], &p->token[i + 3],
                (size_t)(p->count - i - 3) * sizeof(cell));
        p->count -= i + 2 - first;
        p->token[first] = cell;
        i = first;
    }
}

/* "technician and analyser pair", "combinations of shop and drink": groups of both. */
static void
name_pairs(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        const bool is_behind = token_is(p, i - 2, TERM_AND) &&
                               token_kind(p, i - 1, TOKEN_VALUE) &&
                               token_kind(p, i - 3, TOKEN_VALUE),
                   is_before = token_is(p, i + 3, TERM_AND) &&
                               token_is(p, i + 1, TERM_OF) &&
                               token_kind(p, i + 2, TOKEN_VALUE) &&
                               token_kind(p, i + 4, TOKEN_VALUE);
        if (!(is_behind || is_before) || !token_kind(p, i, TOKEN_UNKNOWN) ||
            !lexicon_lists(p->lexicon, "word.pairs", p->token[i].text))
            continue;
        token_drop(p, i, i + is_before);
        p->wants_which = true;
    }
}

static bool
is_place_called(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];

    return column->kind == COLUMN_TEXT && column_is_called(column, p->lexicon, about);
}

/* "routes" of `origin` and `dest`: groups of both. */
static void
name_routes(struct parser *p)
{
    const int from = value_only_column(p, is_place_called, "word.origins"),
              to = value_only_column(p, is_place_called, "word.destinations");

    for (int i = 0; from >= 0 && to >= 0 && from != to && i < p->count; i++) {
        if (!token_kind(p, i, TOKEN_UNKNOWN) || p->token[i].item->len != 1 ||
            !lexicon_lists(p->lexicon, "word.routes", p->token[i].text))
            continue;
        token_make_room(p, i + 1, 2);
        p->token[i + 1] = (struct token){.kind = TOKEN_TERM,
                                         .term = TERM_AND,
                                         .item = p->token[i].item,
                                         .text = p->token[i].text};
        p->token[i + 2] = p->token[i];
        token_become_other(p, i, i, value_of_column(p, from));
        token_become_other(p, i + 2, i + 2, value_of_column(p, to));
        p->wants_which = true;
        parser_note(p, "assume.routes", p->frame->column[from].name,
                    p->frame->column[to].name);
        return;
    }
}

/* "departure and arrival delay": both of what stands behind the second. */
static void
name_elliptic(struct parser *p)
{
    for (int i = 0; i + 2 < p->count; i++) {
        const struct column *other = token_column(p, i + 2);
        const struct item *item = p->token[i + 2].item;
        const bool is_weak =
            token_kind(p, i, TOKEN_UNKNOWN) ||
            (token_kind(p, i, TOKEN_VALUE) && p->token[i].score < 0.7f);

        const bool is_joined =
            token_is(p, i + 1, TERM_AND) ||
            (token_is(p, i + 1, TERM_TO) && token_is(p, i + 3, TERM_RATIO));
        if (!is_weak || !is_joined || !other || item->len < 2 ||
            p->token[i].item->len != 1 || other->words.count < 2)
            continue;
        const struct word *last = &other->words.at[other->words.count - 1];
        for (int k = 0; k < p->frame->columns; k++) {
            const struct column *column = &p->frame->column[k];

            if (column == other || column->words.count != other->words.count ||
                column->words.at[column->words.count - 1].stem != last->stem ||
                strlen(column->words.at[0].text) < 3 ||
                strncmp(column->words.at[0].text, p->token[i].text,
                        strlen(column->words.at[0].text)) != 0)
                continue;
            token_become_other(p, i, i, value_of_column(p, k));
            p->token[i].score = p->token[i + 2].score;
        }
    }
}

/* "most popular genre" behind others: a group, of which there are most. */
static void
name_most_of(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++)
        if (token_is(p, i, TERM_HIGH) && token_is(p, i + 1, TERM_COUNT) &&
            p->reading->words.at[p->token[i + 1].item->begin].superlative &&
            token_kind(p, i + 2, TOKEN_VALUE) &&
            !value_is_quantity(p, p->token[i + 2].value)) {
            const struct token value = p->token[i + 2];

            memmove(&p->token[i + 1], &p->token[i], 2 * sizeof(value));
            p->token[i] = value;
            p->wants_which = true;
        }
}

/* "highest reading and where it was measured", "and when": the row that has it. */
static void
name_row_of_extreme(struct parser *p)
{
    for (int i = 1; i + 1 < p->count; i++) {
        bool is_last = true;

        if (!token_is(p, i, TERM_AND) ||
            !(token_is(p, i + 1, TERM_WHEN) || token_is(p, i + 1, TERM_WHOSE)) ||
            !lexicon_lists(p->lexicon, "word.whereabouts", p->token[i + 1].text))
            continue;
        for (int k = i + 2; k < p->count; k++)
            is_last &= token_kind(p, k, TOKEN_UNKNOWN) || token_is(p, k, TERM_IS) ||
                       token_kind(p, k, TOKEN_STOP);
        if (!is_last)
            continue;
        token_drop(p, i, p->count - 1);
        p->wants_row = true;
    }
}

static bool
are_same_column(const struct parser *p, int a, int b)
{
    return token_column(p, a) && token_column(p, a) == token_column(p, b) &&
           p->token[a].value->kind == VALUE_COLUMN &&
           p->token[b].value->kind == VALUE_COLUMN;
}

/* "star rating" of `stars`, "tickets we sold" of `tickets_sold`, "sold no tickets":
 * said once is enough. */
static void
drop_said_twice(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        /* "distance from home" of `dist_home_km` */
        const bool joins = token_is(p, i + 1, TERM_FROM) || token_is(p, i + 1, TERM_TO);
        if (joins && are_same_column(p, i, i + 2)) {
            token_drop(p, i + 1, i + 2);
            continue;
        }
        const int next = i + 1 + token_is(p, i + 1, TERM_NOT);

        if (!are_same_column(p, i, next))
            continue;
        if (next > i + 1) {
            token_drop(p, i, i);
            continue;
        }
        const bool is_less = p->token[i].score < p->token[next].score;
        if (is_less)
            p->token[i] = p->token[next];
        token_drop(p, next, next);
    }
}

/* `reviewScore`: a mark that is given in each of them. */
static bool
is_mark_of(const struct parser *p, int at, const void *about)
{
    const struct value value = {.kind = VALUE_COLUMN, .column = at};
    const struct words *words = &p->frame->column[at].words;
    const struct word *thing = about;

    return value_is_quantity(p, &value) && words->count == 2 &&
           words->at[0].stem == thing->stem &&
           lexicon_lists(p->lexicon, "word.marks", words->at[1].text);
}

/* "best", "get better" */
static bool
is_verdict(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_HIGH,   TERM_LOW,  TERM_TOP,
                                      TERM_BOTTOM, TERM_MORE, TERM_TIME};
    const struct item *item = p->token[at].item;

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i]))
            return lexicon_lists(
                p->lexicon, "word.verdicts",
                p->reading->words.at[item->begin + item->len - 1].text);
    return false;
}

/* `numReviews`: how many there are, which nobody calls good. */
static bool
is_number_of_things(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && column->words.count == 2 && p->token[at].is_plural &&
           lexicon_lists(p->lexicon, "word.counters", column->words.at[0].text);
}

/* "the best reviews": those with the best marks. */
static void
name_marks(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const bool is_asked =
            (token_kind(p, i + 1, TOKEN_ROWS) || is_number_of_things(p, i + 1)) &&
            is_verdict(p, i);
        const int column =
            is_asked
                ? value_only_column(p, is_mark_of,
                                    &p->reading->words.at[p->token[i + 1].item->begin])
                : -1;

        if (column < 0)
            continue;
        parser_note(p, "assume.column", token_text(p, i + 1),
                    p->frame->column[column].name);
        token_become_other(p, i + 1, i + 1, value_of_column(p, column));
        if (token_is(p, i + 2, TERM_FROM) && token_kind(p, i + 3, TOKEN_ROWS))
            token_drop(p, i + 2, i + 3); /* "from guests" */
    }
}

/* "turnaround per method (days)": in days, and no group for each of them. */
static void
name_unit_in_brackets(struct parser *p)
{
    for (int i = 1; i + 2 < p->count; i++) {
        if (!token_is_mark(p, i, '(') || !token_kind(p, i + 1, TOKEN_TERM) ||
            !p->token[i + 1].is_plural || !token_is_mark(p, i + 2, ')') ||
            !(token_part(p, i + 1) || token_is(p, i + 1, TERM_UNIT)))
            continue;
        p->token[i].kind = TOKEN_TERM;
        p->token[i].term = TERM_IN;
        token_drop(p, i + 2, i + 2);
    }
}

void
parse_phrases(struct parser *p)
{
    name_unit_in_brackets(p);
    drop_said_twice(p);
    name_marks(p);
    name_row_of_extreme(p);
    parse_conditions_said(p);
    name_routes(p);
    name_elliptic(p);
    name_most_of(p);
    name_codes(p);
    name_pairs(p);
    name_value_order(p);
    drop_lasting(p);
    name_date(p);
}

void
parse_phrases_drop_said(struct parser *p)
{
    drop_grain_of_name(p);
    drop_per_of_name(p);
}
