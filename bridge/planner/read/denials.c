/* "unsold" of a column `sold` becomes "not sold". */
#include "bridge/planner/read/reader.h"
#include "bridge/planner/words/likeness.h"

enum {
    DENIED_LEAST = 4, /* letters of what is denied */
};

/* The table has the word as it is: in a name, or in a cell. */
static bool
is_in_table(const struct reader *reader, const struct word *word)
{
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct words *words = &reader->frame->column[i].words;

        for (size_t k = 0; k < words->count; k++)
            if (words->at[k].stem == word->stem)
                return true;
    }
    return frame_find_value(reader->frame, words_squash(0, word->text)) >= 0;
}

/* "sold", "reported": a verb that rows differ by, or a column's. */
static bool
may_be_denied(const struct reader *reader, const struct word *word)
{
    if (lexicon_flags(reader->lexicon, word->stem) & FLAG_VERBAL)
        return true;
    if (!words_ends_in_ed(word->text))
        return false;
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct words *words = &reader->frame->column[i].words;

        for (size_t k = 0; k < words->count; k++)
            if (words->at[k].stem == word->stem ||
                likeness_is_inflected(words->at[k].text, word->text) ||
                likeness_is_event(words->at[k].text, word->text))
                return true;
    }
    return frame_find_value(reader->frame, words_squash(0, word->text)) >= 0 ||
           lexicon_knows(reader->lexicon, word->stem);
}

void
reader_split_denials(struct reader *reader)
{
    const char *prefix =
        lexicon_say(reader->lexicon, reader->arena, "word.un", NULL, 0);
    const char *text = lexicon_say(reader->lexicon, reader->arena, "word.not", NULL, 0);
    const size_t len = prefix ? strlen(prefix) : 0;

    for (size_t at = 0; len && text && at < reader->words.count; at++) {
        struct word *word = &reader->words.at[at], denied = *word;

        if (word->kind != WORD_TEXT || reader->words.count == WORDS_MAX ||
            strncmp(word->text, prefix, len) != 0 ||
            strlen(word->text) < len + DENIED_LEAST ||
            lexicon_knows(reader->lexicon, word->stem) || is_in_table(reader, word))
            continue;
        denied.text += len;
        denied.stem = words_stem(denied.text, strlen(denied.text));
        if (!may_be_denied(reader, &denied))
            continue;
        memmove(word + 1, word, (reader->words.count - at) * sizeof(*word));
        reader->words.count++;
        word->text = words_split(reader->arena, slice_of(text), 1).at->text;
        word->stem = words_stem(word->text, strlen(word->text));
        word[1] = denied;
        at++;
    }
}
