/* Verbs that say no more than that there is a row: "books lent by Rome", "which branch
 * lends". What changes a row ("cancelled", "refunded") is never one of them. */
#include "bridge/planner/tokens/parse_events.h"
#include "bridge/planner/words/likeness.h"

#include <ctype.h>

enum {
    VERB_LEAST = 3, /* letters */
};

static const struct word *
word_of(const struct parser *p, const struct item *item)
{
    return &p->reading->words.at[item->begin];
}

/* What the lexicon says of a verb, in whatever form it stands. */
static unsigned
flags_of(const struct parser *p, const char *text)
{
    static const char *const endings[] = {"",   "s",   "es",  "d",
                                          "ed", "ing", "ned", "ning"};
    size_t len = strlen(text);
    unsigned flags = 0;
    char *stem = arena_text(p->arena, text, len);
    char *whole = arena_printf(p->arena, "%se", text);

    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t cut = strlen(endings[i]);

        if (len < cut + VERB_LEAST || strcmp(text + len - cut, endings[i]) != 0)
            continue;
        flags |= lexicon_flags(p->lexicon, words_stem(stem, len - cut));
        if (cut) { /* "serving" of "serve" */
            whole[len - cut] = 'e';
            flags |= lexicon_flags(p->lexicon, words_stem(whole, len - cut + 1));
            memcpy(whole, text, len);
        }
    }
    return flags;
}

static bool
ends_in(const struct word *word, const char *ending)
{
    size_t len = strlen(word->text), size = strlen(ending);

    return len >= size + VERB_LEAST && strcmp(word->text + len - size, ending) == 0;
}

/* Something that acts, or is acted on. */
static bool
is_thing(const struct parser *p, const struct item *item)
{
    if (item->kind == ITEM_COLUMN || item->kind == ITEM_VALUE)
        return true;
    unsigned flags = lexicon_flags(p->lexicon, word_of(p, item)->stem);
    return (flags & FLAG_ROWS) || frame_is_noun(p->frame, word_of(p, item)->stem) ||
           (item->kind == ITEM_TERM &&
            (item->term == TERM_ENTITY || item->term == TERM_ROWS));
}

static bool
is_term(const struct item *item, enum term term)
{
    return item->kind == ITEM_TERM && item->term == term;
}

/* "books lent by", "parcels sent to": it is tied to what follows. */
static bool
is_tied(const struct item *next)
{
    return is_term(next, TERM_BY) || is_term(next, TERM_IN) ||
           is_term(next, TERM_FROM) || is_term(next, TERM_TO) ||
           is_term(next, TERM_BETWEEN) || is_term(next, TERM_WITH) ||
           is_term(next, TERM_FOR) || is_term(next, TERM_PER) ||
           is_term(next, TERM_EACH) || is_term(next, TERM_SINCE) ||
           is_term(next, TERM_BEFORE) || is_term(next, TERM_AFTER) ||
           is_term(next, TERM_OVER) || is_term(next, TERM_GREATER) ||
           is_term(next, TERM_LESS);
}

/* "do we manage", "have we seen": whatever they do with all of them. */
static bool
is_askers(const struct parser *p, const struct word *word, const struct item *before)
{
    const size_t at = (size_t)(word - p->reading->words.at);

    return before && at >= 2 &&
           lexicon_lists(p->lexicon, "word.askers",
                         p->reading->words.at[at - 1].text) &&
           lexicon_lists(p->lexicon, "word.asking", p->reading->words.at[at - 2].text);
}

