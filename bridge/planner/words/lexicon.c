#include <strings.h>

#include "bridge/planner/words/lexicon_table.h"
#include "bridge/planner/words/likeness.h"

enum {
    SHORT_LEAST = 3, /* letters that begin a word */
};

enum term
lexicon_exact(const struct lexicon *lexicon, const struct words *words, size_t at,
              size_t len)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_fold(&words->at[at], len));

    return entry ? entry->term : TERM_NONE;
}

enum term
lexicon_term(const struct lexicon *lexicon, const struct words *words, size_t at,
             size_t *len)
{
    size_t most = words->count - at;

    most = most < LEXICON_PHRASE_MAX ? most : LEXICON_PHRASE_MAX;
    for (*len = most; *len > 0; --*len) {
        enum term term = lexicon_exact(lexicon, words, at, *len);

        if (term != TERM_NONE)
            return term;
    }
    return TERM_NONE;
}

size_t
lexicon_groups(const struct lexicon *lexicon, const struct word *at, size_t len,
               unsigned *groups, size_t max)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_fold(at, len));
    size_t count = 0;

    for (unsigned i = 0; entry && i < entry->groups && count < max; i++)
        groups[count++] = entry->group[i];
    return count;
}

bool
lexicon_is_of_values(const struct lexicon *lexicon, unsigned group)
{
    return lexicon->group[group].is_of_values;
}

const char *const *
lexicon_group(const struct lexicon *lexicon, unsigned group, size_t *count)
{
    *count = lexicon->group[group].count;
    return lexicon->group[group].phrase;
}

unsigned
lexicon_flags(const struct lexicon *lexicon, uint64_t stem)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, words_fold(0, stem));

    return entry ? entry->flags : 0;
}

const struct words *
lexicon_expansion(const struct lexicon *lexicon, uint64_t stem)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, words_fold(0, stem));

    return entry ? entry->expansion : NULL;
}

bool
lexicon_stands_for(const struct lexicon *lexicon, uint64_t word, uint64_t stem)
{
    if (word == stem)
        return true;
    const struct words *full = lexicon_expansion(lexicon, word);
    return full && full->count == 1 && full->at[0].stem == stem;
}

const char *
lexicon_opposite(const struct lexicon *lexicon, uint64_t stem)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, words_fold(0, stem));

    return entry && entry->opposite ? entry->opposite->at[0].text : NULL;
}

const char *
lexicon_formula(const struct lexicon *lexicon, const struct word *at, size_t len,
                unsigned nth)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_fold(at, len));

    return entry && nth < entry->formulas ? entry->formula[nth] : NULL;
}

struct placed {
    const char *text;
    unsigned place;
};

static int
by_place(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;

    return (int)left->place - (int)right->place;
}

const char **
lexicon_ordinal(const struct lexicon *lexicon, struct arena *arena, json_t *values,
                size_t *count)
{
    struct placed placed[16];
    unsigned order = 0;
    size_t at;
    json_t *value;

    *count = json_array_size(values);
    if (*count < 2 || *count > COUNT_OF(placed))
        return NULL;
    json_array_foreach (values, at, value) {
        struct words words = words_split(arena, slice_of(json_string_value(value)), 8);
        const struct lexicon_entry *entry =
            words.count
                ? lexicon_table_find(lexicon, lexicon_table_fold(words.at, words.count))
                : NULL;

        if (!entry || !entry->order || (order && entry->order != order))
            return NULL;
        order = entry->order;
        placed[at] = (struct placed){json_string_value(value), entry->place};
    }
    qsort(placed, *count, sizeof(placed[0]), by_place);
    const char **names = arena_alloc(arena, *count, sizeof(*names));
    for (size_t i = 0; i < *count; i++)
        names[i] = placed[i].text;
    return names;
}

bool
lexicon_knows(const struct lexicon *lexicon, uint64_t stem)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, words_fold(0, stem));

    return entry && (entry->word || entry->term != TERM_NONE);
}

const char *
lexicon_spelling(const struct lexicon *lexicon, const char *text)
{
    const char *nearest = NULL;
    unsigned fewest = 0;

    if (strlen(text) < 6)
        return NULL;
    for (size_t i = 0; i < lexicon->size; i++) {
        const char *word = lexicon->table[i].word;

        if (!word || word[0] != text[0])
            continue; /* nearly always, and fast: nobody slips on the first letter */
        const unsigned slips = likeness_slips(text, word);
        if (slips && (!nearest || slips < fewest ||
                      (slips == fewest && strcmp(word, nearest) < 0))) {
            nearest = word;
            fewest = slips;
        }
    }
    return nearest;
}

