/* "1.5 million", "a thousand", "half a million": one number. */
#include "bridge/planner/read/reader.h"

static double
scale_of(const struct reader *reader, const struct word *word)
{
    static const struct {
        const char *list;
        double scale;
    } scales[] = {
        {"word.thousands", 1e3},
        {"word.millions",  1e6},
        {"word.billions",  1e9},
    };

    for (size_t i = 0; i < COUNT_OF(scales); i++)
        if (word->kind == WORD_TEXT &&
            lexicon_lists(reader->lexicon, scales[i].list, word->text))
            return scales[i].scale;
    return 0;
}

static bool
is_listed(const struct reader *reader, size_t before, size_t at, const char *list)
{
    return before <= at && reader->words.at[at - before].kind == WORD_TEXT &&
           lexicon_lists(reader->lexicon, list, reader->words.at[at - before].text);
}

/* How many of the words before a scale belong to the number, and what they multiply it
 * by. With none before it, as in "millions of rows", it is not a number. */
static size_t
count_before(const struct reader *reader, size_t at, double *times)
{
    const struct word *before = &reader->words.at[at - (at > 0)];
    const bool is_once = is_listed(reader, 1, at, "word.once");

    if (at > 0 && before->kind == WORD_NUMBER) {
        *times = before->number;
        return 1;
    }
    if (is_listed(reader, 1 + is_once, at, "word.half")) {
        *times = 0.5;
        return 1 + is_once;
    }
    *times = 1;
    return is_once;
}

void
reader_join_scales(struct reader *reader)
{
    struct words *words = &reader->words;
    size_t kept = 0;

    for (size_t i = 0; i < words->count; i++) {
        double times, scale = scale_of(reader, &words->at[i]);
        const struct word word = words->at[i];

        words->at[kept] = word;
        size_t before = scale > 0 ? count_before(reader, kept, &times) : 0;
        kept -= before;
        if (before) {
            struct word *joined = &words->at[kept];
            joined->kind = WORD_NUMBER;
            joined->number = times * scale;
            joined->end = word.end;
            joined->text = arena_printf(reader->arena, "%.12g", joined->number);
            joined->stem = words_stem(joined->text, strlen(joined->text));
        }
        kept++;
    }
    words->count = kept;
}
