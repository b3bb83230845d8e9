/* How surely a column is meant of whose name only a part was said. */
#include "bridge/planner/read/reader.h"

static const float weight_of_tail = 0.3f; /* "type" of `vessel_type` */

static bool
is_frame_noun(const struct reader *reader, const struct unit *unit)
{
    return unit->stem && frame_is_noun(reader->frame, unit->stem);
}

/* "type" says enough where one column alone has it in its name. */
static bool
is_only_one(const struct reader *reader, const struct form *form,
            const struct match *match)
{
    uint64_t stem = 0;
    unsigned found = 0;

    for (unsigned i = 0; i < form->count; i++)
        if (match->mask & (1u << i) && form->unit[i].weight >= 0.2f &&
            !is_frame_noun(reader, &form->unit[i]))
            stem = form->unit[i].stem;
    if (!stem || match->quality < 0.95f || match->len > 1)
        return false;
    for (int i = 0; i < reader->frame->columns && found < 2; i++) {
        const struct form *other = &reader->frame->column[i].form[0];
        bool has_it = false;

        for (unsigned k = 0; reader->frame->column[i].forms && k < other->count; k++)
            has_it |= other->unit[k].stem == stem;
        found += has_it;
    }
    return found == 1;
}

static bool
begins_with_plural_of(const struct column *column, uint64_t stem)
{
    const struct word *first = column->words.count ? &column->words.at[0] : NULL;

    return first && first->stem == stem && words_is_plural(first->text);
}

/* "visits" of `visits_last_month`: a plural, and the only column that begins so. */
static bool
is_counted_head(const struct reader *reader, const struct column *column,
                const struct form *form, const struct match *match, size_t at)
{
    const struct word *word = &reader->words.at[at];
    size_t len = strlen(word->text);
    unsigned found = 0;

    if (match->mask != 1 || match->len != 1 || len < 4 ||
        form->unit[0].stem != word->stem || column->kind != COLUMN_NUMBER ||
        column->form != form || !begins_with_plural_of(column, word->stem))
        return false;
    for (int i = 0; i < reader->frame->columns && found < 2; i++)
        found += begins_with_plural_of(&reader->frame->column[i], word->stem);
    return found == 1;
}

/* "employees" are not their ids. */
static bool
is_key_unsaid(const struct form *form, const struct match *match)
{
    unsigned last = form->count - 1;

    return form->unit[last].is_key && !(match->mask & (1u << last));
}

/* "flights" are the rows of a table of flights, and not its column `flight`. */
static bool
is_rows(const struct reader *reader, const struct form *form, size_t at)
{
    return is_frame_noun(reader, &form->unit[0]) &&
           words_is_plural(reader->words.at[at].text);
}

/* "port calls" where a column is `port_dues`: another noun follows in the place of the
 * one that says what it is. */
static bool
has_other_head(const struct reader *reader, const struct form *form,
               const struct match *match, size_t at)
{
    size_t next = at + match->len;
    const struct word *word = &reader->words.at[next];

    if (next < reader->words.count && !frame_is_noun(reader->frame, word->stem) &&
        lexicon_lists(reader->lexicon, "word.readings", word->text))
        return false; /* "temperature readings" */
    if (form->count < 2 || match->mask & (1u << (form->count - 1)) ||
        form->unit[form->count - 1].weight <= weight_of_tail ||
        next >= reader->words.count || word->kind != WORD_TEXT ||
        reader->words.at[at].superlative) /* "longest call": "highest duration" */
        return false;
    return frame_is_noun(reader->frame, word->stem) ||
           lexicon_flags(reader->lexicon, word->stem) & FLAG_ROWS;
}

/* "customers" of `customer_type`: a type is not one of them. */
static bool
is_kind_of_things(const struct reader *reader, const struct form *form,
                  const struct match *match, size_t at)
{
    const struct word *word = &reader->words.at[at];
    const struct unit *last = &form->unit[form->count - 1];

    return form->count == 2 && match->mask == 1 && match->len == 1 &&
           words_is_plural(word->text) &&
           lexicon_flags(reader->lexicon, word->stem) & (FLAG_ROWS | FLAG_PERSON) &&
           last->is_kind;
}