static const struct lexicon_entry *
longest_rewrite(const struct lexicon *lexicon, const struct words *words, size_t at,
                size_t *len)
{
    size_t most = words->count - at;

    most = most < LEXICON_PHRASE_MAX ? most : LEXICON_PHRASE_MAX;
    for (*len = most; *len > 0; --*len) {
        const struct lexicon_entry *entry =
            lexicon_table_find(lexicon, lexicon_table_fold(&words->at[at], *len));

        if (entry && entry->rewrite)
            return entry;
    }
    *len = 1;
    return NULL;
}

const struct words *
lexicon_rank(const struct lexicon *lexicon, const struct words *words, size_t at,
             size_t *len)
{
    size_t most = words->count - at;

    most = most < LEXICON_PHRASE_MAX ? most : LEXICON_PHRASE_MAX;
    for (*len = most; *len > 0; --*len) {
        const struct lexicon_entry *entry =
            lexicon_table_find(lexicon, lexicon_table_fold(&words->at[at], *len));

        if (entry && entry->rank)
            return entry->rank;
    }
    return NULL;
}

struct words
lexicon_rewrite(const struct lexicon *lexicon, struct arena *arena,
                const struct words *words)
{
    struct words out = {arena_alloc(arena, WORDS_MAX, sizeof(*out.at)), 0};
    size_t len;

    for (size_t at = 0; at < words->count && out.count < WORDS_MAX; at += len) {
        const struct lexicon_entry *entry = longest_rewrite(lexicon, words, at, &len);

        if (!entry) {
            out.at[out.count++] = words->at[at];
            continue;
        }
        for (size_t i = 0; i < entry->rewrite->count && out.count < WORDS_MAX; i++) {
            out.at[out.count] = entry->rewrite->at[i];
            out.at[out.count].begin = words->at[at].begin;
            out.at[out.count].quote = words->at[at].quote;
            out.at[out.count++].end = words->at[at + len - 1].end;
        }
    }
    return out;
}

bool
lexicon_lists(const struct lexicon *lexicon, const char *key, const char *word)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_sentence(key));
    const char *at = entry && entry->sentence ? entry->sentence : "";
    size_t len = strlen(word);

    if (!strstr(at, word)) /* nearly always, and fast */
        return false;
    while (*at) {
        size_t size = strcspn(at, " ");

        if (size == len && strncmp(at, word, len) == 0)
            return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

bool
lexicon_lists_stem(const struct lexicon *lexicon, const char *key, uint64_t stem)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_sentence(key));
    const char *at = entry && entry->sentence ? entry->sentence : "";

    while (*at) {
        const size_t size = strcspn(at, " ");

        if (size && words_stem(at, size) == stem)
            return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

bool
lexicon_is_short_for(const struct lexicon *lexicon, const char *name, const char *word)
{
    const size_t len = strlen(name);

    return len >= SHORT_LEAST && strlen(word) > len + 2 &&
           strncasecmp(word, name, len) == 0 &&
           !lexicon_knows(lexicon, words_stem(name, len));
}

enum {
    FORM_MOST = 31, /* letters */
};

bool
lexicon_is_form(const struct lexicon *lexicon, const char *word, const char *form)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_sentence("word.forms"));
    const char *at = entry && entry->sentence ? entry->sentence : "";
    const size_t len = strlen(word);
    char one[FORM_MOST + 1]; /* "sale" of "sales" */

    if (len > FORM_MOST)
        return false;
    memcpy(one, word, len + 1);
    if (len > 3 && one[len - 1] == 's')
        one[len - 1] = '\0';
    if (!strstr(at, one))
        return false;
    while (*at) {
        size_t size = strcspn(at, " ");
        const char *second = at + size + strspn(at + size, " ");
        size_t other = strcspn(second, " ");

        if ((size == len || size == strlen(one)) && strncmp(at, word, size) == 0 &&
            other == strlen(form) && strncasecmp(second, form, other) == 0)
            return true;
        at = second + other + strspn(second + other, " ");
    }
    return false;
}

char *
lexicon_say(const struct lexicon *lexicon, struct arena *arena, const char *key,
            const char *const *args, size_t count)
{
    const struct lexicon_entry *entry =
        lexicon_table_find(lexicon, lexicon_table_sentence(key));
    const char *at = entry && entry->sentence ? entry->sentence : key;
    char *text = arena_text(arena, "", 0);

    while (*at) {
        size_t plain = strcspn(at, "{");
        size_t which = at[plain] ? (size_t)(at[plain + 1] - '0') : 0;

        text = arena_printf(arena, "%s%.*s", text, (int)plain, at);
        at += plain;
        if (!*at)
            break;
        if (which < count && at[1] && at[2] == '}') {
            text = arena_printf(arena, "%s%s", text, args[which]);
            at += 3;
        } else {
            text = arena_printf(arena, "%s{", text);
            at++;
        }
    }
    return text;
}
