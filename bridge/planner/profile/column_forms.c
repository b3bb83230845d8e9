/*
 * The forms in which a question may name a column.
 */
#include "bridge/planner/profile/profile_reader.h"

enum {
    ABBREVIATION_LEAST = 3, /* letters */
    ABBREVIATION_MOST = 5,  /* "policy" is a word, not the start of "policyholder" */
};

static const float weight_of_unit = 0.3f, weight_of_light = 0.05f;

/* "minPlayed": minutes that were; "min_speed" is the least. */
static bool
is_before_participle(const struct words *words, size_t at)
{
    const char *next = at + 1 < words->count ? words->at[at + 1].text : "";
    const size_t len = strlen(next);

    return at == 0 && words->count == 2 && len > 3 && strcmp(next + len - 2, "ed") == 0;
}

/* What "min" means where it is not a minimum; NULL. */
static const struct word *
lone_meaning(const struct profile_reader *reader, const struct words *words, size_t at)
{
    bool is_short =
        reader->is_lone &&
        ((at > 0 && at + 1 == words->count) || is_before_participle(words, at)) &&
        words->at[at].stem == reader->lone.at[0].stem;

    return is_short ? &reader->lone.at[2] : NULL;
}

bool
column_is_lone(const struct profile_reader *reader, const struct column *column)
{
    return column->words.count > 0 &&
           lone_meaning(reader, &column->words, column->words.count - 1);
}

/* All but `as_is`, which stays as it is written. */
static struct words
expand_but(struct profile_reader *reader, const struct words *words, size_t as_is)
{
    struct words out = {arena_alloc(reader->arena, COLUMN_WORDS_MAX, sizeof(*out.at)),
                        0};

    for (size_t i = 0; i < words->count && out.count < COLUMN_WORDS_MAX; i++) {
        const struct words *full =
            words_is_in_code(words, i) || i == as_is
                ? NULL
                : lexicon_expansion(reader->lexicon, words->at[i].stem);

        const struct word *alone = lone_meaning(reader, words, i);
        if (words->at[i].kind == WORD_MARK)
            continue;
        if (alone) {
            out.at[out.count++] = *alone;
            continue;
        }
        if (!full)
            out.at[out.count++] = words->at[i];
        for (size_t k = 0; full && k < full->count && out.count < COLUMN_WORDS_MAX; k++)
            out.at[out.count++] = full->at[k];
    }
    return out;
}

/* "stu_hrs" is read as "student hours". */
struct words
column_expand(struct profile_reader *reader, const struct words *words)
{
    return expand_but(reader, words, SIZE_MAX);
}

static float
weight_of(const struct lexicon *lexicon, const struct word *word)
{
    unsigned flags = lexicon_flags(lexicon, word->stem);

    if (flags & FLAG_LIGHT)
        return weight_of_light;
    if (flags & FLAG_GENERIC)
        return 0.3f;
    return word->kind == WORD_NUMBER ? 0.8f : 1.0f;
}

/* "dest" of "destination": short, not a word of its own. */
static bool
may_abbreviate(const struct lexicon *lexicon, const struct word *word)
{
    size_t len = strlen(word->text);

    return word->kind == WORD_TEXT && len >= ABBREVIATION_LEAST &&
           len <= ABBREVIATION_MOST &&
           (!lexicon_knows(lexicon, word->stem) ||
            lexicon_expansion(lexicon, word->stem));
}

/* The synonyms of names; those of cells ("outgoing" of "out") name no column. */
static unsigned
find_groups(const struct profile_reader *reader, const struct word *words, size_t len,
            unsigned *group)
{
    const size_t found =
        lexicon_groups(reader->lexicon, words, len, group, UNIT_GROUPS_MAX);
    unsigned kept = 0;

    for (size_t i = 0; i < found; i++)
        if (!lexicon_is_of_values(reader->lexicon, group[i]))
            group[kept++] = group[i];
    return kept;
}

static struct unit
single_unit(const struct profile_reader *reader, const struct word *word)
{
    unsigned flags = lexicon_flags(reader->lexicon, word->stem);
    struct unit unit = {.stem = word->stem,
                        .weight = weight_of(reader->lexicon, word),
                        .is_key = flags & FLAG_KEY && !(flags & FLAG_ADDITIVE),
                        .is_time = flags & (FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS |
                                            FLAG_DAYS | FLAG_WEEKS | FLAG_MONTHS)};

    unit.groups = find_groups(reader, word, 1, unit.group);
    if (may_abbreviate(reader->lexicon, word)) /* "sats" begin as "satellites" do */
        unit.start = arena_text(reader->arena, word->text,
                                strlen(word->text) - words_is_plural(word->text));
    return unit;
}

static void
add_form(struct column *column, const struct form *form)
{
    if (column->forms < COLUMN_FORMS_MAX && form->count)
        column->form[column->forms++] = *form;
}

