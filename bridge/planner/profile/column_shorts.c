/* What a word of a column's name is short for, where its unit tells. */
#include "bridge/planner/profile/profile_reader.h"

/* Of the lexicon: the short word, and what it stands for. */
static const struct {
    const char *word, *meaning;
    const char *units; /* that the name ends in; NULL: money */
} shorts[] = {
    {"short.degrees", "word.heat",   "word.degrees"},
    {"short.money",   "word.outlay", NULL          },
};

static bool
is_counted_in(const struct column *column, const struct lexicon *lexicon,
              const char *units)
{
    const struct words *words = &column->words;

    return units ? lexicon_lists(lexicon, units, words->at[words->count - 1].text)
                 : column_is_in_currency(column, lexicon);
}

enum {
    HEAD_LEAST = 4, /* letters */
    CODE_LEN = 3,   /* of "eur" */
};

/* "meur", "kusd" */
static bool
is_scaled_money(const struct lexicon *lexicon, const char *text)
{
    const size_t len = strlen(text);
    char scale[CODE_LEN] = {0};

    if (len <= CODE_LEN || len >= 2 * CODE_LEN ||
        !lexicon_lists(lexicon, "short.moneys", text + len - CODE_LEN))
        return false;
    memcpy(scale, text, len - CODE_LEN);
    return column_scale_word(lexicon, scale) > 0;
}

/* Where the last part of "categorycode" begins; 0: it is one word. */
static size_t
tail_of(const struct profile_reader *reader, const struct word *word)
{
    const struct lexicon *lexicon = reader->lexicon;
    const char *say = lexicon_say(lexicon, reader->arena, "short.tails", NULL, 0);
    const struct words tails = words_split(reader->arena, slice_of(say ? say : ""), 16);
    const size_t len = strlen(word->text);

    if (word->kind != WORD_TEXT || lexicon_knows(lexicon, word->stem))
        return 0;
    if (is_scaled_money(lexicon, word->text))
        return len - CODE_LEN;
    for (size_t i = 0; i < tails.count; i++) {
        const size_t tail = strlen(tails.at[i].text);

        if (len >= tail + HEAD_LEAST &&
            strcmp(word->text + len - tail, tails.at[i].text) == 0 &&
            lexicon_knows(lexicon, words_stem(word->text, len - tail)))
            return len - tail;
    }
    return 0;
}

/* "cardnumber" is read as "card number". */
static void
part_tails(const struct profile_reader *reader, struct words *words)
{
    for (size_t i = 0; i < words->count && words->count < COLUMN_WORDS_MAX; i++) {
        const size_t at = tail_of(reader, &words->at[i]);

        if (!at)
            continue;
        memmove(&words->at[i + 1], &words->at[i],
                (words->count - i) * sizeof(*words->at));
        words->count++;
        words->at[i].text = arena_text(reader->arena, words->at[i].text, at);
        words->at[i].stem = words_stem(words->at[i].text, at);
        words->at[i + 1].text += at;
        words->at[i + 1].stem =
            words_stem(words->at[i + 1].text, strlen(words->at[i + 1].text));
        i++;
    }
}

void
column_spell_out(const struct profile_reader *reader, struct column *column)
{
    const struct lexicon *lexicon = reader->lexicon;

    part_tails(reader, &column->words);
    for (size_t i = 0; i < COUNT_OF(shorts) && column->words.count > 1; i++) {
        const char *say =
            lexicon_say(lexicon, reader->arena, shorts[i].meaning, NULL, 0);
        const struct words full =
            words_split(reader->arena, slice_of(say ? say : ""), 2);

        if (full.count != 1 || !is_counted_in(column, lexicon, shorts[i].units))
            continue;
        for (size_t k = 0; k + 1 < column->words.count; k++) {
            struct word *word = &column->words.at[k];
            const bool is_last = lexicon_flags(lexicon, word[1].stem) & FLAG_UNIT ||
                                 column_scale_at(&column->words, lexicon, k + 1) > 0;

            if (!lexicon_lists(lexicon, shorts[i].word, word->text) ||
                (!shorts[i].units && !is_last)) /* `exp_sal_eur` is expected */
                continue;
            word->text = full.at->text;
            word->stem = full.at->stem;
        }
    }
}
