/*
 * Which words name which column, and how surely.
 */
#include "bridge/planner/read/reader.h"

static const float LINK_LEAST = 0.4f;

void
reader_find_groups(struct reader *reader)
{
    reader->place =
        arena_alloc(reader->arena, reader->words.count + 1, sizeof(*reader->place));
    for (size_t i = 0; i < reader->words.count; i++) {
        struct place *place = &reader->place[i];

        place->is_light =
            lexicon_flags(reader->lexicon, reader->words.at[i].stem) & FLAG_LIGHT;
        for (size_t len = 1; len <= GROUP_SPAN_MAX && i + len <= reader->words.count;
             len++)
            place->groups[len - 1] =
                (unsigned)lexicon_groups(reader->lexicon, &reader->words.at[i], len,
                                         place->group[len - 1], GROUPS_MAX);
    }
}

/* "wait time" of `wait_seconds`: the unit that tells a time, or -1. */
static int
time_unit(const struct reader *reader, const struct form *form, unsigned mask,
          size_t at)
{
    for (unsigned i = 0; i < form->count; i++)
        if (!(mask & (1u << i)) && form->unit[i].is_time)
            return lexicon_lists(reader->lexicon, "word.times",
                                 reader->words.at[at].text)
                       ? (int)i
                       : -1;
    return -1;
}

/* "machines of each type" are counted by the type; "type of each machine" is one name.
 */
static bool
parts_groups(const struct reader *reader, size_t at, size_t light)
{
    return words_is_plural(reader->words.at[at].text) &&
           lexicon_exact(reader->lexicon, &reader->words, light, 1) == TERM_EACH;
}

/* "expected" of "expected salary", of `exp_sal`: the next word is of that name, too. */
static bool
begins_name(const struct reader *reader, const struct form *form, size_t at)
{
    float quality = 1;

    if (form->count < 2 || at + 1 >= reader->words.count ||
        !words_ends_in_ed(reader->words.at[at].text))
        return false;
    for (unsigned i = 0; i < form->count; i++)
        if (reader_match_unit(reader, form, &form->unit[i], at + 1, true, &quality))
            return true;
    return false;
}

static int
unit_of_stem(const struct form *form, unsigned mask, uint64_t stem)
{
    for (unsigned i = 0; i < form->count; i++)
        if (!(mask & (1u << i)) && form->unit[i].stem == stem)
            return (int)i;
    return -1;
}

/* "unit price" of `unit_price_eur`: two words of its name, and no synonym of the
 * second. The unit of the first of them, or -1. */
static int
spelt_unit(const struct reader *reader, const struct form *form, unsigned mask,
           size_t at)
{
    const struct word *word = &reader->words.at[at];
    const int first = at + 1 < reader->words.count && word->kind == WORD_TEXT
                          ? unit_of_stem(form, mask, word->stem)
                          : -1;

    return first >= 0 && unit_of_stem(form, mask | 1u << first, word[1].stem) >= 0
               ? first
               : -1;
}

/* The units may come in any order, with light words between: "code of each location".
 */
static struct match
match_form(const struct reader *reader, const struct form *form, size_t at)
{
    struct match match = {.quality = 1};
    size_t p = at;

    while (p < reader->words.count && p - at < SPAN_MAX) {
        size_t best = 0;
        unsigned which = 0;
        float quality = 1, best_quality = 1;
        const struct word *word = &reader->words.at[p];
        if (p > at && word[-1].superlative && !word->superlative &&
            words_is_plural(word->text))
            break; /* "priciest sales" are no "price sales" */
        const bool is_behind = p > at || begins_name(reader, form, at);
        const int spelt = spelt_unit(reader, form, match.mask, p);

        for (unsigned i = 0; i < form->count; i++) {
            if ((!match.mask && form->unit[i].is_in_code) || /* "two" of `no2` */
                (spelt >= 0 && i != (unsigned)spelt))
                continue;
            size_t len = match.mask & (1u << i)
                             ? 0
                             : reader_match_unit(reader, form, &form->unit[i], p,
                                                 is_behind, &quality);

            if (len > best || (len && len == best && quality > best_quality)) {
                best = len;
                which = i;
                best_quality = quality;
            }
        }
        int time = best || !match.mask ? -1 : time_unit(reader, form, match.mask, p);
        if (time >= 0) {
            best = 1;
            which = (unsigned)time;
            best_quality = 0.95f;
        }
        if (best && p + best - at <= SPAN_MAX) {
            match.mask |= 1u << which;
            match.quality = best_quality < match.quality ? best_quality : match.quality;
            p += best;
            match.len = p - at;
        } else if (match.mask && reader->place[p].is_light &&
                   !parts_groups(reader, at, p)) {
            p++;
        } else {
            break;
        }
    }
    return match;
}

