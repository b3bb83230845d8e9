#include "bridge/planner/words/lexicon.h"

#include <errno.h>
#include <stdio.h>

#include "common/utf8.h"

enum {
    LINE_MAX_BYTES = 16 << 10,
    GROUPS_PER_PHRASE = 6,
    FORMULAS_MAX = 4,
};

/* Open addressing by hash; phrases, words and rules are all kept in one. */
struct entry {
    uint64_t hash;
    enum term term;
    unsigned flags;
    unsigned group[GROUPS_PER_PHRASE];
    unsigned groups;
    struct words *expansion; /* of an abbreviation */
    struct words *rewrite;   /* of a phrase */
    struct words *rank;      /* of a superlative */
    const char *word;        /* when a single word: its text */
    const char *sentence;
    const char *formula[FORMULAS_MAX]; /* that a measure's name stands for */
    unsigned formulas;
    unsigned order, place; /* among the words of an ordinal line; 0: none */
};

struct group {
    const char **phrase;
    size_t count;
    bool is_of_values; /* names of things in cells, not of columns */
};

struct lexicon {
    struct arena arena;
    struct entry *table;
    size_t used, size;
    struct group *group;
    size_t groups, group_room;
    unsigned orders;
};

static const struct {
    const char *name;
    enum term term;
} term_names[] = {
#define X(name) {#name, TERM_##name},
    TERMS(X)
#undef X
};

static const struct {
    const char *name;
    enum lexicon_flag flag;
} flag_names[] = {
    {"generic",   FLAG_GENERIC  },
    {"key",       FLAG_KEY      },
    {"label",     FLAG_LABEL    },
    {"additive",  FLAG_ADDITIVE },
    {"intensive", FLAG_INTENSIVE},
    {"time",      FLAG_TIME     },
    {"light",     FLAG_LIGHT    },
    {"year",      FLAG_YEAR     },
    {"code",      FLAG_CODE     },
    {"vague",     FLAG_VAGUE    },
    {"judging",   FLAG_JUDGING  },
    {"bad",       FLAG_BAD      },
    {"rows",      FLAG_ROWS     },
    {"draw",      FLAG_DRAW     },
    {"birth",     FLAG_BIRTH    },
};

/* --- the table --- */

static struct entry *
slot(struct entry *table, size_t size, uint64_t hash)
{
    size_t at = hash & (size - 1);

    while (table[at].hash && table[at].hash != hash)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static const struct entry *
find(const struct lexicon *lexicon, uint64_t hash)
{
    const struct entry *entry = slot(lexicon->table, lexicon->size, hash);

    return entry->hash ? entry : NULL;
}

static void
grow(struct lexicon *lexicon)
{
    size_t size = lexicon->size ? lexicon->size * 2 : 4096;
    struct entry *table = xcalloc(size, sizeof(*table));

    for (size_t i = 0; i < lexicon->size; i++)
        if (lexicon->table[i].hash)
            *slot(table, size, lexicon->table[i].hash) = lexicon->table[i];
    free(lexicon->table);
    lexicon->table = table;
    lexicon->size = size;
}

static struct entry *
enter(struct lexicon *lexicon, uint64_t hash)
{
    if (lexicon->used * 2 >= lexicon->size)
        grow(lexicon);
    struct entry *entry = slot(lexicon->table, lexicon->size, hash);

    if (!entry->hash) {
        entry->hash = hash;
        lexicon->used++;
    }
    return entry;
}

static uint64_t
fold(const struct word *at, size_t len)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < len; i++)
        hash = words_fold(hash, at[i].stem);
    return hash;
}

static struct entry *
enter_phrase(struct lexicon *lexicon, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->at[i].kind == WORD_TEXT) {
            struct entry *word = enter(lexicon, fold(&words->at[i], 1));

            word->word = word->word ? word->word : words->at[i].text;
        }
    return enter(lexicon, fold(words->at, words->count));
}

/* --- the file --- */

struct line {
    struct lexicon *lexicon;
    const char *arg;      /* what stands before the colon, after the kind */
    struct words words;   /* of one phrase */
    struct words meaning; /* after '>' */
    const char *phrase, *meant;
    unsigned place; /* of an ordinal */
    struct error *err;
};

static int
add_term(struct line *line)
{
    for (size_t i = 0; i < COUNT_OF(term_names); i++)
        if (strcmp(term_names[i].name, line->arg) == 0) {
            struct entry *entry = enter_phrase(line->lexicon, &line->words);

            if (entry->term != TERM_NONE)
                return error_set(line->err, ERR_BAD_INPUT,
                                 "\"%.60s\" has a term already", line->phrase);
            entry->term = term_names[i].term;
            return 0;
        }
    return error_set(line->err, ERR_BAD_INPUT, "no such term: %.60s", line->arg);
}

