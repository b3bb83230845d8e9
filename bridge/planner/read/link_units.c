/* Whether words of a question say one unit of a column's name: the word itself, a
 * synonym, what it is short for. */
#include <ctype.h>

#include "bridge/planner/read/reader.h"
#include "bridge/planner/words/likeness.h"

enum {
    SHORT_MOST = 3, /* letters that begin many words: "inv" */
};

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

    if (strpbrk(start + 1, "aeiouy") || *start != *word)
        return false; /* a vowel may begin it: "abandoned" of `abnd` */
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

/* As it is written, or as what is short for something else: "instrument" of `instr_id`,
 * which may be an instructor's. */
static bool
has_short(const struct column *column, const char *text)
{
    for (unsigned f = 0; f < column->forms; f++)
        for (unsigned k = 0; k < column->form[f].count; k++) {
            const char *start = column->form[f].unit[k].start;

            if (start && strncmp(text, start, strlen(start)) == 0)
                return true;
        }
    return false;
}

/* "recovery" of `spike_rec_pct`, where no other column has a word that begins so. */
static bool
is_only_short(const struct reader *reader, const char *text)
{
    unsigned found = 0;

    for (int i = 0; i < reader->frame->columns && found < 2; i++) {
        found += has_short(&reader->frame->column[i], text);
    }
    return found == 1;
}

/* Whether the name does not go on to say a kind of it: "defer" does not name
 * `defer_reason`. */
static bool
is_the_thing(const struct form *form, const struct unit *unit)
{
    for (const struct unit *next = unit + 1; next < form->unit + form->count; next++)
        if (next->is_kind)
            return false;
    return true;
}

/* "do" of "which zone do they", which is not that of `do_zone`. */
static bool
is_small_word(const struct reader *reader, const struct form *form,
              const struct unit *unit, size_t at)
{
    const struct word *word = &reader->words.at[at];
    const size_t which = (size_t)(unit - form->unit);

    if (form->count < 2 || word->end - word->begin > 2 || word->stem != unit->stem ||
        isupper((unsigned char)reader->question.data[word->begin]) ||
        lexicon_exact(reader->lexicon, &reader->words, at, 1) != TERM_FILLER)
        return false;
    return !(which + 1 < form->count && at + 1 < reader->words.count &&
             word[1].stem == form->unit[which + 1].stem);
}

/* "highest" of `TMax_C`: what is asked of it, and no part of its name. */
static bool
is_extreme(const struct reader *reader, size_t at)
{
    const enum term term = lexicon_exact(reader->lexicon, &reader->words, at, 1);

    return term == TERM_HIGH || term == TERM_LOW;
}

size_t
reader_match_unit(const struct reader *reader, const struct form *form,
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
    if (is_small_word(reader, form, unit, at))
        return 0;
    if (unit->stem && word->stem == unit->stem && word->kind != WORD_MARK) {
        *quality = word->corrected ? 0.95f : 1.0f;
        return 1;
    }
    if (unit->groups && share_group(unit, &reader->place[at], 1) &&
        !is_extreme(reader, at)) {
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
        const bool is_only =
            is_the_thing(form, unit) && is_only_short(reader, word->text);

        *quality = is_skeleton(unit->start, word->text) ? 0.95f
                   : !is_only                           ? 0.85f
                   : form->count == 1                   ? 0.89f /* which is said */
                                                        : 0.95f;
        return 1;
    }
    return 0;
}
