#include "bridge/planner/words/lexicon_table.h"

static struct lexicon_entry *
slot(struct lexicon_entry *table, size_t size, uint64_t hash)
{
    size_t at = hash & (size - 1);

    while (table[at].hash && table[at].hash != hash)
        at = (at + 1) & (size - 1);
    return &table[at];
}

const struct lexicon_entry *
lexicon_table_find(const struct lexicon *lexicon, uint64_t hash)
{
    const struct lexicon_entry *entry = slot(lexicon->table, lexicon->size, hash);

    return entry->hash ? entry : NULL;
}

void
lexicon_table_grow(struct lexicon *lexicon)
{
    size_t size = lexicon->size ? lexicon->size * 2 : 4096;
    struct lexicon_entry *table = xcalloc(size, sizeof(*table));

    for (size_t i = 0; i < lexicon->size; i++)
        if (lexicon->table[i].hash)
            *slot(table, size, lexicon->table[i].hash) = lexicon->table[i];
    free(lexicon->table);
    lexicon->table = table;
    lexicon->size = size;
}

struct lexicon_entry *
lexicon_table_enter(struct lexicon *lexicon, uint64_t hash)
{
    if (lexicon->used * 2 >= lexicon->size)
        lexicon_table_grow(lexicon);
    struct lexicon_entry *entry = slot(lexicon->table, lexicon->size, hash);

    if (!entry->hash) {
        entry->hash = hash;
        lexicon->used++;
    }
    return entry;
}

uint64_t
lexicon_table_fold(const struct word *at, size_t len)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < len; i++)
        hash = words_fold(hash, at[i].stem);
    return hash;
}

struct lexicon_entry *
lexicon_table_phrase(struct lexicon *lexicon, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->at[i].kind == WORD_TEXT) {
            struct lexicon_entry *word =
                lexicon_table_enter(lexicon, lexicon_table_fold(&words->at[i], 1));

            word->word = word->word ? word->word : words->at[i].text;
        }
    return lexicon_table_enter(lexicon, lexicon_table_fold(words->at, words->count));
}

uint64_t
lexicon_table_sentence(const char *key)
{
    return words_fold(words_exact(key), 1);
}