/* The place of a verb in the sentence. */
static bool
is_verb_at(const struct parser *p, size_t at)
{
    const struct item *item = &p->reading->item[at];
    const struct word *word = word_of(p, item);
    const struct item *before = at ? item - 1 : NULL;
    const struct item *next = at + 1 < p->reading->count ? item + 1 : NULL;
    bool is_behind_thing = before && is_thing(p, before);

    if ((!next || word_of(p, next)->kind == WORD_MARK || is_tied(next)) &&
        is_askers(p, word, before))
        return true;
    if (ends_in(word, "ing"))
        return is_behind_thing && next != NULL;
    if (ends_in(word, "ed"))
        return before && next && (is_tied(next) || is_term(next, TERM_SUM)) &&
               (is_behind_thing || is_term(before, TERM_IS) ||
                is_term(before, TERM_WHOSE));
    /* "which branch lends the most" */
    return ends_in(word, "s") && !ends_in(word, "ss") && is_behind_thing && at >= 2 &&
           is_term(before - 1, TERM_WHICH) && next;
}

static bool
is_negated(const struct parser *p, size_t at)
{
    for (size_t i = at; i > 0 && i + 3 > at; i--)
        if (is_term(&p->reading->item[i - 1], TERM_NOT) ||
            is_term(&p->reading->item[i - 1], TERM_EXCEPT))
            return true;
    return false;
}

/* "businesses inspected twice" in a table of inspections: done to a row of each. */
static bool
is_of_noun(const struct parser *p, const char *text)
{
    size_t len = strlen(text);

    if (len < 6 || strcmp(text + len - 2, "ed") != 0)
        return false;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct words *words = &p->frame->column[i].words;

        for (size_t k = 0; k < words->count; k++)
            if (frame_is_noun(p->frame, words->at[k].stem) &&
                likeness_is_event(words->at[k].text, text))
                return true;
    }
    for (size_t k = 0; k < p->frame->words.count; k++)
        if (likeness_is_event(p->frame->words.at[k].text, text))
            return true;
    return false;
}

/* "delivered within 2 days": the time of it is asked. */
static bool
is_dated(const struct parser *p, size_t at)
{
    const struct item *next =
        at + 1 < p->reading->count ? &p->reading->item[at + 1] : NULL;

    return next && next->kind == ITEM_TERM &&
           strcmp(word_of(p, next)->text, "within") == 0;
}

/* "from sowing to harvest", "between filing and payment": the dates of them. */
static bool
is_end_of_time(const struct parser *p, size_t at)
{
    static const enum term before[] = {TERM_FROM, TERM_TO, TERM_BETWEEN, TERM_AND,
                                       TERM_AFTER};
    const struct item *item = &p->reading->item[at];
    bool is_behind = false;

    for (size_t i = 0; at > 0 && i < COUNT_OF(before); i++)
        is_behind |= is_term(item - 1, before[i]);
    return is_behind && parser_roots_date(p, word_of(p, item)->text) >= 0;
}

bool
parse_events_is(struct parser *p, size_t at)
{
    const struct item *item = &p->reading->item[at];
    const struct word *word = word_of(p, item);
    struct test test;

    if (is_end_of_time(p, at) || item->kind != ITEM_UNKNOWN || item->len != 1 ||
        word->kind != WORD_TEXT || word->quote || strlen(word->text) < VERB_LEAST ||
        is_negated(p, at))
        return false;
    bool is_name = at && isupper((unsigned char)p->reading->question.data[word->begin]);
    unsigned flags = flags_of(p, word->text);
    bool is_done = !is_name && is_of_noun(p, word->text) && !is_dated(p, at) &&
                   !parser_roots_find(p, word->text, &test);
    if (!is_done && (is_name || (flags & (FLAG_STATE | FLAG_VAGUE)) ||
                     parser_roots_find(p, word->text, &test) ||
                     parser_roots_date(p, word->text) != PARSER_ROOTS_NONE ||
                     (!(flags & FLAG_EVENT) && !is_verb_at(p, at))))
        return false;
    parser_note(p, "assume.event",
                reading_text(p->reading, item).len
                    ? arena_text(p->arena, p->reading->question.data + word->begin,
                                 word->end - word->begin)
                    : word->text,
                NULL);
    p->confidence *= flags & FLAG_EVENT ? 0.97 : 0.88;
    return true;
}