/* "rate per" of `rate_per_night`, where the night is not said: "per" joins what
 * follows. */
static void
trim_match(const struct reader *reader, const struct form *form, size_t at,
           struct match *match)
{
    while (match->len > 1) {
        size_t last = at + match->len - 1;
        bool joins =
            lexicon_exact(reader->lexicon, &reader->words, last, 1) == TERM_PER;
        bool is_whole = match->mask == (1u << form->count) - 1;

        if (!joins || is_whole)
            return;
        match->len--;
    }
}

void
reader_add_link(struct span *span, struct link link)
{
    unsigned at = span->links;

    for (unsigned i = 0; i < span->links; i++)
        if (span->link[i].column == link.column) {
            if (span->link[i].score >= link.score)
                return;
            at = i;
        }
    if (at == span->links && span->links < LINKS_MAX)
        span->links++;
    else if (at == LINKS_MAX && span->link[LINKS_MAX - 1].score >= link.score)
        return;
    else if (at == LINKS_MAX)
        at--;
    for (; at > 0 && span->link[at - 1].score < link.score; at--)
        span->link[at] = span->link[at - 1];
    span->link[at] = link;
}

/* "number of flights" counts them, and is not the column `flight_number`. */
static bool
is_counted(const struct reader *reader, int column, size_t at,
           const struct match *match)
{
    const struct word *last = &reader->words.at[at + match->len - 1];
    size_t len = strlen(last->text);
    bool begins_with_key =
        lexicon_flags(reader->lexicon, reader->words.at[at].stem) & FLAG_KEY;

    bool begins_with_count =
        lexicon_exact(reader->lexicon, &reader->words, at, 1) == TERM_COUNT;

    return (begins_with_count ? match->len > 1 : begins_with_key && match->len > 2) &&
           ((len > 3 && last->text[len - 1] == 's') ||
            reader->frame->column[column].is_unique) && /* "number of staff" */
           ((reader->frame->column[column].role != ROLE_QUANTITY &&
             reader->frame->column[column].role != ROLE_DISCRETE) ||
            reader->frame->column[column].last_flags & FLAG_KEY); /* `screen_no` */
}

/* "7 days of the loss": a unit behind its number begins no name, as "day" of a date. */
static bool
is_unit_of_number(const struct reader *reader, size_t at)
{
    const unsigned units = FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS | FLAG_DAYS |
                           FLAG_WEEKS | FLAG_MONTHS | FLAG_YEARS;

    return at > 0 && reader->words.at[at - 1].kind == WORD_NUMBER &&
           lexicon_flags(reader->lexicon, reader->words.at[at].stem) & units;
}

/* "revenue" of `spend_eur`, where another column is money, too. */
static bool
is_outlay_beside_other(const struct reader *reader, const struct column *about)
{
    if (!column_is_called(about, reader->lexicon, "word.outlays"))
        return false;
    for (int i = 0; i < reader->frame->columns; i++)
        if (&reader->frame->column[i] != about &&
            column_is_in_currency(&reader->frame->column[i], reader->lexicon) &&
            !column_is_called(&reader->frame->column[i], reader->lexicon,
                              "word.outlays"))
            return true;
    return false;
}

/* "revenue", which is neither a date `sold_at` nor a yes or no `sold`. */
static bool
is_money_of_none(const struct reader *reader, int column, size_t at)
{
    const struct column *about = &reader->frame->column[column];

    if (!lexicon_lists(reader->lexicon, "word.monies", reader->words.at[at].text) ||
        ((about->kind == COLUMN_NUMBER || about->role == ROLE_QUANTITY) &&
         !is_outlay_beside_other(reader, about)))
        return false;
    for (size_t i = 0; i < about->words.count; i++)
        if (about->words.at[i].stem == reader->words.at[at].stem)
            return about->kind == COLUMN_DATE;
    return true;
}

/* Words that say an outlay, and those by which a column is called that is one. Who
 * "spent" most brings revenue, even where there are costs. */
static const struct {
    const char *said, *called;
} outlays[] = {
    {"word.outlays", "word.outlays"  },
    {"word.spent",   "word.spendings"},
};

/* Whether a column of money other than `about` is called so, and `about` is not. */
static bool
is_other_called(const struct reader *reader, const struct column *about,
                const char *list)
{
    if (!column_is_in_currency(about, reader->lexicon) ||
        column_is_called(about, reader->lexicon, list))
        return false;
    for (int i = 0; i < reader->frame->columns; i++)
        if (column_is_called(&reader->frame->column[i], reader->lexicon, list) &&
            column_is_in_currency(&reader->frame->column[i], reader->lexicon))
            return true;
    return false;
}