/* "arrived", "EnrolledOn": a date says when that happened. */
static const char *
event_of(const struct column *column, const struct word *word)
{
    size_t len = strlen(word->text);
    bool is_participle = len > 4 && strcmp(word->text + len - 2, "ed") == 0;

    return column->kind == COLUMN_DATE && !column->is_clock && is_participle
               ? word->text
               : NULL;
}

/* A word that others are made of, in a name of several. */
static const char *
root_of(const struct words *words, size_t at)
{
    return words->count > 1 && strlen(words->at[at].text) > ABBREVIATION_MOST
               ? words->at[at].text
               : NULL;
}

/* "reassign" of `reassign_cnt` */
static bool
is_rest_generic(const struct profile_reader *reader, const struct words *words,
                size_t at)
{
    bool is_so = true;

    for (size_t i = 0; i < words->count; i++)
        is_so &= i == at || weight_of(reader->lexicon, &words->at[i]) <= weight_of_unit;
    return is_so;
}

/* "(Y/N)" of "Insured (Y/N)": what the cells say. */
static bool
is_answer(const struct words *words, size_t at)
{
    static const char *const texts[] = {"(", "y", "/", "n"};

    for (size_t first = 0; first + COUNT_OF(texts) <= words->count; first++) {
        bool is_there = at >= first && at < first + COUNT_OF(texts);

        for (size_t i = 0; is_there && i < COUNT_OF(texts); i++)
            is_there = strcmp(words->at[first + i].text, texts[i]) == 0;
        if (is_there)
            return true;
    }
    return false;
}

/* "visits_attended": what happened to them says less than what they are. */
static bool
is_participle_behind(const struct profile_reader *reader, const struct words *words,
                     size_t at)
{
    const struct word *word = &words->at[at];
    size_t len = strlen(word->text);

    return at > 0 && at + 1 == words->count &&
           ((len > 4 && strcmp(word->text + len - 2, "ed") == 0) ||
            lexicon_flags(reader->lexicon, word->stem) & FLAG_VERBAL) &&
           words_ends_in_s(words->at[at - 1].text);
}

/* "min", where another column has a "max": no minutes. */
static bool
is_least(const struct profile_reader *reader, const struct word *word)
{
    return reader->lone.count > 0 && !reader->is_lone &&
           word->stem == reader->lone.at[0].stem;
}

/* What a number is counted in tells less than what it is: "price_per_ton", "areaHa". */
static bool
is_measured_in(const struct profile_reader *reader, const struct words *words,
               size_t at)
{
    bool is_behind_per =
        at > 1 && lexicon_exact(reader->lexicon, words, at - 1, 1) == TERM_PER;
    const bool is_behind_unit = /* the 3 of "ugm3" */
        at > 1 && words_is_in_code(words, at - 1) &&
        lexicon_flags(reader->lexicon, words->at[at - 1].stem) & FLAG_UNIT;
    const bool is_behind_slash = /* the night of "EUR/night" */
        at > 1 && words_is_per(words, at - 1) &&
        lexicon_flags(reader->lexicon, words->at[at - 2].stem) & FLAG_UNIT;
    bool is_unit = at > 0; /* "nitrate_mg_l": and all that follow */

    if (at == 0 && words->count == 2 &&
        lexicon_flags(reader->lexicon, words->at[0].stem) & FLAG_YEARS &&
        words_is_plural(words->at[0].text))
        return true; /* "yrs_exp" */

    for (size_t i = at; i < words->count && is_unit && !words_is_per(words, i); i++)
        is_unit = words->at[i].kind == WORD_NUMBER ||
                  column_scale_at(words, reader->lexicon, i) > 0 ||
                  (lexicon_flags(reader->lexicon, words->at[i].stem) &
                       (FLAG_UNIT | FLAG_SECONDS | FLAG_MINUTES | FLAG_HOURS) &&
                   !is_least(reader, &words->at[i]));
    return is_behind_per || is_behind_slash ||
           (at > 0 && lexicon_exact(reader->lexicon, words, at, 1) == TERM_PER) ||
           (is_unit && (words->at[at].kind != WORD_NUMBER || is_behind_unit));
}

/* "Pts (max 100)": what is said in brackets behind it. */
static bool
is_in_brackets(const struct words *words, size_t at)
{
    for (size_t i = at; i > 0; i--) {
        const struct word *before = &words->at[i - 1];

        if (before->kind == WORD_MARK && before->text[0] == ')')
            return false;
        if (before->kind == WORD_MARK && before->text[0] == '(')
            return i > 1;
    }
    return false;
}

/* "type", "class"; "rsn" is short for "reason". */
static bool
is_kind(const struct lexicon *lexicon, const struct word *word)
{
    const struct words *full = lexicon_expansion(lexicon, word->stem);
    const char *text = full && full->count == 1 ? full->at[0].text : word->text;

    return lexicon_lists(lexicon, "word.kinds", text) ||
           lexicon_lists(lexicon, "word.reasons", text);
}