static int
add_flag(struct line *line)
{
    for (size_t i = 0; i < COUNT_OF(flag_names); i++)
        if (strcmp(flag_names[i].name, line->arg) == 0) {
            enter_phrase(line->lexicon, &line->words)->flags |= flag_names[i].flag;
            return 0;
        }
    return error_set(line->err, ERR_BAD_INPUT, "no such flag: %.60s", line->arg);
}

static struct words *
keep(struct lexicon *lexicon, struct words words)
{
    struct words *kept = arena_alloc(&lexicon->arena, 1, sizeof(*kept));

    *kept = words;
    return kept;
}

static int
add_short(struct line *line)
{
    if (!line->meaning.count)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s stands for nothing",
                         line->phrase);
    struct entry *entry = enter_phrase(line->lexicon, &line->words);
    entry->expansion = keep(line->lexicon, line->meaning);
    enter_phrase(line->lexicon, &line->meaning);
    return 0;
}

static int
add_rewrite(struct line *line)
{
    if (!line->meaning.count)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s means nothing", line->phrase);
    struct entry *entry = enter_phrase(line->lexicon, &line->words);
    entry->rewrite = keep(line->lexicon, line->meaning);
    enter_phrase(line->lexicon, &line->meaning);
    return 0;
}

static int
add_rank(struct line *line)
{
    if (line->meaning.count < 2)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s ranks by nothing",
                         line->phrase);
    enter_phrase(line->lexicon, &line->words)->rank =
        keep(line->lexicon, line->meaning);
    return 0;
}

static int
add_synonym(struct line *line)
{
    struct lexicon *lexicon = line->lexicon;
    struct entry *entry = enter_phrase(lexicon, &line->words);
    struct group *group = &lexicon->group[lexicon->groups - 1];

    if (entry->groups == GROUPS_PER_PHRASE)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s is in too many groups",
                         line->phrase);
    entry->group[entry->groups++] = (unsigned)lexicon->groups - 1;
    group->phrase =
        xrealloc(group->phrase, (group->count + 1) * sizeof(*group->phrase));
    group->phrase[group->count++] = line->phrase;
    return 0;
}

static int
add_formula(struct line *line)
{
    struct entry *entry = enter_phrase(line->lexicon, &line->words);

    if (!line->meaning.count || entry->formulas == FORMULAS_MAX)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s has no formula",
                         line->phrase);
    enter_phrase(line->lexicon, &line->meaning);
    entry->formula[entry->formulas++] = line->meant;
    return 0;
}

static int
add_ordinal(struct line *line)
{
    struct entry *entry = enter_phrase(line->lexicon, &line->words);

    if (entry->order)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s has an order already",
                         line->phrase);
    entry->order = line->lexicon->orders;
    entry->place = ++line->place;
    return 0;
}

static void
begin_group(struct lexicon *lexicon, bool is_of_values)
{
    if (lexicon->groups == lexicon->group_room) {
        lexicon->group_room = lexicon->group_room ? 2 * lexicon->group_room : 64;
        lexicon->group =
            xrealloc(lexicon->group, lexicon->group_room * sizeof(*lexicon->group));
    }
    lexicon->group[lexicon->groups++] = (struct group){.is_of_values = is_of_values};
}

static uint64_t
sentence_hash(const char *key)
{
    return words_fold(words_squash(0, key), 1);
}

static const struct kind {
    const char *name;
    int (*add)(struct line *line);
    bool has_meaning; /* "phrase > words" */
} kinds[] = {
    {"term",    add_term,    false},
    {"flag",    add_flag,    false},
    {"alike",   add_synonym, false},
    {"same",    add_synonym, false},
    {"short",   add_short,   true },
    {"means",   add_rewrite, true },
    {"rank",    add_rank,    true },
    {"formula", add_formula, true },
    {"ordinal", add_ordinal, false},
};

static char *
trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    for (size_t len = strlen(text); len && strchr(" \t\r\n", text[len - 1]);)
        text[--len] = '\0';
    return text;
}

static int
add_phrase(struct line *line, const struct kind *kind, char *text)
{
    struct arena *arena = &line->lexicon->arena;
    char *meaning = kind->has_meaning ? strstr(text, " > ") : NULL;

    line->meaning = (struct words){0};
    if (meaning) {
        *meaning = '\0';
        line->meant = arena_text(arena, trim(meaning + 3), strlen(trim(meaning + 3)));
        line->meaning = words_split(arena, slice_of(trim(meaning + 3)), WORDS_MAX);
    }
    text = trim(text);
    line->phrase = arena_text(arena, text, strlen(text));
    line->words = words_split(arena, slice_of(line->phrase), WORDS_MAX);
    if (line->words.count == 0 || line->words.count > LEXICON_PHRASE_MAX)
        return error_set(line->err, ERR_BAD_INPUT, "phrase of %zu words: %.60s",
                         line->words.count, text);
    return kind->add(line);
}

