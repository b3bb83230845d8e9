/*
 * Which words name which column, and how surely.
 */
#include "bridge/planner/read/reader.h"
#include "bridge/planner/words/likeness.h"

static const float LINK_LEAST = 0.4f;

enum {
    SHORT_MOST = 3, /* letters that begin many words: "inv" */
};

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

static bool
share_group(const struct unit *unit, const struct place *place, size_t len)
{
    for (unsigned i = 0; i < unit->groups; i++)
        for (unsigned k = 0; k < place->groups[len - 1]; k++)
            if (unit->group[i] == place->group[len - 1][k])
                return true;
    return false;
}

/* "method" of `mthd`, "price" of `prc`: all its consonants, or the first four and more.
 */
static bool
is_skeleton(const char *start, const char *word)
{
    size_t said = 0;

    if (strpbrk(start, "aeiouy") || *start != *word)
        return false;
    for (; *word && start[said]; word++)
        if (*word == start[said])
            said++;
        else if (!strchr("aeiouy", *word))
            return false;
    word += strspn(word, "aeiouy");
    return !start[said] &&
           (said > 3 || !*word || strcmp(word, "d") == 0 || strcmp(word, "s") == 0 ||
            strcmp(word, "ng") == 0 || strcmp(word, "ngs") == 0); /* "serving" */
}

/* "destination" of a column `dest`; words that the grammar knows mean themselves, but
 * for "ordered" behind the "qty" of `qty_ord`. */
static bool
is_longer(const struct reader *reader, const struct unit *unit, size_t at,
          bool is_behind)
{
    const struct word *word = &reader->words.at[at];
    const size_t len = strlen(unit->start);

    if (!is_behind && len <= SHORT_MOST && words_ends_in_ed(word->text) &&
        lexicon_flags(reader->lexicon, words_stem(word->text, strlen(word->text) - 1)) &
            FLAG_EVENT)
        return false; /* "crashes involved pedestrians", of `alcohol_inv` */
    if (word->kind != WORD_TEXT || strlen(word->text) < len + 2 ||
        !(strncmp(word->text, unit->start, len) == 0 ||
          is_skeleton(unit->start, word->text)))
        return false;
    const struct words *full = lexicon_expansion(reader->lexicon, unit->stem);
    for (size_t i = 0; full && i < full->count; i++)
        if (full->at[i].stem == word->stem)
            return false; /* a form of its own says that */
    if (len <= SHORT_MOST && lexicon_lists(reader->lexicon, "word.delays", word->text))
        return false; /* no "delay" of `planned_del` */
    if (frame_is_noun(reader->frame, word->stem))
        return false;
    return (is_behind && words_ends_in_ed(word->text)) ||
           lexicon_exact(reader->lexicon, &reader->words, at, 1) == TERM_NONE;
}

/* "recovery" of `spike_rec_pct`, where no other column has a word that begins so. */
static bool
is_only_short(const struct reader *reader, const char *text)
{
    unsigned found = 0;

    for (int i = 0; i < reader->frame->columns && found < 2; i++) {
        const struct form *form = &reader->frame->column[i].form[0];
        bool is_short = false;

        for (unsigned k = 0; reader->frame->column[i].forms && k < form->count; k++)
            is_short |=
                form->unit[k].start &&
                strncmp(text, form->unit[k].start, strlen(form->unit[k].start)) == 0;
        found += is_short;
    }
    return found == 1;
}

/* Whether the name goes on to say no kind of it: "defer" of `defer_reason` is no name
 * of a column. */
static bool
is_the_thing(const struct form *form, const struct unit *unit)
{
    for (const struct unit *next = unit + 1; next < form->unit + form->count; next++)
        if (next->is_kind)
            return false;
    return true;
}

/* How many words from `at` on say this unit (0: none), and how well. Behind:
 * other words of the same name. */
