#include "bridge/planner/reading.h"

#include <ctype.h>
#include <math.h>

enum {
    SPAN_MAX = 8, /* words that one item may have */
    GROUP_SPAN_MAX = 4,
    GROUPS_MAX = 6,
};

static const float LINK_LEAST = 0.4f;

/* What the words from one place on may be synonyms of. */
struct place {
    unsigned group[GROUP_SPAN_MAX][GROUPS_MAX];
    unsigned groups[GROUP_SPAN_MAX];
    bool is_light;
};

struct span {
    struct link link[LINKS_MAX];
    unsigned links;
};

struct reader {
    struct arena *arena;
    const struct lexicon *lexicon;
    const struct frame *frame;
    struct slice question;
    struct words words;
    struct place *place;
    struct span (*span)[SPAN_MAX]; /* [first word][length - 1] */
};

/* --- spelling --- */

static bool
frame_has_word(const struct frame *frame, uint64_t stem)
{
    for (int i = 0; i < frame->columns; i++)
        for (unsigned f = 0; f < frame->column[i].forms; f++)
            for (unsigned k = 0; k < frame->column[i].form[f].count; k++)
                if (frame->column[i].form[f].unit[k].stem == stem)
                    return true;
    return false;
}

static const char *
frame_spelling(const struct frame *frame, const char *text)
{
    for (int i = 0; i < frame->columns; i++)
        for (size_t k = 0; k < frame->column[i].words.count; k++)
            if (words_is_slip(text, frame->column[i].words.at[k].text))
                return frame->column[i].words.at[k].text;
    return NULL;
}

/* "hired" is said of `hire_date`, "majoring" of `major`. */
static const char *
frame_inflected(const struct reader *reader, const struct word *word)
{
    static const struct {
        const char *ending, *replacement;
    } endings[] = {
        {"ing", "" },
        {"ing", "e"},
        {"ed",  "" },
        {"ed",  "e"},
        {"ly",  "" }
    };
    size_t len = strlen(word->text);

    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t size = strlen(endings[i].ending);

        if (len < size + 4 || strcmp(word->text + len - size, endings[i].ending) != 0)
            continue;
        char *base = arena_printf(reader->arena, "%.*s%s", (int)(len - size),
                                  word->text, endings[i].replacement);
        if (frame_has_word(reader->frame, words_stem(base, strlen(base))))
            return base;
    }
    return NULL;
}

static bool
is_empty_word(const struct reader *reader, size_t at)
{
    enum term term = lexicon_exact(reader->lexicon, &reader->words, at, 1);

    return term == TERM_NONE || term == TERM_FILLER;
}

/* Words that nobody knows are taken for known ones that are spelt nearly so. */
static void
correct_spelling(struct reader *reader)
{
    for (size_t i = 0; i < reader->words.count; i++) {
        struct word *word = &reader->words.at[i];

        if (word->kind != WORD_TEXT || strlen(word->text) < 4 ||
            frame_has_word(reader->frame, word->stem) ||
            (lexicon_knows(reader->lexicon, word->stem) &&
             !(frame_inflected(reader, word) && is_empty_word(reader, i))) ||
            frame_find_value(reader->frame, words_squash(0, word->text)) >= 0)
            continue;
        const char *known = frame_inflected(reader, word);
        if (!known)
            known = frame_spelling(reader->frame, word->text);
        if (!known && !word->quote)
            known = lexicon_spelling(reader->lexicon, word->text);
        if (!known)
            continue;
        word->stem = words_stem(known, strlen(known));
        word->text = arena_text(reader->arena, known, strlen(known));
        word->corrected = true;
    }
}

/* --- columns --- */

static bool
has_column(const struct frame *frame, const struct word *first, const struct word *last)
{
    for (int i = 0; i < frame->columns; i++) {
        const struct words *words = &frame->column[i].words;

        if (words->count >= 2 && words->at[0].stem == first->stem &&
            words->at[words->count - 1].stem == last->stem)
            return true;
    }
    return false;
}

