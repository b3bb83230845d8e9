#include "bridge/planner/restyle/restyle.h"
#include "bridge/planner/query/chart_words.h"

enum {
    COLOURS_MAX = 64, /* words of the lexicon's list of colours */
    TITLE_MAX = 200,  /* bytes */
};

/* Words around a change that say nothing by themselves. */
static bool
is_light(enum term term)
{
    static const enum term terms[] = {
        TERM_AGAIN, TERM_AS,      TERM_SHOW, TERM_FILLER, TERM_WITH,
        TERM_IN,    TERM_TO,      TERM_AND,  TERM_FOR,    TERM_OF,
        TERM_BARS,  TERM_SERIES,  TERM_IS,   TERM_ALSO,   TERM_BY,
        TERM_NAMES, TERM_INSTEAD, TERM_EACH, TERM_CHANGE,
    };

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (term == terms[i])
            return true;
    return false;
}

static bool
take_mark(struct restyle *out, enum term term)
{
    const struct chart_word *word = chart_word_of(term);

    if (!word || word->is_of_rows)
        return false;
    out->mark = word->mark;
    out->layout = word->layout ? word->layout : out->layout;
    return true;
}

static bool
take_style(struct restyle *out, enum term term)
{
    if (term == TERM_HORIZONTAL)
        out->lies = true;
    else if (term == TERM_VERTICAL)
        out->stands = true;
    else if (term == TERM_LOG)
        out->is_log = true;
    else if (term == TERM_LINEAR)
        out->is_linear = true;
    else if (term == TERM_LABELS)
        out->has_labels = true;
    else if (term == TERM_TABLE)
        out->is_table = true;
    else if (term == TERM_ALPHABETIC)
        out->order = RESTYLE_BY_NAME;
    else if (term == TERM_ASCENDING)
        out->order = RESTYLE_UP;
    else if (term == TERM_DESCENDING)
        out->order = RESTYLE_DOWN;
    else
        return false;
    return true;
}

/* What the lexicon has for a word in a list of "word=meaning". */
static const char *
listed(struct arena *arena, const struct lexicon *lexicon, const char *key,
       const char *word)
{
    const char *at = lexicon_say(lexicon, arena, key, NULL, 0);
    size_t len = strlen(word);

    while (at && *at) {
        size_t size = strcspn(at, " ");

        if (size > len && memcmp(at, word, len) == 0 && at[len] == '=')
            return arena_text(arena, at + len + 1, size - len - 1);
        at += size + strspn(at + size, " ");
    }
    return NULL;
}

/* As it is written, without its quotation marks. */
static const char *
title_of(struct arena *arena, struct slice question, size_t from)
{
    while (from < question.len && strchr(" :=\"'\n\t", question.data[from]))
        from++;
    size_t to = question.len;
    while (to > from && strchr(" \"'.\n\t", question.data[to - 1]))
        to--;
    if (to - from > TITLE_MAX)
        to = from;
    return to > from ? arena_text(arena, question.data + from, to - from) : NULL;
}

static bool
is_any(const struct restyle *out)
{
    return out->lies || out->stands || out->is_log || out->is_linear ||
           out->has_labels || out->is_table || out->mark || out->layout || out->order ||
           out->colour || out->title;
}

struct walk {
    struct restyle *out;
    struct arena *arena;
    const struct lexicon *lexicon;
    struct slice question;
    const struct words *words;
    bool is_sort, is_colour; /* these words were said, and want a name or a colour */
};

/* "latest first": an order of times. "Oldest first" may be of an age. */
static bool
is_of_dates(const struct walk *walk, size_t at)
{
    size_t len;
    const struct words *readings = lexicon_rank(walk->lexicon, walk->words, at, &len);

    return readings && readings->count == 2 &&
           lexicon_lists(walk->lexicon, "word.dates", readings->at[1].text);
}

/* The words from `at` on that one change takes; 0: none takes them. */
static size_t
take(struct walk *walk, size_t at)
{
    const struct word *word = &walk->words->at[at];
    size_t len = 1;
    enum term term = lexicon_term(walk->lexicon, walk->words, at, &len);
    const char *colour = listed(walk->arena, walk->lexicon, "word.colours", word->text);

    if (word->kind == WORD_MARK && strchr(".,!?:;\"", word->text[0]))
        return 1;
    if (term == TERM_TITLE) {
        walk->out->title =
            title_of(walk->arena, walk->question, walk->words->at[at + len - 1].end);
        return walk->out->title ? walk->words->count - at : 0;
    }
    if (colour) {
        walk->out->colour = colour;
        walk->out->bare = walk->is_colour ? NULL : word->text;
        return 1;
    }
    if (term == TERM_SORT) {
        walk->is_sort = true;
        return len;
    }
    if (walk->is_sort && (term == TERM_NAMES || listed(walk->arena, walk->lexicon,
                                                       "word.names", word->text))) {
        walk->out->order = RESTYLE_BY_NAME;
        return term == TERM_NAMES ? len : 1;
    }
    if ((term == TERM_ASCENDING || term == TERM_DESCENDING) && is_of_dates(walk, at)) {
        walk->out->order = term == TERM_ASCENDING ? RESTYLE_EARLIEST : RESTYLE_LATEST;
        return len;
    }
    walk->is_colour |= term == TERM_SERIES;
    return term != TERM_NONE && (take_mark(walk->out, term) ||
                                 take_style(walk->out, term) || is_light(term))
               ? len
               : 0;
}

bool
restyle_read(struct restyle *restyle, struct arena *arena,
             const struct lexicon *lexicon, struct slice question,
             const struct words *words)
{
    struct walk walk = {restyle, arena, lexicon, question, words, false, false};

    *restyle = (struct restyle){0};
    for (size_t at = 0, len; at < words->count; at += len) {
        len = take(&walk, at);
        if (len == 0)
            return false;
    }
    if (walk.is_sort && !restyle->order)
        return false;
    return is_any(restyle) && (!walk.is_colour || restyle->colour);
}
