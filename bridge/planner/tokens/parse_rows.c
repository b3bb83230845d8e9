/* Words for what the rows are: "orders", "enrolments", "guests". */
#include "bridge/planner/tokens/parser.h"
#include "bridge/planner/words/likeness.h"

static bool
is_called_so(const struct column *column, const char *text)
{
    for (size_t i = 0; i < column->words.count; i++)
        if (strcmp(column->words.at[i].text, text) == 0)
            return true;
    return false;
}

/* "guests" where `guest_rating` and `repeat_guest` alone have the word: what rows are,
 * and neither of the two. */
static bool
names_no_number(const struct parser *p, const struct item *item,
                const struct word *word)
{
    size_t len = strlen(word->text);

    const bool is_said_of = item > p->reading->item && item[-1].kind == ITEM_TERM &&
                            item[-1].term == TERM_IS; /* "how many orders were gifts" */

    if (item->len != 1 || item->link[0].score >= 0.9f || len < 4 || is_said_of ||
        word->text[len - 1] != 's' ||
        !(lexicon_flags(p->lexicon, word->stem) & FLAG_ROWS))
        return false;
    for (unsigned i = 0; i < item->links; i++) {
        const struct column *column = &p->frame->column[item->link[i].column];
        const struct value value = {.kind = VALUE_COLUMN,
                                    .column = item->link[i].column};
        bool is_last = column->words.count &&
                       column->words.at[column->words.count - 1].stem == word->stem;

        if (is_called_so(column, word->text))
            return false; /* "visits" of `visits_last_month`: how many */
        if (column->words.count < 2 || (column->flags & (FLAG_KEY | FLAG_LABEL)) ||
            (is_last && !value_is_flag(p, &value)) ||
            !(value_is_flag(p, &value) || value_is_quantity(p, &value)))
            return false;
    }
    return true;
}

/* "tests per site" where `test_name` says which: rows, unless they are counted. */
static bool
is_plain_plural(const struct parser *p, const struct item *item,
                const struct word *word)
{
    const struct item *before = item > p->reading->item ? item - 1 : NULL,
                      *next = item + 1 < p->reading->item + p->reading->count ? item + 1
                                                                              : NULL;
    const struct column *column = &p->frame->column[item->link[0].column];
    size_t len = strlen(word->text);
    bool joins = next && next->kind == ITEM_TERM &&
                 (next->term == TERM_PER || next->term == TERM_BY ||
                  next->term == TERM_IS || next->term == TERM_EACH);

    while (before && before > p->reading->item && before->kind == ITEM_TERM &&
           (before->term == TERM_FILLER || before->term == TERM_OF))
        before--;
    bool is_open =
        !before || (before->kind == ITEM_TERM &&
                    (before->term == TERM_SHARE || before->term == TERM_FILLER ||
                     before->term == TERM_OF || before->term == TERM_BAR));
    return item->len == 1 && len > 4 && word->text[len - 1] == 's' && joins &&
           is_open && lexicon_lists_stem(p->lexicon, "word.happenings", word->stem) &&
           column->words.count == 2 && column->words.at[0].stem == word->stem &&
           (column->last_flags & FLAG_LABEL) && column->unique > 0 &&
           column->unique * 4 < p->frame->rows;
}

/* What stands before a noun that is counted, as it is: nothing, "number of", "the
 * most", "share of", "all". */
static bool
is_counted_there(const struct parser *p, const struct item *item)
{
    static const enum term names[] = {
        TERM_BY,     TERM_PER,       TERM_EACH, TERM_WHICH,    TERM_TOP,
        TERM_BOTTOM, TERM_DIFFERENT, TERM_AND,  TERM_DISTINCT, TERM_COUNT_DISTINCT,
        TERM_VERSUS};
    const struct item *before = item;

    while (before > p->reading->item && before[-1].kind == ITEM_TERM &&
           before[-1].term == TERM_FILLER)
        before--;
    if (before == p->reading->item)
        return true;
    before--;
    if (before->kind == ITEM_NUMBER || before->kind == ITEM_COMMA)
        return false;
    if (before->kind != ITEM_TERM)
        return true;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (before->term == names[i])
            return false;
    return (before->term != TERM_HIGH && before->term != TERM_LOW) ||
           lexicon_lists(p->lexicon, "word.mosts",
                         p->reading->words.at[before->begin + before->len - 1].text);
}

