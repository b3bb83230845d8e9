/*
 * The question's words set right: slips, inflections, halves of pairs.
 */

#include <strings.h>

#include "bridge/planner/read/reader.h"
#include "bridge/planner/words/likeness.h"

enum {
    SHORT_LEAST = 3,
    SHORT_MOST = 5, /* letters of an abbreviation */
    SLIP_LEAST = 4,
    NOUN_SLIP_LEAST = 8,
};

static bool
frame_has_word(const struct frame *frame, uint64_t stem)
{
    for (int i = 0; i < frame->columns; i++)
        for (unsigned f = 0; f < frame->column[i].forms; f++)
            for (unsigned k = 0; k < frame->column[i].form[f].count; k++)
                if (frame->column[i].form[f].unit[k].stem == stem)
                    return true;
    return false;
}

static const char *
frame_spelling(const struct frame *frame, const char *text)
{
    const char *nearest = NULL;
    unsigned fewest = 0;

    for (int i = 0; i < frame->columns; i++)
        for (size_t k = 0; k < frame->column[i].words.count; k++) {
            const char *word = frame->column[i].words.at[k].text;
            unsigned slips = likeness_slips(text, word);

            if (slips && (!nearest || slips < fewest)) {
                nearest = word;
                fewest = slips;
            }
        }
    return nearest;
}

/* "prod budget" of `production_budget`, where no other column begins so. */
static const char *
frame_shortened(const struct reader *reader, size_t at)
{
    const struct word *word = &reader->words.at[at], *next = word + 1;
    size_t len = strlen(word->text);
    const char *full = NULL;

    if (at + 1 >= reader->words.count || len < SHORT_LEAST || len > SHORT_MOST ||
        lexicon_exact(reader->lexicon, &reader->words, at, 1) != TERM_NONE)
        return NULL;
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct words *words = &reader->frame->column[i].words;

        for (size_t k = 0; k + 1 < words->count; k++) {
            const char *text = words->at[k].text;

            if (words->at[k + 1].stem != next->stem || strlen(text) < len + 2 ||
                strncmp(text, word->text, len) != 0)
                continue;
            if (full && strcmp(full, text) != 0)
                return NULL;
            full = text;
        }
    }
    return full;
}

/* "hired" is said of `hire_date`, "majoring" of `major`, "attendance" of `attend`. */
static const char *
frame_inflected(const struct reader *reader, const struct word *word, bool *is_noun)
{
    static const struct {
        const char *ending, *replacement;
        bool is_noun;
    } endings[] = {
        {"ing",   "",   false},
        {"ing",   "e",  false},
        {"ing",   "n",  false},
        {"ing",   "ed", false}, /* "asking" of `sum_asked` */
        {"ed",    "",   false},
        {"ed",    "e",  false},
        {"ly",    "",   false},
        {"ance",  "",   true },
        {"ance",  "e",  true },
        {"ence",  "",   true },
        {"ment",  "",   true },
        {"ment",  "e",  true },
        {"ion",   "",   true },
        {"ion",   "e",  true },
        {"ation", "e",  true },
    };
    size_t len = strlen(word->text);

    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t size = strlen(endings[i].ending);

        if (len < size + 4 || strcmp(word->text + len - size, endings[i].ending) != 0)
            continue;
        char *base = arena_printf(reader->arena, "%.*s%s", (int)(len - size),
                                  word->text, endings[i].replacement);
        if (frame_has_word(reader->frame, words_stem(base, strlen(base)))) {
            *is_noun = endings[i].is_noun;
            return base;
        }
    }
    return NULL;
}

/* Without "ing" or "ed", and the letter that these double: "drop" of "dropping". */
static size_t
bare_verb(const char *text)
{
    size_t len = strlen(text), cut = len;

    if (len > 5 && strcmp(text + len - 3, "ing") == 0)
        cut = len - 3;
    else if (len > 4 && strcmp(text + len - 2, "ed") == 0)
        cut = len - 2;
    return cut < len && text[cut - 1] == text[cut - 2] ? cut - 1 : cut;
}

/* "dropped out" of a column `dropout`: a verb in two words. */
static void
join_phrasal(struct reader *reader)
{
    static const char *const particles[] = {"out", "up", "off", "in", "over", "down"};
    struct words *words = &reader->words;

    for (size_t i = 0; i + 1 < words->count; i++) {
        struct word *verb = &words->at[i], *next = &words->at[i + 1];

        for (size_t k = 0; verb->kind == WORD_TEXT && k < COUNT_OF(particles); k++) {
            if (strcmp(next->text, particles[k]) != 0)
                continue;
            char *noun =
                arena_printf(reader->arena, "%.*s%s", (int)bare_verb(verb->text),
                             verb->text, particles[k]);
            if (!frame_has_word(reader->frame, words_stem(noun, strlen(noun))))
                continue;
            verb->stem = words_stem(noun, strlen(noun));
            verb->text = noun;
            verb->end = next->end;
            memmove(next, next + 1, (words->count - i - 1) * sizeof(*next));
            words->count--;
            break;
        }
    }
}

enum {
    ROOT_VALUES_MAX = 60,
};

/* "Brandt" of a cell "Lea Brandt". */
static bool
has_word(const char *value, const char *text)
{
    const size_t len = strlen(text);

    for (const char *at = value; *at; at += strspn(at, " ")) {
        const size_t size = strcspn(at, " ");

        if (size == len && strncasecmp(at, text, len) == 0)
            return true;
        at += size;
    }
    return false;
}

