#include "bridge/planner/read/reading.h"

#include <ctype.h>

#include "bridge/planner/read/reader.h"

enum {
    VALUE_LEAST = 4, /* letters of a value that is no small word */
};

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

static bool
has_small_letters(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (islower((unsigned char)text.data[i]))
            return true;
    return false;
}

/* "students of History": a capital behind a small letter. */
static bool
is_a_name(const struct reader *reader, size_t at)
{
    const char *text = reader->question.data;

    return at > 0 && isupper((unsigned char)text[reader->words.at[at].begin]) &&
           islower((unsigned char)text[reader->words.at[at - 1].begin]);
}

/* "sales in IT", "orders from the US": capitals, and a value that is written so. */
static bool
is_written_so(const struct reader *reader, size_t at)
{
    const struct word *word = &reader->words.at[at];
    struct slice text = {reader->question.data + word->begin, word->end - word->begin};
    bool is_large = reader->has_small_letters && !has_small_letters(text);

    /* "H, D and A"; but "I" */
    const bool is_letter = text.len == 1 && is_large && at > 0 && text.data[0] != 'I';
    if ((text.len < 2 && !is_letter) || word->kind != WORD_TEXT ||
        !(is_large || is_a_name(reader, at)))
        return false;
    for (int v = frame_find_value(reader->frame, words_squash(0, word->text)); v >= 0;
         v = reader->frame->value[v].next)
        if (strlen(reader->frame->value[v].text) == text.len &&
            memcmp(reader->frame->value[v].text, text.data, text.len) == 0)
            return true;
    return false;
}

/* "the US", "in IT": written large among small letters, it is a name, whether a value
 * is called so or not. */
static bool
is_written_large(const struct reader *reader, size_t at)
{
    const struct word *word = &reader->words.at[at];
    const struct slice text = {reader->question.data + word->begin,
                               word->end - word->begin};

    return reader->has_small_letters && word->kind == WORD_TEXT && text.len > 1 &&
           text.len == strlen(word->text) && !has_small_letters(text);
}

static bool
has_written_so(const struct reader *reader, size_t at, size_t len)
{
    bool is_so = false;

    for (size_t i = at; i < at + len; i++)
        is_so |= is_written_so(reader, i);
    return is_so;
}

/* "orders by region" asks for no sorting. */
static bool
is_thing(const struct reader *reader, size_t at, enum term term)
{
    const char *text = reader->words.at[at].text;
    size_t len = strlen(text);

    if (term == TERM_SORT && at > 0 && /* "the biggest order", "per order" */
        (reader->words.at[at - 1].superlative ||
         lexicon_lists(reader->lexicon, "word.attributes",
                       reader->words.at[at - 1].text)))
        return true;
    if (term == TERM_DISTRIBUTION && words_is_plural(text) && /* of machines */
        frame_is_noun(reader->frame, reader->words.at[at].stem))
        return true;
    return (term == TERM_SORT ||
            (term == TERM_SHOW && /* "reports by month" */
             lexicon_flags(reader->lexicon, reader->words.at[at].stem) & FLAG_ROWS)) &&
           len > 4 && text[len - 1] == 's';
}

/* "in descending order", "order by price", "order cities by price": how to sort. */
static bool
is_sorting(const struct reader *reader, size_t at, enum term before)
{
    size_t next = at + 1;
    enum term behind = next < reader->words.count
                           ? lexicon_exact(reader->lexicon, &reader->words, next, 1)
                           : TERM_NONE;

    if (at == 0)
        return behind != TERM_WITH && behind != TERM_WHOSE;
    return (behind == TERM_BY && !reader_is_reducing(before)) ||
           before == TERM_DESCENDING || before == TERM_ASCENDING ||
           before == TERM_ALPHABETIC || before == TERM_IN || before == TERM_AND;
}

/* Nor have "sales per order by region" and, of orders, "average order value". */
static bool
is_counted_thing(const struct reader *reader, size_t at, enum term term,
                 const struct span *span)
{
    enum term before =
        at ? lexicon_exact(reader->lexicon, &reader->words, at - 1, 1) : TERM_NONE;

    if (term == TERM_ENTITY) /* "profit per unit" */
        return before == TERM_PER && span->links && span->link[0].score >= 0.9f;
    if (term == TERM_BIN) /* "how many bins" of a `BinLoc` */
        return span->links && at > 1 &&
               lexicon_exact(reader->lexicon, &reader->words, at - 2, 2) ==
                   TERM_HOW_MANY;
    return term == TERM_SORT &&
           (before == TERM_PER || before == TERM_EACH ||
            (!is_sorting(reader, at, before) &&
             frame_is_noun(reader->frame, reader->words.at[at].stem)));
}