enum {
    ROWS_OF_KIND = 20, /* with so many rows of each, "tests" are the rows of a `test` */
};

/* `TEST` of tests, which says what kind each of them is. */
static bool
is_kind_of_happening(const struct parser *p, const struct column *column, uint64_t stem)
{
    return column->words.count == 1 && column->words.at[0].stem == stem &&
           column->kind == COLUMN_TEXT && column->role == ROLE_NOMINAL &&
           !column->yes && column->unique > 1 &&
           column->unique * ROWS_OF_KIND <= p->frame->rows &&
           lexicon_lists_stem(p->lexicon, "word.happenings", stem);
}

/* "number of tests per ward" */
static bool
is_happening(const struct parser *p, const struct item *item, const struct word *word)
{
    return item->len == 1 && words_is_plural(word->text) &&
           is_kind_of_happening(p, &p->frame->column[item->link[0].column],
                                word->stem) &&
           is_counted_there(p, item);
}

/* "signups" where `signup_channel` alone has the word: what rows are. */
static bool
has_channel_of(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct column *column = &p->frame->column[item->link[0].column];
    size_t len = strlen(word->text);
    const struct item *before = item > p->reading->item ? item - 1 : NULL;
    bool is_key = before && before->kind == ITEM_TERM &&
                  (before->term == TERM_BY || before->term == TERM_PER ||
                   before->term == TERM_EACH || before->term == TERM_WHICH);

    return item->len == 1 && item->links == 1 && len > 4 &&
           words_is_plural(word->text) && !is_key && item->link[0].score < 0.8f &&
           column->kind == COLUMN_TEXT && column->role == ROLE_NOMINAL &&
           column->words.count == 2 && column->words.at[0].stem == word->stem &&
           !is_called_so(column, word->text) &&
           parser_roots_flag(p, word->text) < 0 && /* "cancellations" of `cancelled` */
           !(column->last_flags & (FLAG_KEY | FLAG_LABEL | FLAG_GENERIC));
}

/* "enrolments" of a date `enrolled_on`: one in each row. */
static bool
is_events(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct column *column =
        item->kind == ITEM_COLUMN ? &p->frame->column[item->link[0].column] : NULL;
    size_t len = strlen(word->text);

    bool is_noun = words_ends_in_s(word->text) ||
                   lexicon_flags(p->lexicon, word->stem) & FLAG_ROWS;

    if (!column || column->kind != COLUMN_DATE || item->len != 1 || len < 6 ||
        !is_noun || is_called_so(column, word->text) || column->nulls > 0)
        return false;
    for (size_t i = 0; i < column->words.count; i++)
        if (likeness_is_event(word->text, column->words.at[i].text))
            return true;
    return false;
}

/* "gift orders" of a table that knows no gifts: which orders, not rows. */
static bool
is_attribute(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct item *next = item + 1;

    if (next >= p->reading->item + p->reading->count || words_ends_in_s(word->text) ||
        lexicon_flags(p->lexicon, word->stem) & FLAG_PERSON)
        return false;
    if (next->kind == ITEM_TERM && next->len == 1 &&
        parser_part(next->term) != PART_NONE)
        return true; /* "by departure hour" */
    const struct word *noun = &p->reading->words.at[next->begin];
    return words_ends_in_s(noun->text) && frame_is_noun(p->frame, noun->stem);
}

/* "work orders" of a `work_order_no` that each row has one of. */
static bool
is_plural_of_key(const struct parser *p, const struct item *item)
{
    const struct column *column =
        item->kind == ITEM_COLUMN ? &p->frame->column[item->link[0].column] : NULL;
    const struct word *last = &p->reading->words.at[item->begin + item->len - 1];

    const unsigned flags = lexicon_flags(p->lexicon, last->stem);

    if (column && column->is_unique && column->words.count > 1 && item->len > 1 &&
        words_is_plural(last->text) && flags & FLAG_KEY)
        return true; /* "visit numbers" */
    return column && column->is_unique && column->words.count > 1 &&
           column->last_flags & FLAG_KEY && words_is_plural(last->text) &&
           flags & FLAG_ROWS &&
           column->words.at[column->words.count - 1].stem != last->stem;
}