/* "spending" of `TotRev_kEUR`, where another column is what is spent. */
static bool
is_income_beside_outlay(const struct reader *reader, int column, size_t at, size_t len)
{
    for (size_t i = at; i < at + len; i++)
        for (size_t k = 0; k < COUNT_OF(outlays); k++)
            if (lexicon_lists(reader->lexicon, outlays[k].said,
                              reader->words.at[i].text) &&
                is_other_called(reader, &reader->frame->column[column],
                                outlays[k].called))
                return true;
    return false;
}

bool
reader_has_other_time(const struct reader *reader)
{
    for (int i = 0; i < reader->frame->columns; i++)
        if (reader->frame->column[i].role == ROLE_TIME &&
            !(reader->frame->column[i].flags & FLAG_BIRTH))
            return true;
    return false;
}

/* "latest" is of a date, and of no `age_years`; nor of a `birth_date` beside others. */
static bool
is_rank_of_other_time(const struct reader *reader, int column, size_t at)
{
    const struct word *word = &reader->words.at[at];
    const struct column *about = &reader->frame->column[column];

    return word->superlative &&
           lexicon_flags(reader->lexicon, word->stem) & FLAG_TIME &&
           (about->role != ROLE_TIME ||
            (about->flags & FLAG_BIRTH && reader_has_other_time(reader)));
}

static void
link_form(struct reader *reader, int column, const struct form *form)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        struct match match = match_form(reader, form, at);
        trim_match(reader, form, at, &match);

        if (!match.mask || is_counted(reader, column, at, &match) ||
            is_rank_of_other_time(reader, column, at) ||
            (match.len > 1 && is_unit_of_number(reader, at)) ||
            (match.len == 1 && is_money_of_none(reader, column, at)) ||
            is_income_beside_outlay(reader, column, at, match.len))
            continue;
        float score =
            reader_score(reader, &reader->frame->column[column], form, &match, at);
        if (score >= LINK_LEAST)
            reader_add_link(&reader->span[at][match.len - 1],
                            (struct link){column, score});
    }
}

/* "allergy type" is `allergytype`; "check-ins" are of `checkin`. */
static void
link_squashed(struct reader *reader, int column, uint64_t squash)
{
    const uint64_t plural = words_squash(squash, "s");
    const bool is_of_several = reader->frame->column[column].words.count > 1;

    for (size_t at = 0; at < reader->words.count; at++) {
        uint64_t hash = 0;

        for (size_t len = 1; len <= 4 && at + len <= reader->words.count; len++) {
            hash = words_squash(hash, reader->words.at[at + len - 1].text);
            if ((hash == squash || ((len > 1 || is_of_several) && hash == plural)) &&
                reader->words.at[at].kind != WORD_MARK &&
                reader->words.at[at + len - 1].kind != WORD_MARK)
                reader_add_link(&reader->span[at][len - 1], (struct link){column, 1});
        }
    }
}

/* Whether the column tells such things apart: `donor_id` of donors. */
static bool
is_key_of(const struct column *column, uint64_t stem)
{
    const struct form *form = &column->form[0];

    return column->forms && form->count == 2 && !column->is_unique &&
           form->unit[0].stem == stem && form->unit[1].is_key;
}

/* A "machine" is none of `mach_type`, where another column tells machines apart. */
static bool
is_kind_of(const struct reader *reader, const struct column *column, size_t at)
{
    const uint64_t stem = reader->words.at[at].stem;

    return column->words.count == 2 && column->forms &&
           (column->words.at[0].stem == stem || column->form->unit[0].stem == stem) &&
           lexicon_lists(reader->lexicon, "word.kinds", column->words.at[1].text);
}

/* "donors" are told apart by `donor_id`, and are not `donor_age`. */
static void
prefer_key(struct reader *reader, size_t at)
{
    struct span *span = &reader->span[at][0];
    uint64_t stem = reader->words.at[at].stem;
    int key = -1;

    for (unsigned i = 0; i < span->links; i++) {
        const struct column *column = &reader->frame->column[span->link[i].column];

        if (is_key_of(column, stem))
            key = span->link[i].column;
        else if (is_kind_of(reader, column, at))
            continue;
        else if (column->flags & FLAG_LABEL || span->link[i].score >= 0.9f)
            return;
    }
    if (key < 0 || span->links < 2 || frame_is_noun(reader->frame, stem))
        return;
    span->link[0] = (struct link){key, 0.92f};
    span->links = 1;
}

void
reader_link_columns(struct reader *reader)
{
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];

        for (unsigned f = 0; f < column->forms; f++)
            link_form(reader, i, &column->form[f]);
        if (column->words.count)
            link_squashed(reader, i, column->squash);
        if (column->bare_squash) /* "copay" of `CoPay_USD` */
            link_squashed(reader, i, column->bare_squash);
    }
    reader_link_short(reader);
    reader_link_cells(reader);
    for (size_t at = 0; at < reader->words.count; at++)
        prefer_key(reader, at);
}