/* "patients" of `patient_age`: nobody is an age. */
static bool
is_trait_of_things(const struct reader *reader, const struct form *form,
                   const struct match *match, size_t at)
{
    const struct word *word = &reader->words.at[at];
    const unsigned traits = FLAG_INTENSIVE | FLAG_BIRTH;

    return form->count == 2 && match->mask == 1 && match->len == 1 &&
           words_is_plural(word->text) &&
           lexicon_flags(reader->lexicon, word->stem) & (FLAG_ROWS | FLAG_PERSON) &&
           (lexicon_flags(reader->lexicon, form->unit[1].stem) & traits ||
            lexicon_lists_stem(reader->lexicon, "word.traits", form->unit[1].stem));
}

/* "flights" of a `flight_number` that flies again each week: what rows are. */
static bool
is_of_timetable(const struct reader *reader, const struct form *form,
                const struct match *match, size_t at)
{
    const char *text = reader->words.at[at].text;
    const bool is_each =
        at > 0 && lexicon_exact(reader->lexicon, &reader->words, at - 1, 1) == TERM_PER;
    const unsigned last = form->count - 1;

    return match->len == 1 && form->count == 2 && match->mask == 1 &&
           lexicon_flags(reader->lexicon, form->unit[last].stem) & FLAG_KEY &&
           (words_is_plural(text) || is_each) &&
           lexicon_lists(reader->lexicon, "word.timetable", text);
}

/* "bill" of `bill_type`, said in other words: "revenue" does not name a type. */
static bool
is_kind_unsaid(const struct form *form, const struct match *match)
{
    return form->count == 2 && match->mask == 1 && match->quality < 0.96f &&
           form->unit[1].is_kind;
}

/* "did we sell" of a `sales_rep`: what somebody does, and not who. */
static bool
is_act_of_person(const struct reader *reader, const struct form *form,
                 const struct match *match, size_t at)
{
    const struct word *word = &reader->words.at[at];

    return form->count == 2 && match->mask == 1 && match->len == 1 &&
           form->unit[0].stem != word->stem &&
           lexicon_flags(reader->lexicon, word->stem) & FLAG_EVENT &&
           lexicon_flags(reader->lexicon, form->unit[1].stem) & FLAG_PERSON;
}

float
reader_score(const struct reader *reader, const struct column *column,
             const struct form *form, const struct match *match, size_t at)
{
    float said = 0, all = 0, unsaid = 0;
    bool has_content = false, has_several = match->mask & (match->mask - 1),
         has_all_but_unit = true;

    for (unsigned i = 0; i < form->count; i++) {
        float weight = form->unit[i].weight;

        if (form->count > 1 && weight > 0.15f && is_frame_noun(reader, &form->unit[i]))
            weight = 0.15f;
        all += weight;
        if (match->mask & (1u << i)) {
            said += weight;
            has_content |=
                weight > 0.3f || (has_several && form->unit[i].weight > 0.3f);
        } else {
            unsaid = weight > unsaid ? weight : unsaid;
            has_all_but_unit &= form->unit[i].is_unit;
        }
    }
    if (is_kind_unsaid(form, match) || is_of_timetable(reader, form, match, at) ||
        is_act_of_person(reader, form, match, at) ||
        is_trait_of_things(reader, form, match, at))
        return 0;
    if (form->count == 1 && is_rows(reader, form, at))
        return 0.45f * match->quality;
    if (unsaid <= 0.06f)
        return match->quality;
    if (has_other_head(reader, form, match, at))
        return 0;
    if (has_content && is_kind_of_things(reader, form, match, at))
        return 0.55f * match->quality;
    if (has_content && unsaid <= 0.3f)
        return (is_key_unsaid(form, match) ? 0.6f
                : has_all_but_unit         ? 0.94f
                                           : 0.92f) *
               match->quality;
    if (has_several && has_all_but_unit) /* "unit price" of `unit_price_eur` */
        return 0.94f * match->quality;
    if (!has_content)
        return is_only_one(reader, form, match)
                   ? 0.66f * match->quality
                   : (0.3f + 0.5f * said / all) * match->quality;
    /* "visits"; "visit" is a verb, too */
    if (is_counted_head(reader, column, form, match, at))
        return (words_is_plural(reader->words.at[at].text) ? 0.75f : 0.66f) *
               match->quality;
    return (0.45f + 0.4f * said / all) * match->quality;
}
