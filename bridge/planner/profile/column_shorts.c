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

void
column_spell_out(const struct profile_reader *reader, struct column *column)
{
    const struct lexicon *lexicon = reader->lexicon;

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