static size_t
match_unit(const struct reader *reader, const struct form *form,
           const struct unit *unit, size_t at, bool is_behind, float *quality)
{
    const struct word *word = &reader->words.at[at];

    if (word->superlative && at + 1 < reader->words.count && word[1].superlative &&
        word[1].begin == word->begin)
        return 0; /* "highest" of "deepest": the rank, and no part of `max_depth` */
    if (unit->groups)
        for (size_t len = GROUP_SPAN_MAX; len >= 2; len--)
            if (at + len <= reader->words.count &&
                share_group(unit, &reader->place[at], len)) {
                *quality = 0.93f;
                return len;
            }
    if (unit->is_joint &&
        (word->begin == 0 || reader->question.data[word->begin - 1] == ' '))
        return 0;
    if (unit->stem && word->stem == unit->stem && word->kind != WORD_MARK) {
        *quality = word->corrected ? 0.95f : 1.0f;
        return 1;
    }
    if (unit->groups && share_group(unit, &reader->place[at], 1)) {
        *quality = word->corrected ? 0.88f : 0.93f;
        return 1;
    }
    if (unit->event && word->kind == WORD_TEXT &&
        !frame_is_noun(reader->frame, word->stem) &&
        likeness_is_event(word->text, unit->event)) {
        *quality = 0.95f;
        return 1;
    }
    if (unit->root && (is_behind || unit->is_whole) && word->kind == WORD_TEXT &&
        likeness_is_inflected(word->text, unit->root) &&
        !frame_is_noun(reader->frame, word->stem)) {
        *quality = 0.9f;
        return 1;
    }
    if (unit->start && is_longer(reader, unit, at, is_behind)) {
        *quality =
            is_skeleton(unit->start, word->text) ||
                    (is_the_thing(form, unit) && is_only_short(reader, word->text))
                ? 0.95f
                : 0.85f;
        return 1;
    }
    return 0;
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
        if (match_unit(reader, form, &form->unit[i], at + 1, true, &quality))
            return true;
    return false;
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
        const bool is_behind = p > at || begins_name(reader, form, at);

        for (unsigned i = 0; i < form->count; i++) {
            if (!match.mask && form->unit[i].is_in_code)
                continue; /* "two readings" of `no2` */
            size_t len =
                match.mask & (1u << i)
                    ? 0
                    : match_unit(reader, form, &form->unit[i], p, is_behind, &quality);

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
           len > 3 && last->text[len - 1] == 's' &&
           reader->frame->column[column].role != ROLE_QUANTITY &&
           reader->frame->column[column].role != ROLE_DISCRETE;
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

static void
link_form(struct reader *reader, int column, const struct form *form)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        struct match match = match_form(reader, form, at);
        trim_match(reader, form, at, &match);

        if (!match.mask || is_counted(reader, column, at, &match) ||
            (match.len > 1 && is_unit_of_number(reader, at)))
            continue;
        float score = reader_score(reader, form, &match, at);
        if (score >= LINK_LEAST)
            reader_add_link(&reader->span[at][match.len - 1],
                            (struct link){column, score});
    }
}

/* "allergy type" is `allergytype`. */
static void
link_squashed(struct reader *reader, int column, uint64_t squash)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        uint64_t hash = 0;

        for (size_t len = 1; len <= 4 && at + len <= reader->words.count; len++) {
            hash = words_squash(hash, reader->words.at[at + len - 1].text);
            if (hash == squash && reader->words.at[at].kind != WORD_MARK &&
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

/* "bikes", "per bike" are not `bike_type`. */
static bool
is_kind_of(const struct reader *reader, const struct column *column, size_t at)
{
    const char *text = reader->words.at[at].text;
    bool is_each =
        at > 0 && lexicon_exact(reader->lexicon, &reader->words, at - 1, 1) == TERM_PER;

    return (words_is_plural(text) || is_each) && column->words.count == 2 &&
           column->words.at[0].stem == reader->words.at[at].stem &&
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
    }
    reader_link_short(reader);
    for (size_t at = 0; at < reader->words.count; at++)
        prefer_key(reader, at);
}
