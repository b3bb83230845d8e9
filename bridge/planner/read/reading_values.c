/* Which values of cells a question names. */
#include <ctype.h>

#include "bridge/planner/read/reader.h"

static const float KEY_LEAST = 0.45f;

/* "2022/23", "18-24": written without a space, numbers are one name. */
static bool
is_one_number(const struct reader *reader, size_t at)
{
    const struct word *word = &reader->words.at[at];

    return word[0].kind == WORD_NUMBER && word[1].kind == WORD_MARK &&
           word[2].kind == WORD_NUMBER && strchr("/-", word[1].text[0]) &&
           word[0].end == word[1].begin && word[1].end == word[2].begin;
}

/* Single letters are values only where they are written large: "R rated". */
static bool
may_be_value(const struct reader *reader, size_t at, size_t len)
{
    const struct word *word = &reader->words.at[at];

    if (len > 1) {
        bool has_text = len == 3 && is_one_number(reader, at);

        for (size_t i = at; i < at + len; i++)
            has_text |= reader->words.at[i].kind == WORD_TEXT;
        return has_text && word->kind != WORD_MARK &&
               reader->words.at[at + len - 1].kind != WORD_MARK;
    }
    if (word->kind == WORD_MARK || word->kind == WORD_NUMBER)
        return false;
    return word->end - word->begin > 1 ||
           (isupper((unsigned char)reader->question.data[word->begin]) && at > 0 &&
            (*word->text != 'a' || reader->has_small_letters) && *word->text != 'i') ||
           word->quote;
}

static int
find_synonym(const struct reader *reader, size_t at, size_t len)
{
    for (unsigned i = 0; len <= GROUP_SPAN_MAX && i < reader->place[at].groups[len - 1];
         i++) {
        unsigned group = reader->place[at].group[len - 1][i];
        size_t count;
        const char *const *phrase = lexicon_group(reader->lexicon, group, &count);

        if (!lexicon_is_of_values(reader->lexicon, group))
            continue;
        for (size_t k = 0; k < count; k++) {
            int found = frame_find_value(reader->frame, words_squash(0, phrase[k]));

            if (found >= 0)
                return found;
        }
    }
    return -1;
}

/* "French" may be said of "France", and "sedans" of "sedan". */
int
reader_find_value(const struct reader *reader, size_t at, size_t len, float *quality)
{
    uint64_t hash = 0;

    if (!may_be_value(reader, at, len))
        return -1;
    for (size_t i = at; i < at + len; i++)
        hash = words_squash(hash, reader->words.at[i].text);
    *quality = 1;
    int found = frame_find_value(reader->frame, hash);
    if (found >= 0)
        return found;
    *quality = len > 1 ? 0.995f : 0.93f; /* "no-shows": by chance it is one of both */
    const char *last = reader->words.at[at + len - 1].text;
    size_t size = strlen(last);
    if ((size > 3 || (size > 2 && len > 1)) && last[size - 1] == 's') {
        hash = 0;
        for (size_t i = at; i + 1 < at + len; i++)
            hash = words_squash(hash, reader->words.at[i].text);
        char *cut = arena_text(reader->arena, last, size - 1);
        found = frame_find_value(reader->frame, words_squash(hash, cut));
    }
    if (found < 0 && len == 1 && size > 4 && last[size - 1] != 's') /* "platelet" */
        found = frame_find_value(
            reader->frame, words_squash(0, arena_printf(reader->arena, "%ss", last)));
    return found >= 0 ? found : find_synonym(reader, at, len);
}

bool
reader_is_reducing(enum term term)
{
    static const enum term terms[] = {TERM_MEAN, TERM_MEDIAN,    TERM_SUM,
                                      TERM_MAX,  TERM_MIN,       TERM_HIGH,
                                      TERM_LOW,  TERM_CUMULATIVE};
    bool is_one = false;

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        is_one |= term == terms[i];
    return is_one;
}

bool
reader_is_reduced(const struct reader *reader, size_t at)
{
    while (at-- > 0) {
        enum term term = lexicon_exact(reader->lexicon, &reader->words, at, 1);

        if (term != TERM_FILLER && term != TERM_OF)
            return reader_is_reducing(term);
    }
    return false;
}

bool
reader_is_measured_there(const struct reader *reader, size_t at,
                         const struct span *span)
{
    const bool is_number =
        span->links && span->link[0].score >= 0.6f &&
        reader->frame->column[span->link[0].column].role == ROLE_QUANTITY;
    const bool is_behind_unit =
        at > 1 &&
        lexicon_exact(reader->lexicon, &reader->words, at - 1, 1) == TERM_OF &&
        lexicon_flags(reader->lexicon, reader->words.at[at - 2].stem) & FLAG_UNIT;

    return is_number && (is_behind_unit || reader_is_reduced(reader, at));
}

bool
reader_is_key_there(const struct reader *reader, size_t at, const struct span *span)
{
    const enum term before =
        at ? lexicon_exact(reader->lexicon, &reader->words, at - 1, 1) : TERM_NONE;

    bool is_key = false;

    for (unsigned i = 0; i < span->links; i++)
        is_key |= span->link[i].score >= KEY_LEAST &&
                  reader->frame->column[span->link[i].column].role == ROLE_NOMINAL;
    return is_key && (before == TERM_BY || before == TERM_PER || before == TERM_EACH ||
                      before == TERM_WHICH);
}