static int
add_phrases(struct line *line, const struct kind *kind, char *text)
{
    if (kind->add == add_synonym)
        begin_group(line->lexicon, strcmp(kind->name, "alike") == 0);
    for (char *rest = text, *phrase; (phrase = strsep(&rest, "|"));)
        if (*trim(phrase) && add_phrase(line, kind, phrase) < 0)
            return -1;
    return 0;
}

static int
add_line(struct lexicon *lexicon, char *text, struct error *err)
{
    char *colon = strstr(text, ": ");

    if (!*text || *text == ';')
        return 0;
    if (!colon)
        return error_set(err, ERR_BAD_INPUT, "no colon");
    *colon = '\0';
    char *arg = strchr(text, ' ');
    if (arg)
        *arg++ = '\0';
    if (strcmp(text, "say") == 0 && arg) {
        char *sentence = trim(colon + 2);

        enter(lexicon, sentence_hash(arg))->sentence =
            arena_text(&lexicon->arena, sentence, strlen(sentence));
        return 0;
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].name, text) == 0) {
            struct line line = {.lexicon = lexicon, .arg = arg ? arg : "", .err = err};

            lexicon->orders += kinds[i].add == add_ordinal;

            return add_phrases(&line, &kinds[i], colon + 2);
        }
    return error_set(err, ERR_BAD_INPUT, "no such kind: %.60s", text);
}

static int
read_lines(struct lexicon *lexicon, FILE *file, struct error *err)
{
    char text[LINE_MAX_BYTES];

    for (unsigned number = 1; fgets(text, sizeof(text), file); number++) {
        if (!utf8_is_valid(slice_of(text)))
            return error_set(err, ERR_BAD_INPUT, "line %u: not UTF-8", number);
        if (add_line(lexicon, trim(text), err) < 0)
            return error_wrap(err, "line %u", number);
    }
    return 0;
}

static void
auto_file(FILE **file)
{
    if (*file)
        fclose(*file);
}

struct lexicon *
lexicon_load(const char *path, struct error *err)
{
    AUTO(file) FILE *file = fopen(path, "re");
    AUTO(lexicon) struct lexicon *lexicon = xcalloc(1, sizeof(*lexicon));

    grow(lexicon);
    if (!file) {
        error_format_sys(err, "lexicon %s", path);
        return NULL;
    }
    if (read_lines(lexicon, file, err) < 0) {
        error_prefix(err, "lexicon %s", path);
        return NULL;
    }
    return TAKE(lexicon);
}

void
lexicon_free(struct lexicon *lexicon)
{
    if (!lexicon)
        return;
    for (size_t i = 0; i < lexicon->groups; i++)
        free(lexicon->group[i].phrase);
    free(lexicon->group);
    free(lexicon->table);
    arena_release(&lexicon->arena);
    free(lexicon);
}

/* --- looking up --- */

enum term
lexicon_exact(const struct lexicon *lexicon, const struct words *words, size_t at,
              size_t len)
{
    const struct entry *entry = find(lexicon, fold(&words->at[at], len));

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
    const struct entry *entry = find(lexicon, fold(at, len));
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
    const struct entry *entry = find(lexicon, words_fold(0, stem));

    return entry ? entry->flags : 0;
}

const struct words *
lexicon_expansion(const struct lexicon *lexicon, uint64_t stem)
{
    const struct entry *entry = find(lexicon, words_fold(0, stem));

    return entry ? entry->expansion : NULL;
}

const char *
lexicon_formula(const struct lexicon *lexicon, const struct word *at, size_t len,
                unsigned nth)
{
    const struct entry *entry = find(lexicon, fold(at, len));

    return entry && nth < entry->formulas ? entry->formula[nth] : NULL;
}

/* --- orders --- */

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
        const struct entry *entry =
            words.count ? find(lexicon, fold(words.at, words.count)) : NULL;

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
    const struct entry *entry = find(lexicon, words_fold(0, stem));

    return entry && (entry->word || entry->term != TERM_NONE);
}

const char *
lexicon_spelling(const struct lexicon *lexicon, const char *text)
{
    if (strlen(text) < 6)
        return NULL;
    for (size_t i = 0; i < lexicon->size; i++)
        if (lexicon->table[i].word && words_is_slip(text, lexicon->table[i].word))
            return lexicon->table[i].word;
    return NULL;
}

static const struct entry *
longest_rewrite(const struct lexicon *lexicon, const struct words *words, size_t at,
                size_t *len)
{
    size_t most = words->count - at;

    most = most < LEXICON_PHRASE_MAX ? most : LEXICON_PHRASE_MAX;
    for (*len = most; *len > 0; --*len) {
        const struct entry *entry = find(lexicon, fold(&words->at[at], *len));

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
        const struct entry *entry = find(lexicon, fold(&words->at[at], *len));

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
        const struct entry *entry = longest_rewrite(lexicon, words, at, &len);

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

/* --- sentences --- */

char *
lexicon_say(const struct lexicon *lexicon, struct arena *arena, const char *key,
            const char *const *args, size_t count)
{
    const struct entry *entry = find(lexicon, sentence_hash(key));
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