/* "receipt lines" of a table that has a `LineNo`: no chart. */
static bool
is_line_of_key(const struct parser *p, const struct item *item, const struct word *word)
{
    const struct item *before = item > p->reading->item ? item - 1 : NULL;

    if (item->kind != ITEM_TERM || item->term != TERM_LINE || item->len != 1 ||
        (before && before->kind == ITEM_TERM &&
         (before->term == TERM_AS || before->term == TERM_WITH)))
        return false;
    if (item->begin &&
        lexicon_lists(p->lexicon,
                      words_is_plural(word->text) ? "word.havelines" : "word.ofone",
                      word[-1].text))
        return true; /* "invoice lines", "on a single line" */
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *column = &p->frame->column[i];

        if (column->words.count == 2 && column->last_flags & FLAG_KEY &&
            column->words.at[0].stem == word->stem)
            return true;
    }
    return false;
}

/* "resolve a ticket" of a `ticket_no` that each row has one of; not "which ticket". */
static bool
is_one_of_rows(const struct parser *p, const struct item *item)
{
    static const enum term keys[] = {TERM_WHICH, TERM_BY, TERM_PER, TERM_EACH,
                                     TERM_DIFFERENT};
    const struct item *before = item > p->reading->item ? item - 1 : NULL;

    for (size_t i = 0; before && i < COUNT_OF(keys); i++)
        if (before->kind == ITEM_TERM && before->term == keys[i])
            return false;
    return p->frame->column[item->link[0].column].is_unique;
}

enum {
    NOUN_LEAST = 4, /* letters */
};

/* "stoppages" of a `stop_id` that each row has one of, or of a table `stops`. */
static bool
is_made_of_noun(const struct parser *p, const struct word *word)
{
    const struct words *names[] = {
        &p->frame->words, p->frame->columns ? &p->frame->column[0].words : NULL};

    for (size_t i = 0; words_is_plural(word->text) && i < COUNT_OF(names); i++)
        for (size_t k = 0; names[i] && k < names[i]->count; k++) {
            const char *noun = names[i]->at[k].text;
            const size_t len = strlen(noun);

            if (len >= NOUN_LEAST && strlen(word->text) > len + 2 &&
                frame_is_noun(p->frame, names[i]->at[k].stem) &&
                strncmp(word->text, noun, len) == 0 &&
                !lexicon_knows(p->lexicon, word->stem))
                return true;
        }
    return false;
}

bool
parse_rows_is(const struct parser *p, const struct item *item, const struct word *word)
{
    if (is_line_of_key(p, item, word))
        return true;
    if (is_events(p, item, word) || is_plural_of_key(p, item))
        return true;
    bool is_noun = frame_is_noun(p->frame, word->stem) ||
                   (item->kind == ITEM_UNKNOWN &&
                    lexicon_flags(p->lexicon, word->stem) & FLAG_ROWS);

    if (item->kind == ITEM_UNKNOWN && item->len == 1 && is_made_of_noun(p, word))
        return true;
    if (item->kind == ITEM_UNKNOWN)
        return is_noun && item->len == 1 &&
               (frame_is_noun(p->frame, word->stem) ||
                (!is_attribute(p, item, word) && parser_roots_flag(p, word->text) < 0));
    if (item->kind == ITEM_COLUMN &&
        (names_no_number(p, item, word) || is_plain_plural(p, item, word) ||
         has_channel_of(p, item, word) || is_happening(p, item, word)))
        return true;
    if (item->kind == ITEM_COLUMN && item->len == 1 && item->link[0].score < 0.6f &&
        words_is_plural(word->text) &&
        lexicon_flags(p->lexicon, word->stem) & FLAG_ROWS)
        return true; /* "respondents", of whom a table has a `resp_id` */
    if (item->kind == ITEM_TERM)
        return item->len == 1 &&
               (item->term == TERM_EQUAL || item->term == TERM_FILLER ||
                item->term == TERM_SHOW ||
                (item->term == TERM_UNIT && words_is_plural(word->text))) &&
               frame_is_noun(p->frame, word->stem);
    return item->kind == ITEM_COLUMN && item->len == 1 &&
           frame_is_noun(p->frame, word->stem) &&
           (item->link[0].score < 0.95f || is_one_of_rows(p, item));
}

