/* A lexicon from its file. */
#include "bridge/planner/words/lexicon_table.h"

#include <errno.h>
#include <stdio.h>

#include "common/utf8.h"

enum {
    LINE_MAX_BYTES = 16 << 10,
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
    {"tail",      FLAG_TAIL     },
    {"side",      FLAG_SIDE     },
    {"seconds",   FLAG_SECONDS  },
    {"minutes",   FLAG_MINUTES  },
    {"hours",     FLAG_HOURS    },
    {"days",      FLAG_DAYS     },
    {"weeks",     FLAG_WEEKS    },
    {"months",    FLAG_MONTHS   },
    {"years",     FLAG_YEARS    },
    {"unit",      FLAG_UNIT     },
    {"verbal",    FLAG_VERBAL   },
    {"who",       FLAG_WHO      },
    {"trait",     FLAG_TRAIT    },
    {"person",    FLAG_PERSON   },
    {"state",     FLAG_STATE    },
    {"event",     FLAG_EVENT    },
};

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
            struct lexicon_entry *entry =
                lexicon_table_phrase(line->lexicon, &line->words);

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
            lexicon_table_phrase(line->lexicon, &line->words)->flags |=
                flag_names[i].flag;
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
    struct lexicon_entry *entry = lexicon_table_phrase(line->lexicon, &line->words);
    entry->expansion = keep(line->lexicon, line->meaning);
    lexicon_table_phrase(line->lexicon, &line->meaning);
    return 0;
}

static int
add_rewrite(struct line *line)
{
    if (!line->meaning.count)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s means nothing", line->phrase);
    struct lexicon_entry *entry = lexicon_table_phrase(line->lexicon, &line->words);
    entry->rewrite = keep(line->lexicon, line->meaning);
    lexicon_table_phrase(line->lexicon, &line->meaning);
    return 0;
}

static int
add_rank(struct line *line)
{
    if (line->meaning.count < 2)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s ranks by nothing",
                         line->phrase);
    lexicon_table_phrase(line->lexicon, &line->words)->rank =
        keep(line->lexicon, line->meaning);
    return 0;
}

enum {
    CODE_MOST = 3, /* letters of "deu" */
};

static int
add_synonym(struct line *line)
{
    struct lexicon *lexicon = line->lexicon;
    struct lexicon_group *group = &lexicon->group[lexicon->groups - 1];
    const bool is_code = group->is_of_values && line->words.count == 1 &&
                         strlen(line->words.at[0].text) <= CODE_MOST;
    /* codes of cells are no words that a column's name could not be short for */
    struct lexicon_entry *entry =
        is_code ? lexicon_table_enter(lexicon, lexicon_table_fold(line->words.at, 1))
                : lexicon_table_phrase(lexicon, &line->words);

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
    struct lexicon_entry *entry = lexicon_table_phrase(line->lexicon, &line->words);

    if (!line->meaning.count || entry->formulas == FORMULAS_MAX)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s has no formula",
                         line->phrase);
    lexicon_table_phrase(line->lexicon, &line->meaning);
    entry->formula[entry->formulas++] = line->meant;
    return 0;
}

static int
add_opposite(struct line *line)
{
    if (!line->meaning.count)
        return error_set(line->err, ERR_BAD_INPUT, "%.60s has no opposite",
                         line->phrase);
    lexicon_table_phrase(line->lexicon, &line->words)->opposite =
        keep(line->lexicon, line->meaning);
    lexicon_table_phrase(line->lexicon, &line->meaning);
    return 0;
}

static int
add_ordinal(struct line *line)
{
    struct lexicon_entry *entry = lexicon_table_phrase(line->lexicon, &line->words);

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
    lexicon->group[lexicon->groups++] =
        (struct lexicon_group){.is_of_values = is_of_values};
}

static const struct kind {
    const char *name;
    int (*add)(struct line *line);
    bool has_meaning; /* "phrase > words" */
} kinds[] = {
    {"term",     add_term,     false},
    {"flag",     add_flag,     false},
    {"alike",    add_synonym,  false},
    {"same",     add_synonym,  false},
    {"short",    add_short,    true },
    {"means",    add_rewrite,  true },
    {"rank",     add_rank,     true },
    {"formula",  add_formula,  true },
    {"ordinal",  add_ordinal,  false},
    {"opposite", add_opposite, true },
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
        const char **said =
            &lexicon_table_enter(lexicon, lexicon_table_sentence(arg))->sentence;

        if (*said)
            return error_set(err, ERR_BAD_INPUT, "%.60s is said already", arg);
        *said = arena_text(&lexicon->arena, sentence, strlen(sentence));
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

    lexicon_table_grow(lexicon);
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