/* "rejection" where a cell or a column is "rejected", "recovery" of `spike_rec_pct`:
 * not a slip of another word. */
static bool
frame_has_root(const struct lexicon *lexicon, const struct frame *frame,
               const char *text)
{
    for (int i = 0; i < frame->columns; i++) {
        const struct words *words = &frame->column[i].words;
        json_t *value;
        size_t at;

        for (size_t k = 0; k < words->count; k++)
            if (likeness_shared(text, words->at[k].text) >= LIKENESS_ROOT ||
                likeness_is_event(text, words->at[k].text) ||
                lexicon_is_short_for(lexicon, words->at[k].text, text) ||
                lexicon_is_form(lexicon, text, words->at[k].text))
                return true;
        json_array_foreach (frame->column[i].values, at, value)
            if (at < ROOT_VALUES_MAX && json_string_value(value) &&
                (likeness_shared(text, json_string_value(value)) >= LIKENESS_ROOT ||
                 has_word(json_string_value(value), text)))
                return true;
    }
    return false;
}

static bool
is_empty_word(const struct reader *reader, size_t at)
{
    enum term term = lexicon_exact(reader->lexicon, &reader->words, at, 1);

    return term == TERM_NONE || term == TERM_FILLER;
}

/* "planet" is not a slip of "plant", which names what rows may be. */
static bool
is_other_noun(const struct reader *reader, const char *text, const char *known)
{
    uint64_t stem = words_stem(known, strlen(known));

    return strlen(text) < NOUN_SLIP_LEAST &&
           lexicon_flags(reader->lexicon, stem) & FLAG_ROWS &&
           !frame_has_word(reader->frame, stem);
}

/* "funding" is not a slip of "finding", which says nothing: a letter in the place of
 * another makes words as often as slips. */
static bool
is_other_filler(const struct reader *reader, const char *text, const char *known)
{
    const struct words words = words_split(reader->arena, slice_of(known), 2);
    size_t differ = 0;

    for (size_t i = 0; text[i] && known[i]; i++)
        differ += text[i] != known[i];
    return words.count == 1 && differ == 1 && strlen(text) == strlen(known) &&
           lexicon_exact(reader->lexicon, &words, 0, 1) == TERM_FILLER;
}

/* "charged" of "charge": a word that the lexicon knows in another form. */
static bool
is_known_verb(const struct reader *reader, const char *text)
{
    const size_t len = strlen(text);

    for (size_t cut = 1; words_ends_in_ed(text) && cut <= 2; cut++)
        if (lexicon_knows(
                reader->lexicon,
                words_stem(arena_text(reader->arena, text, len - cut), len - cut)))
            return true;
    return false;
}

/* An inflection or a slip of what the table or the grammar knows; NULL. */
static const char *
known_for(const struct reader *reader, size_t at)
{
    struct word *word = &reader->words.at[at];
    bool is_noun = false;
    const char *known = frame_inflected(reader, word, &is_noun);

    if (strlen(word->text) < SLIP_LEAST ||
        (lexicon_knows(reader->lexicon, word->stem) &&
         !(known && is_empty_word(reader, at))) ||
        frame_find_value(reader->frame, words_squash(0, word->text)) >= 0)
        return NULL;
    if (!known)
        known = frame_spelling(reader->frame, word->text);
    if (!known && !word->quote && !is_known_verb(reader, word->text) &&
        !frame_has_root(reader->lexicon, reader->frame, word->text))
        known = lexicon_spelling(reader->lexicon, word->text);
    if (known && (is_other_noun(reader, word->text, known) ||
                  is_other_filler(reader, word->text, known)))
        return NULL;
    word->is_noun_of = is_noun;
    return known;
}

void
reader_correct_spelling(struct reader *reader)
{
    join_phrasal(reader);
    for (size_t i = 0; i < reader->words.count; i++) {
        struct word *word = &reader->words.at[i];

        if (word->kind != WORD_TEXT || frame_has_word(reader->frame, word->stem))
            continue;
        const char *known = frame_shortened(reader, i);
        if (!known)
            known = known_for(reader, i);
        if (!known)
            continue;
        word->stem = words_stem(known, strlen(known));
        word->text = arena_text(reader->arena, known, strlen(known));
        word->corrected = true;
    }
}

/* --- pairs --- */

static bool
has_column(const struct frame *frame, const struct word *first, const struct word *last)
{
    for (int i = 0; i < frame->columns; i++) {
        const struct words *words = &frame->column[i].words;

        if (words->count >= 2 && words->at[0].stem == first->stem &&
            words->at[words->count - 1].stem == last->stem)
            return true;
    }
    return false;
}

/* "low and high estimates": the last word belongs to both. */
void
reader_complete_pairs(struct reader *reader)
{
    struct words *words = &reader->words;

    for (size_t i = 0; i + 3 < words->count && words->count < WORDS_MAX; i++) {
        if (lexicon_exact(reader->lexicon, words, i + 1, 1) != TERM_AND)
            continue;
        for (size_t last = i + 3; last <= i + 4 && last < words->count; last++) {
            if (!has_column(reader->frame, &words->at[i], &words->at[last]) ||
                !has_column(reader->frame, &words->at[i + 2], &words->at[last]))
                continue;
            memmove(&words->at[i + 2], &words->at[i + 1],
                    (words->count - i - 1) * sizeof(*words->at));
            words->at[i + 1] = words->at[last + 1];
            words->at[i + 1].begin = words->at[i + 1].end = words->at[i].end;
            words->count++;
            break;
        }
    }
}