/* "1-5" of `Rating_1-5`: the ends of a scale. */
static bool
is_of_scale(const struct words *words, size_t at)
{
    size_t number[2], found = 0;

    for (size_t i = words->count; i > 0 && found < 2; i--)
        if (words->at[i - 1].kind == WORD_NUMBER)
            number[found++] = i - 1;
        else if (words->at[i - 1].kind != WORD_MARK)
            break;
    return found == 2 && number[1] > 0 && at >= number[1] &&
           (strcmp(words->at[number[1]].text, "0") == 0 ||
            strcmp(words->at[number[1]].text, "1") == 0);
}

static void
add_plain_form(struct profile_reader *reader, struct column *column,
               const struct words *words)
{
    struct form form = {.count = 0};

    for (size_t i = 0; i < words->count && form.count < COLUMN_WORDS_MAX; i++) {
        if (words->at[i].kind == WORD_MARK)
            continue;
        struct unit *unit = &form.unit[form.count++];

        *unit = single_unit(reader, &words->at[i]);
        unit->event = event_of(column, &words->at[i]);
        unit->root = root_of(words, i);
        unit->is_whole = is_rest_generic(reader, words, i);
        unit->is_key &= !words_is_in_code(words, i);
        unit->is_in_code = i > 0 && words_is_in_code(words, i - 1);
        unit->is_kind = is_kind(reader->lexicon, &words->at[i]);
        if (is_answer(words, i) || is_of_scale(words, i))
            unit->weight = weight_of_light;
        if (i == 0 && unit->weight > weight_of_unit && words->count > 1 &&
            lexicon_lists(reader->lexicon, "word.totals", words->at[i].text))
            unit->weight = weight_of_unit; /* "revenue" of `TotRev_kEUR` */
        if (column->is_clock &&            /* "issued" is said of a date */
            lexicon_flags(reader->lexicon, words->at[i].stem) & FLAG_TIME)
            unit->weight = 1.0f;
        if (lone_meaning(reader, words, i)) {
            unit->is_joint = true;
            unit->groups = 0;
        }
        const bool is_aside = is_in_brackets(words, i);
        unit->is_unit = is_measured_in(reader, words, i) || is_aside;
        if (is_aside && lexicon_exact(reader->lexicon, words, i, 1) != TERM_NONE) {
            unit->stem = 0; /* "max points" are not called so by "Pts (max 100)" */
            unit->groups = 0;
        }
        if (unit->weight > weight_of_unit &&
            (unit->is_unit || is_participle_behind(reader, words, i)))
            unit->weight = weight_of_unit;
    }
    add_form(column, &form);
}

/* A form in which words[at .. at + len) are one unit, for synonyms of several words. */
static void
add_joined_form(struct profile_reader *reader, struct column *column,
                const struct words *words, size_t at, size_t len)
{
    struct form form = {.count = 0};
    struct unit joined = {.weight = 0};

    joined.groups = find_groups(reader, &words->at[at], len, joined.group);
    if (!joined.groups)
        return;
    for (size_t i = 0; i < words->count; i++) {
        struct unit unit = single_unit(reader, &words->at[i]);

        if (i >= at && i < at + len) {
            joined.weight += unit.weight;
            if (i == at + len - 1)
                form.unit[form.count++] = joined;
        } else {
            form.unit[form.count++] = unit;
        }
    }
    add_form(column, &form);
}

static bool
are_same(const struct words *a, const struct words *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++)
        if (a->at[i].stem != b->at[i].stem)
            return false;
    return a->count == b->count;
}

void
column_add_forms(struct profile_reader *reader, struct column *column)
{
    struct words full = column_expand(reader, &column->words);

    add_plain_form(reader, column, &full);
    for (size_t len = full.count; len >= 2; len--)
        for (size_t at = 0; at + len <= full.count; at++)
            add_joined_form(reader, column, &full, at, len);
    if (are_same(&full, &column->words))
        return;
    add_plain_form(reader, column, &column->words);
    for (size_t i = 0; i < column->words.count; i++) { /* "app version" of `App Ver` */
        struct words mixed = expand_but(reader, &column->words, i);

        if (!are_same(&mixed, &full) && !are_same(&mixed, &column->words))
            add_plain_form(reader, column, &mixed);
    }
}

bool
column_counts_things(const struct column *column)
{
    const struct word *last =
        column->words.count ? &column->words.at[column->words.count - 1] : NULL;

    return last && words_is_plural(last->text) && column->is_integer &&
           column->low >= 0 &&
           !(column->flags & (FLAG_INTENSIVE | FLAG_TIME | FLAG_YEARS | FLAG_TRAIT));
}