/* "low and high estimates": the last word belongs to both. */
static void
complete_pairs(struct reader *reader)
{
    struct words *words = &reader->words;

    for (size_t i = 0; i + 3 < words->count && words->count < WORDS_MAX; i++) {
        if (lexicon_exact(reader->lexicon, words, i + 1, 1) != TERM_AND)
            continue;
        for (size_t last = i + 3; last <= i + 4 && last < words->count; last++) {
            if (!has_column(reader->frame, &words->at[i], &words->at[last]) ||
                !has_column(reader->frame, &words->at[i + 2], &words->at[last]))
                continue;
            memmove(&words->at[i + 2], &words->at[i + 1],
                    (words->count - i - 1) * sizeof(*words->at));
            words->at[i + 1] = words->at[last + 1];
            words->at[i + 1].begin = words->at[i + 1].end = words->at[i].end;
            words->count++;
            break;
        }
    }
}

static void
find_groups(struct reader *reader)
{
    reader->place =
        arena_alloc(reader->arena, reader->words.count + 1, sizeof(*reader->place));
    for (size_t i = 0; i < reader->words.count; i++) {
        struct place *place = &reader->place[i];

        place->is_light =
            lexicon_flags(reader->lexicon, reader->words.at[i].stem) & FLAG_LIGHT;
        for (size_t len = 1; len <= GROUP_SPAN_MAX && i + len <= reader->words.count;
             len++)
            place->groups[len - 1] =
                (unsigned)lexicon_groups(reader->lexicon, &reader->words.at[i], len,
                                         place->group[len - 1], GROUPS_MAX);
    }
}

static bool
share_group(const struct unit *unit, const struct place *place, size_t len)
{
    for (unsigned i = 0; i < unit->groups; i++)
        for (unsigned k = 0; k < place->groups[len - 1]; k++)
            if (unit->group[i] == place->group[len - 1][k])
                return true;
    return false;
}

/* How many words from `at` on say this unit (0: none), and how well. */
static size_t
match_unit(const struct reader *reader, const struct unit *unit, size_t at,
           float *quality)
{
    const struct word *word = &reader->words.at[at];

    if (unit->groups)
        for (size_t len = GROUP_SPAN_MAX; len >= 2; len--)
            if (at + len <= reader->words.count &&
                share_group(unit, &reader->place[at], len)) {
                *quality = 0.93f;
                return len;
            }
    if (unit->stem && word->stem == unit->stem && word->kind != WORD_MARK) {
        *quality = word->corrected ? 0.95f : 1.0f;
        return 1;
    }
    if (unit->groups && share_group(unit, &reader->place[at], 1)) {
        *quality = word->corrected ? 0.88f : 0.93f;
        return 1;
    }
    return 0;
}

struct match {
    unsigned mask; /* units of the form that were said */
    size_t len;
    float quality;
};

/* The units may come in any order, with light words between: "code of each location".
 */
static struct match
match_form(const struct reader *reader, const struct form *form, size_t at)
{
    struct match match = {.quality = 1};
    size_t p = at;

    while (p < reader->words.count && p - at < SPAN_MAX) {
        size_t best = 0;
        unsigned which = 0;
        float quality = 1, best_quality = 1;

        for (unsigned i = 0; i < form->count; i++) {
            size_t len = match.mask & (1u << i)
                             ? 0
                             : match_unit(reader, &form->unit[i], p, &quality);

            if (len > best || (len && len == best && quality > best_quality)) {
                best = len;
                which = i;
                best_quality = quality;
            }
        }
        if (best && p + best - at <= SPAN_MAX) {
            match.mask |= 1u << which;
            match.quality = best_quality < match.quality ? best_quality : match.quality;
            p += best;
            match.len = p - at;
        } else if (match.mask && reader->place[p].is_light) {
            p++;
        } else {
            break;
        }
    }
    return match;
}