/* "average quantity of orders", "a quantity of over 6" of a column `quantity`; "amount
 * of rain" of `rain` is another. */
static bool
is_amount_of_rows(const struct reader *reader, size_t at)
{
    size_t next = at + 2;
    const struct words *words = &reader->words;

    if (next >= words->count)
        return false;
    const struct span *behind = &reader->span[next][0];
    if (behind->links && behind->link[0].score >= 0.9f &&
        reader->frame->column[behind->link[0].column].kind == COLUMN_NUMBER &&
        reader->frame->column[behind->link[0].column].role != ROLE_KEY)
        return false;
    return reader_is_reduced(reader, at) || words->at[next].kind == WORD_NUMBER ||
           (next + 1 < words->count && words->at[next + 1].kind == WORD_NUMBER) ||
           (next + 2 < words->count && words->at[next + 2].kind == WORD_NUMBER);
}

/* "average amount by channel" of a column `amount_gbp`. */
static bool
is_amount_column(const struct reader *reader, size_t at, size_t len, enum term term)
{
    for (size_t i = at; term == TERM_AMOUNT && i < at + len; i++) {
        const struct span *span = &reader->span[i][0];
        bool has_of =
            i + 1 < reader->words.count &&
            lexicon_exact(reader->lexicon, &reader->words, i + 1, 1) == TERM_OF;

        if (span->links && span->link[0].score >= 0.9f &&
            (has_of ? is_amount_of_rows(reader, i) : len == 1))
            return true;
    }
    return false;
}

/* "main courses" where a column has "main": words that say nothing elsewhere, but for
 * those that are small or tell what to do. */
static bool
is_value_beside(const struct reader *reader, size_t at, enum term term)
{
    const struct word *word = &reader->words.at[at];

    return term == TERM_FILLER && at > 0 && strlen(word->text) >= VALUE_LEAST &&
           !(lexicon_lists(reader->lexicon, "word.articles", word[-1].text) &&
             !words_is_plural(word->text)) && /* "in the data" */
           !(lexicon_flags(reader->lexicon, word->stem) & FLAG_DRAW);
}

/* "NO2" denies nothing, and is not a cell that says "no". */
static bool
is_denial_in_code(const struct reader *reader, size_t at, size_t len)
{
    return len == 1 && words_is_in_code(&reader->words, at) &&
           lexicon_exact(reader->lexicon, &reader->words, at, 1) == TERM_NOT;
}

/* "per" is none of the persons of `Pers`: a word that joins others names a column only
 * as it is written there. */
static bool
is_joining_word(const struct reader *reader, size_t at, enum term term,
                const struct span *span)
{
    static const enum term joining[] = {TERM_PER,  TERM_BY, TERM_OF,  TERM_IN, TERM_FOR,
                                        TERM_FROM, TERM_TO, TERM_AND, TERM_OR, TERM_AS};
    bool joins = false;

    for (size_t i = 0; i < COUNT_OF(joining); i++)
        joins |= term == joining[i];
    for (unsigned i = 0; joins && i < span->links; i++) {
        const struct words *words = &reader->frame->column[span->link[i].column].words;

        for (size_t k = 0; k < words->count; k++)
            if (strcmp(words->at[k].text, reader->words.at[at].text) == 0)
                return false;
    }
    return joins;
}

/* "show me": an order by itself, and its words say nothing else. */
static bool
consider_order(const struct reader *reader, size_t at, size_t len, double rest,
               struct step *best)
{
    const struct item order = {
        .kind = ITEM_TERM, .term = TERM_FILLER, .begin = at, .len = len, .value = -1};

    if (len > ORDER_MOST || reader_order(reader, at) != len)
        return false;
    consider(best, rest + 2 * (double)len, &order);
    return true;
}

/* The value that the words are; -1: none. *quality: from 0 to 1. */
static int
value_of_span(const struct reader *reader, size_t at, size_t len,
              const struct span *span, float *quality)
{
    if (is_denial_in_code(reader, at, len) ||
        (len == 1 && reader_is_key_there(reader, at, span)) ||
        (len == 1 && reader_is_measured_there(reader, at, span)))
        return -1;
    return reader_find_value(reader, at, len, quality);
}

