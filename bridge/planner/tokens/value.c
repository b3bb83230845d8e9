/* What a row has: columns, and what is worked out from them. */
#include "bridge/planner/tokens/parser.h"

struct value *
value_make(struct parser *p, struct value value)
{
    struct value *made = arena_alloc(p->arena, 1, sizeof(*made));

    *made = value;
    return made;
}

static bool
is_clock(const struct parser *p, int at, const void *about UNUSED)
{
    return p->frame->column[at].is_clock;
}

/* Dates of whole days may have their hours in a column beside them. */
const struct value *
value_of_part(struct parser *p, const struct value *date, enum query_part part)
{
    const struct column *column = value_column(p, date);

    const int clock = part == PART_HOUR && column && column->has_no_clock
                          ? value_only_column(p, is_clock, NULL)
                          : -1;

    if (clock >= 0) {
        date = value_of_column(p, clock);
        parser_note(p, "assume.clock", value_column(p, date)->name, NULL);
    }
    return value_make(p,
                      (struct value){.kind = VALUE_PART, .part = part, .left = date});
}

struct value *
value_of_column(struct parser *p, int column)
{
    return value_make(p, (struct value){.kind = VALUE_COLUMN, .column = column});
}

struct value *
value_of_test(struct parser *p, const struct test *test)
{
    struct test *copy = arena_alloc(p->arena, 1, sizeof(*copy));

    *copy = *test;
    return value_make(p, (struct value){.kind = VALUE_TEST, .test = copy, .tests = 1});
}

const struct column *
value_column(const struct parser *p, const struct value *value)
{
    return value && value->kind == VALUE_COLUMN ? &p->frame->column[value->column]
                                                : NULL;
}

int
value_only_column(const struct parser *p, value_test *passes, const void *about)
{
    int found = NO_COLUMN;

    for (int i = 0; i < p->frame->columns; i++) {
        if (!passes(p, i, about))
            continue;
        if (found >= 0)
            return SEVERAL_COLUMNS;
        found = i;
    }
    return found;
}

/* `renewals_count` of "renewed" */
static bool
is_tally_of(const struct parser *p, int at, const void *about)
{
    const struct column *column = &p->frame->column[at];
    const struct value value = {.kind = VALUE_COLUMN, .column = at};

    if (!value_is_quantity(p, &value) || value_is_flag(p, &value) ||
        !column->is_integer || !column->has_range || column->low != 0)
        return false;
    for (size_t i = 0; i < column->words.count; i++)
        if (parser_roots_is_root(about, column->words.at[i].text))
            return true;
    return false;
}

int
value_tally_of(const struct parser *p, const char *verb)
{
    return value_only_column(p, is_tally_of, verb);
}

bool
value_is_quantity(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    if (!column)
        return value->kind == VALUE_ARITHMETIC || value->kind == VALUE_DURATION ||
               value->kind == VALUE_GAP;
    return column->is_measured || column->role == ROLE_QUANTITY ||
           (column->role == ROLE_DISCRETE && column->kind == COLUMN_NUMBER &&
            !column_is_binary(column));
}

bool
value_is_flag(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return column && (column->yes || column_is_binary(column));
}

bool
value_is_date(const struct parser *p, const struct value *value)
{
    const struct column *column = value_column(p, value);

    return column && column->kind == COLUMN_DATE;
}

static float
fit(const struct column *column, bool number)
{
    static const float names[] = {
        [ROLE_QUANTITY] = 0, [ROLE_DISCRETE] = 0.1f, [ROLE_NOMINAL] = 0.2f,
        [ROLE_TIME] = 0.18f, [ROLE_KEY] = 0.05f,
    };
    static const float numbers[] = {
        [ROLE_QUANTITY] = 0.2f, [ROLE_DISCRETE] = 0.15f, [ROLE_NOMINAL] = 0,
        [ROLE_TIME] = 0,        [ROLE_KEY] = 0.02f,
    };

    return number ? numbers[column->role] : names[column->role];
}

const struct value *
value_wanted(struct parser *p, int at, bool number)
{
    const struct token *token = &p->token[at];
    int best = -1;
    float most = -1;

    if (token->value->kind != VALUE_COLUMN || token->item->kind != ITEM_COLUMN)
        return token->value;
    for (unsigned i = 0; i < token->item->links; i++) {
        const struct link *link = &token->item->link[i];
        float score = link->score + fit(&p->frame->column[link->column], number);

        if (link->score > token->item->link[0].score - 0.25f && score > most) {
            most = score;
            best = link->column;
        }
    }
    return best < 0 || best == token->value->column ? token->value
                                                    : value_of_column(p, best);
}

bool
value_is_quantity_at(const struct parser *p, int at)
{
    return token_kind(p, at, TOKEN_VALUE) && value_is_quantity(p, p->token[at].value);
}

int
value_number_called(const struct parser *p, const struct word *word)
{
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->kind == COLUMN_NUMBER && column->role != ROLE_KEY &&
            column->words.count && column->words.at[0].stem == word->stem)
            return i;
    }
    return -1;
}