static bool
is_frame_noun(const struct reader *reader, const struct unit *unit)
{
    return unit->stem && frame_is_noun(reader->frame, unit->stem);
}

/* "type" says enough where one column alone has it in its name. */
static bool
is_only_one(const struct reader *reader, const struct form *form,
            const struct match *match)
{
    uint64_t stem = 0;
    unsigned found = 0;

    for (unsigned i = 0; i < form->count; i++)
        if (match->mask & (1u << i) && form->unit[i].weight >= 0.2f &&
            !is_frame_noun(reader, &form->unit[i]))
            stem = form->unit[i].stem;
    if (!stem || match->quality < 0.95f || match->len > 1)
        return false;
    for (int i = 0; i < reader->frame->columns && found < 2; i++) {
        const struct form *other = &reader->frame->column[i].form[0];
        bool has_it = false;

        for (unsigned k = 0; reader->frame->column[i].forms && k < other->count; k++)
            has_it |= other->unit[k].stem == stem;
        found += has_it;
    }
    return found == 1;
}

/* "employees" are not their ids. */
static bool
is_key_unsaid(const struct form *form, const struct match *match)
{
    unsigned last = form->count - 1;

    return form->unit[last].is_key && !(match->mask & (1u << last));
}

/* How sure it is that a column is meant of whose name only a part was said. */
static float
score_match(const struct reader *reader, const struct form *form,
            const struct match *match)
{
    float said = 0, all = 0, unsaid = 0;
    bool has_content = false, has_several = match->mask & (match->mask - 1);

    for (unsigned i = 0; i < form->count; i++) {
        float weight = form->unit[i].weight;

        if (form->count > 1 && weight > 0.15f && is_frame_noun(reader, &form->unit[i]))
            weight = 0.15f;
        all += weight;
        if (match->mask & (1u << i)) {
            said += weight;
            has_content |=
                weight > 0.3f || (has_several && form->unit[i].weight > 0.3f);
        } else if (weight > unsaid) {
            unsaid = weight;
        }
    }
    if (unsaid <= 0.06f)
        return match->quality;
    if (has_content && unsaid <= 0.3f)
        return (is_key_unsaid(form, match) ? 0.6f : 0.92f) * match->quality;
    if (!has_content)
        return is_only_one(reader, form, match)
                   ? 0.66f * match->quality
                   : (0.3f + 0.5f * said / all) * match->quality;
    return (0.45f + 0.4f * said / all) * match->quality;
}

static void
add_link(struct span *span, struct link link)
{
    unsigned at = span->links;

    for (unsigned i = 0; i < span->links; i++)
        if (span->link[i].column == link.column) {
            if (span->link[i].score >= link.score)
                return;
            at = i;
        }
    if (at == span->links && span->links < LINKS_MAX)
        span->links++;
    else if (at == LINKS_MAX && span->link[LINKS_MAX - 1].score >= link.score)
        return;
    else if (at == LINKS_MAX)
        at--;
    for (; at > 0 && span->link[at - 1].score < link.score; at--)
        span->link[at] = span->link[at - 1];
    span->link[at] = link;
}

static void
link_form(struct reader *reader, int column, const struct form *form)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        struct match match = match_form(reader, form, at);

        if (!match.mask)
            continue;
        float score = score_match(reader, form, &match);
        if (score >= LINK_LEAST)
            add_link(&reader->span[at][match.len - 1], (struct link){column, score});
    }
}

/* "allergy type" is `allergytype`. */
static void
link_squashed(struct reader *reader, int column, uint64_t squash)
{
    for (size_t at = 0; at < reader->words.count; at++) {
        uint64_t hash = 0;

        for (size_t len = 1; len <= 4 && at + len <= reader->words.count; len++) {
            hash = words_squash(hash, reader->words.at[at + len - 1].text);
            if (hash == squash && reader->words.at[at].kind != WORD_MARK &&
                reader->words.at[at + len - 1].kind != WORD_MARK)
                add_link(&reader->span[at][len - 1], (struct link){column, 1});
        }
    }
}

