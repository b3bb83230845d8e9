/* Words that say nothing, or give an order, where no column is called so. */
#include "bridge/planner/read/reader.h"

/* "what did we produce in 2023" of `kwh`; but "produce a bar chart". */
static bool
is_verb_of_measure(const struct reader *reader, size_t at, const struct span *span)
{
    const struct column *column = &reader->frame->column[span->link[0].column];
    const enum term next =
        at + 1 < reader->words.count
            ? lexicon_exact(reader->lexicon, &reader->words, at + 1, 1)
            : TERM_NONE;

    const bool is_most =
        at + 2 < reader->words.count &&
        lexicon_exact(reader->lexicon, &reader->words, at + 1, 2) == TERM_HIGH;

    return at > 0 && (next != TERM_FILLER || is_most) &&
           column->role == ROLE_QUANTITY &&
           !(lexicon_flags(reader->lexicon, reader->words.at[at].stem) & FLAG_EVENT);
}

/* "spend per project" of `cost_eur` */
static bool
is_outlay_noun(const struct reader *reader, size_t at, const struct span *span)
{
    const enum term next =
        at + 1 < reader->words.count
            ? lexicon_exact(reader->lexicon, &reader->words, at + 1, 1)
            : TERM_NONE;

    return lexicon_lists(reader->lexicon, "word.outlays", reader->words.at[at].text) &&
           reader->frame->column[span->link[0].column].role == ROLE_QUANTITY &&
           (next == TERM_PER || next == TERM_BY || next == TERM_IN ||
            next == TERM_EACH || reader_is_reduced(reader, at));
}

static bool
has_stem(const struct column *column, uint64_t stem)
{
    bool is_there = false;

    for (size_t i = 0; i < column->words.count; i++)
        is_there |= column->words.at[i].stem == stem;
    for (unsigned i = 0; column->forms && i < column->form->count; i++)
        is_there |= column->form->unit[i].stem == stem; /* "reported" of `rptd` */
    return is_there;
}

/* "the most common makes" of `veh_make`: nobody is told to make anything. */
static bool
is_plural_of_part(const struct reader *reader, size_t at, const struct span *span)
{
    const struct word *word = &reader->words.at[at];
    const struct column *column = &reader->frame->column[span->link[0].column];

    return words_is_plural(word->text) && column->kind == COLUMN_TEXT &&
           column->role == ROLE_NOMINAL && span->link[0].score >= 0.6f &&
           has_stem(column, word->stem);
}

/* "total spend" of a column `spend_usd`: a word that says nothing elsewhere. */
bool
reader_is_named_filler(const struct reader *reader, size_t at, enum term term,
                       const struct span *span)
{
    if (term != TERM_FILLER || !span->links)
        return false;
    if (is_plural_of_part(reader, at, span))
        return true;
    if (span->link[0].score >= 0.7f &&
        (is_verb_of_measure(reader, at, span) || is_outlay_noun(reader, at, span)))
        return true;
    if (span->link[0].score < 0.9f)
        return false;
    return has_stem(&reader->frame->column[span->link[0].column],
                    reader->words.at[at].stem);
}

/* "items" of an `ItemCode` of which many rows have the same one. */
static bool
is_thing_with_key(const struct reader *reader, size_t at, const struct span *span)
{
    const struct column *column = &reader->frame->column[span->link[0].column];

    return column->kind == COLUMN_TEXT && column->role != ROLE_QUANTITY &&
           !column->is_unique && column->words.count > 1 &&
           column->words.at[0].stem == reader->words.at[at].stem &&
           column->last_flags & (FLAG_KEY | FLAG_CODE);
}

/* "have no report yet" */
static bool
is_denied(const struct reader *reader, size_t at)
{
    return at > 0 &&
           lexicon_exact(reader->lexicon, &reader->words, at - 1, 1) == TERM_NOT;
}

/* "forecast" of a column that is called so; "reported" of a date `rptd_date`, which is
 * no order to report; "headcount" of a number of employees. */
bool
reader_is_named_so(const struct reader *reader, size_t at, enum term term,
                   const struct span *span)
{
    const char *text = reader->words.at[at].text;

    if (!span->links)
        return false;
    return (term == TERM_ENTITY && is_thing_with_key(reader, at, span)) ||
           (term == TERM_BEYOND && span->link[0].score >= 0.95f) ||
           (term == TERM_SHOW && at > 0 &&
            (words_ends_in_ed(text) || is_denied(reader, at)) &&
            span->link[0].score >= 0.8f) ||
           (term == TERM_COUNT && span->link[0].score >= 0.8f &&
            lexicon_lists(reader->lexicon, "word.heads", text));
}

static bool
lists(const struct reader *reader, const char *name, size_t at)
{
    return at < reader->words.count && reader->words.at[at].kind == WORD_TEXT &&
           !reader->words.at[at].quote &&
           lexicon_lists(reader->lexicon, name, reader->words.at[at].text);
}

/* At the beginning, before what is wanted: "state the", and no column `state`. */
size_t
reader_order(const struct reader *reader, size_t at)
{
    const size_t next = at + 1 + lists(reader, "word.particles", at + 1);

    if ((at > 0 && !lists(reader, "word.orderers", at - 1)) ||
        !lists(reader, "word.orders", at) || !lists(reader, "word.ordered", next))
        return 0;
    return next - at;
}