static void
consider_span(const struct reader *reader, size_t at, size_t len, double rest,
              struct step *best)
{
    const struct span *span = &reader->span[at][len - 1];
    enum term term = len <= LEXICON_PHRASE_MAX
                         ? lexicon_exact(reader->lexicon, &reader->words, at, len)
                         : TERM_NONE;
    const bool is_name =
        len == 1 && term == TERM_FILLER && is_written_large(reader, at);
    if (is_name)
        term = TERM_NONE;
    if (consider_order(reader, at, len, rest, best))
        return;
    if (has_written_so(reader, at, len) || is_thing(reader, at, term) ||
        is_counted_thing(reader, at, term, span) ||
        is_amount_column(reader, at, len, term) ||
        (len == 1 && reader_is_named_filler(reader, at, term, span)) ||
        (len == 1 && reader_is_named_so(reader, at, term, span)) ||
        is_denial_in_code(reader, at, len) ||
        (len == 1 && span->links && reader->words.at[at].is_noun_of))
        term = TERM_NONE;
    float quality = 0;
    const int value = value_of_span(reader, at, len, span, &quality);
    if (len == 1 && value >= 0 && quality >= 0.9f && is_value_beside(reader, at, term))
        term = TERM_NONE;
    struct item item = {.term = term, .begin = at, .len = len, .value = -1};
    double size = (double)len;

    if (term != TERM_NONE) {
        item.kind = ITEM_TERM;
        consider(best, rest + size * (1 + 0.02 * size), &item);
    }
    const bool is_order = /* "list the flats", and not when they were listed */
        at == 0 && len == 1 && term == TERM_SHOW && span->links &&
        span->link[0].score < 1;
    if (span->links && !is_order &&
        !(len == 1 && is_joining_word(reader, at, term, span))) {
        item.kind = ITEM_COLUMN;
        memcpy(item.link, span->link, sizeof(item.link));
        item.links = span->links;
        consider(best,
                 rest + size * (0.55 + 0.5 * (double)span->link[0].score) +
                     0.06 * (size - 1),
                 &item);
    }
    item.value = value;
    if (value >= 0) {
        item.kind = ITEM_VALUE;
        /* "App Store" of a table with the columns App and Store */
        const double whole = quality >= 0.95f ? 0.06 * (size - 1) : 0;
        consider(best,
                 rest + (term != TERM_NONE ? size * 0.8
                                           : size * 1.03 * (double)quality + whole),
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

/* A word of the table's name, or what that is short for: `perfs` are performances. */
static bool
names_table(const struct reading *reading, const struct word *word,
            const struct word *part)
{
    return lexicon_stands_for(reading->lexicon, part->stem, word->stem) ||
           (words_ends_in_ed(word->text) && /* "who ordered" of orders */
            words_stem(word->text, strlen(word->text) - 2) == part->stem);
}

/* Whether an item is what a table is called. */
static bool
is_name_of(const struct reading *reading, const struct item *item,
           const struct frame *frame, size_t word)
{
    return names_table(reading, &reading->words.at[item->begin],
                       &frame->words.at[word]) &&
           !(frame->is_made && item->kind == ITEM_TERM);
}

static double
explained(const struct reading *reading)
{
    const struct frame *frame = reading->frame,
                       *right = frame->join ? frame->join->right : NULL;
    double score = 0;

    for (size_t i = 0; i < reading->count; i++) {
        const struct item *item = &reading->item[i];

        if (item->kind == ITEM_COLUMN)
            score += (double)item->link[0].score * (double)item->len;
        else if (item->kind == ITEM_VALUE)
            score += 0.8;
        for (size_t k = 0; k < frame->words.count; k++)
            score += is_name_of(reading, item, frame, k) ? 1.5 : 0;
        for (size_t k = 0; right && k < right->words.count; k++)
            score += is_name_of(reading, item, right, k) ? 1.5 : 0;
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
        .has_small_letters = has_small_letters(question),
        .measure = arena_alloc(arena, MEASURES, sizeof(*reader.measure)),
        .words = {arena_alloc(arena, WORDS_MAX + 1, sizeof(*words->at)), words->count}
    };
    struct reading reading = {.frame = frame, .lexicon = lexicon, .question = question};

    memcpy(reader.words.at, words->at, words->count * sizeof(*words->at));
    reader_join_scales(&reader);
    reader_split_denials(&reader);
    reader_find_ranks(&reader);
    reader_correct_spelling(&reader);
    reader_complete_pairs(&reader);
    reader.span = arena_alloc(arena, WORDS_MAX + 1, sizeof(*reader.span));
    reader_find_groups(&reader);
    reader_link_columns(&reader);
    choose_items(&reader, &reading);
    reading.words = reader.words;
    reading_settle(&reading);
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