static void
link_columns(struct reader *reader)
{
    for (int i = 0; i < reader->frame->columns; i++) {
        const struct column *column = &reader->frame->column[i];

        for (unsigned f = 0; f < column->forms; f++)
            link_form(reader, i, &column->form[f]);
        if (column->words.count)
            link_squashed(reader, i, column->squash);
    }
}

/* --- values --- */

/* Single letters are values only where they are written large: "R rated". */
static bool
may_be_value(const struct reader *reader, size_t at, size_t len)
{
    const struct word *word = &reader->words.at[at];

    if (len > 1) {
        bool has_text = false;

        for (size_t i = at; i < at + len; i++)
            has_text |= reader->words.at[i].kind == WORD_TEXT;
        return has_text && word->kind != WORD_MARK &&
               reader->words.at[at + len - 1].kind != WORD_MARK;
    }
    if (word->kind == WORD_MARK || word->kind == WORD_NUMBER)
        return false;
    return word->end - word->begin > 1 ||
           (isupper((unsigned char)reader->question.data[word->begin]) && at > 0 &&
            *word->text != 'a' && *word->text != 'i') ||
           word->quote;
}

static int
find_synonym(const struct reader *reader, size_t at, size_t len)
{
    for (unsigned i = 0; len <= GROUP_SPAN_MAX && i < reader->place[at].groups[len - 1];
         i++) {
        unsigned group = reader->place[at].group[len - 1][i];
        size_t count;
        const char *const *phrase = lexicon_group(reader->lexicon, group, &count);

        if (!lexicon_is_of_values(reader->lexicon, group))
            continue;
        for (size_t k = 0; k < count; k++) {
            int found = frame_find_value(reader->frame, words_squash(0, phrase[k]));

            if (found >= 0)
                return found;
        }
    }
    return -1;
}

/* "French" may be said of "France", and "sedans" of "sedan". */
static int
find_value(const struct reader *reader, size_t at, size_t len, float *quality)
{
    uint64_t hash = 0;

    if (!may_be_value(reader, at, len))
        return -1;
    for (size_t i = at; i < at + len; i++)
        hash = words_squash(hash, reader->words.at[i].text);
    *quality = 1;
    int found = frame_find_value(reader->frame, hash);
    if (found >= 0)
        return found;
    *quality = 0.93f;
    const char *last = reader->words.at[at + len - 1].text;
    size_t size = strlen(last);
    if (size > 3 && last[size - 1] == 's') {
        hash = 0;
        for (size_t i = at; i + 1 < at + len; i++)
            hash = words_squash(hash, reader->words.at[i].text);
        char *cut = arena_text(reader->arena, last, size - 1);
        found = frame_find_value(reader->frame, words_squash(hash, cut));
    }
    return found >= 0 ? found : find_synonym(reader, at, len);
}

/* --- the best sequence --- */

struct step {
    double score;
    struct item item;
};

static void
consider(struct step *best, double score, const struct item *item)
{
    if (score > best->score + 1e-9) {
        best->score = score;
        best->item = *item;
    }
}

static struct item
single_item(const struct reader *reader, size_t at)
{
    const struct word *word = &reader->words.at[at];
    struct item item = {.kind = ITEM_UNKNOWN, .begin = at, .len = 1, .value = -1};

    switch (word->kind) {
    case WORD_TEXT:
        break;
    case WORD_NUMBER:
        item.kind = ITEM_NUMBER;
        item.number = word->number;
        break;
    case WORD_DATE:
        item.kind = ITEM_DATE;
        break;
    case WORD_MARK:
        if (strchr(".?!;|", word->text[0]))
            item.kind = ITEM_STOP;
        else if (strchr(",:()[]", word->text[0]))
            item.kind = ITEM_COMMA;
        break;
    }
    return item;
}