static bool
is_key_of(const struct column *column, const struct form *form, uint64_t stem)
{
    bool has_noun = false, /* "R17" of an `invoice_number` counts nothing */
        has_key = column->kind == COLUMN_TEXT && column->last_flags & FLAG_KEY;

    for (unsigned k = 0; k < form->count; k++) {
        has_noun |= form->unit[k].stem == stem;
        has_key |= form->unit[k].is_key;
    }
    return has_noun && (has_key || form->count == 1);
}

int
parse_rows_key(const struct parser *p, int at)
{
    const struct word *word = &p->reading->words.at[p->token[at].item->begin];
    const uint64_t stem = word->stem;

    if (lexicon_lists(p->lexicon, "word.timetable", word->text))
        return -1; /* the same `flight_number` flies again */
    for (int i = 0; i < p->frame->columns; i++)
        for (unsigned f = 0; f < p->frame->column[i].forms; f++)
            if (is_key_of(&p->frame->column[i], &p->frame->column[i].form[f], stem) &&
                !is_kind_of_happening(p, &p->frame->column[i], stem))
                return i;
    for (int i = 0; i < p->frame->columns; i++) { /* "items" of `item_desc` */
        const struct column *column = &p->frame->column[i];

        if (column->kind == COLUMN_TEXT && column->words.count == 2 &&
            column->words.at[0].stem == stem && column->last_flags & FLAG_LABEL &&
            !frame_is_noun(p->frame, stem))
            return i;
    }
    return -1;
}

/* Columns that begin so, and are missing in as many rows: what came later, if at all.
 */
static bool
has_happened_in_some(const struct parser *p, const struct item *item)
{
    const uint64_t stem = p->reading->words.at[item->begin].stem;
    const json_int_t nulls = p->frame->column[item->link[0].column].nulls;
    bool is_so = nulls > 0 && item->kind == ITEM_COLUMN &&
                 (item->links > 1 || /* and no "bins" of a `BinLoc` alone */
                  p->frame->column[item->link[0].column].kind == COLUMN_DATE);

    for (unsigned i = 0; i < item->links; i++) {
        const struct column *column = &p->frame->column[item->link[i].column];

        is_so &=
            (column->kind == COLUMN_DATE || column->role == ROLE_NOMINAL) &&
            !(column->flags & FLAG_KEY) && column->nulls == nulls &&
            column->words.count > 1 &&
            (column->words.at[0].stem == stem || column->words.at[1].stem == stem) &&
            column->words.at[column->words.count - 1].stem != stem;
    }
    return is_so;
}

/* "replies" of `Reply Agent` and `Reply Date`: the rows that have one. */
void
parse_rows_answered(struct parser *p)
{
    for (int i = 0; i < p->count; i++) {
        struct token *token = &p->token[i];

        if (!token_column(p, i) || token->score >= 0.8f || token->item->len != 1 ||
            !token->is_plural || token_is(p, i - 1, TERM_BY) ||
            token_is(p, i - 1, TERM_WITH) || token_is(p, i - 1, TERM_NOT) ||
            token_is(p, i - 1, TERM_MISSING) || token_is(p, i - 1, TERM_EXCEPT) ||
            !has_happened_in_some(p, token->item))
            continue;
        p->at = i; /* where the test stands */
        struct test *test = parser_add_test(p, token->value, OP_NOT_NULL);
        parser_note(p, "assume.root", token_text(p, i),
                    query_test_name(p->arena, p->frame, test));
        token->kind = TOKEN_ROWS;
        token->value = NULL;
        p->at = 0;
    }
}