/* "orders by region" are no order to sort. */
static bool
is_thing(const struct reader *reader, size_t at, enum term term)
{
    const char *text = reader->words.at[at].text;
    size_t len = strlen(text);

    return term == TERM_SORT && len > 4 && text[len - 1] == 's';
}

static void
consider_span(const struct reader *reader, size_t at, size_t len, double rest,
              struct step *best)
{
    const struct span *span = &reader->span[at][len - 1];
    enum term term = len <= LEXICON_PHRASE_MAX
                         ? lexicon_exact(reader->lexicon, &reader->words, at, len)
                         : TERM_NONE;
    term = is_thing(reader, at, term) ? TERM_NONE : term;
    struct item item = {.term = term, .begin = at, .len = len, .value = -1};
    double size = (double)len;
    float quality;

    if (term != TERM_NONE) {
        item.kind = ITEM_TERM;
        consider(best, rest + size * (1 + 0.02 * size), &item);
    }
    if (span->links) {
        item.kind = ITEM_COLUMN;
        memcpy(item.link, span->link, sizeof(item.link));
        item.links = span->links;
        consider(best,
                 rest + size * (0.55 + 0.5 * (double)span->link[0].score) +
                     0.06 * (size - 1),
                 &item);
    }
    item.value = find_value(reader, at, len, &quality);
    if (item.value >= 0) {
        item.kind = ITEM_VALUE;
        consider(best, rest + size * (term != TERM_NONE ? 0.8 : 1.03 * (double)quality),
                 &item);
    }
}

static void
choose_items(struct reader *reader, struct reading *reading)
{
    size_t count = reader->words.count;
    struct step *step = arena_alloc(reader->arena, count + 1, sizeof(*step));

    for (size_t at = count; at-- > 0;) {
        step[at].item = single_item(reader, at);
        step[at].score = step[at + 1].score;
        for (size_t len = SPAN_MAX; len > 0; len--)
            if (at + len <= count)
                consider_span(reader, at, len, step[at + len].score, &step[at]);
    }
    reading->item = arena_alloc(reader->arena, count + 1, sizeof(*reading->item));
    for (size_t at = 0; at < count; at += step[at].item.len)
        reading->item[reading->count++] = step[at].item;
}

static double
explained(const struct reading *reading)
{
    double score = 0;

    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];

        if (item->kind == ITEM_COLUMN)
            score += (double)item->link[0].score * (double)item->len;
        else if (item->kind == ITEM_VALUE)
            score += 0.8;
        for (size_t k = 0; k < reading->frame->words.count; k++)
            if (reading->words.at[item->begin].stem == reading->frame->words.at[k].stem)
                score += 1.5;
    }
    return score;
}

struct reading
reading_make(struct arena *arena, const struct lexicon *lexicon,
             const struct frame *frame, struct slice question,
             const struct words *words)
{
    struct reader reader = {
        .arena = arena,
        .lexicon = lexicon,
        .frame = frame,
        .question = question,
        .words = {arena_alloc(arena, WORDS_MAX + 1, sizeof(*words->at)), words->count}
    };
    struct reading reading = {.frame = frame, .lexicon = lexicon, .question = question};

    memcpy(reader.words.at, words->at, words->count * sizeof(*words->at));
    correct_spelling(&reader);
    complete_pairs(&reader);
    reader.span = arena_alloc(arena, WORDS_MAX + 1, sizeof(*reader.span));
    find_groups(&reader);
    link_columns(&reader);
    choose_items(&reader, &reading);
    reading.words = reader.words;
    reading.score = explained(&reading);
    return reading;
}

struct slice
reading_text(const struct reading *reading, const struct item *item)
{
    size_t begin = reading->words.at[item->begin].begin;
    size_t end = reading->words.at[item->begin + item->len - 1].end;

    if (end > reading->question.len || begin > end)
        return slice_of("");
    return (struct slice){reading->question.data + begin, end - begin};
}
