/* Whose number it is, or of what, before the number itself: "average patient age". */
#include "bridge/planner/tokens/parser.h"

enum {
    SHORT_MOST = 4, /* letters */
};

/* "patient" of `patient_id`, half of its name. */
static bool
is_key_in_part(const struct parser *p, int at)
{
    const struct column *column = token_column(p, at);

    return column && column->flags & FLAG_KEY && p->token[at].score < 0.95f;
}

/* "average", "standard deviation of" */
static bool
reduces(const struct parser *p, int at)
{
    static const enum term terms[] = {TERM_MEAN, TERM_SUM,       TERM_MEDIAN, TERM_HIGH,
                                      TERM_LOW,  TERM_DEVIATION, TERM_MAX,    TERM_MIN};

    for (size_t i = 0; i < COUNT_OF(terms); i++)
        if (token_is(p, at, terms[i]))
            return true;
    return false;
}

/* What a word before names is named, and not asked about. */
static bool
opens_key(const struct parser *p, int at)
{
    return token_is(p, at, TERM_BY) || token_is(p, at, TERM_EACH) ||
           token_is(p, at, TERM_WHICH) || token_is(p, at, TERM_AND);
}

/* "drug class" of `drug_name` and `therapy_class`: the second. */
static bool
is_name_before_kind(const struct parser *p, int at)
{
    const struct column *name = token_column(p, at), *kind = token_column(p, at + 1);

    return name && kind && name != kind && !p->token[at].is_plural &&
           p->token[at].score < 0.95f && name->last_flags & FLAG_LABEL &&
           kind->words.count > 1 && p->token[at + 1].item->len == 1 &&
           token_is_beside(&p->token[at], &p->token[at + 1]) &&
           column_is_called(kind, p->lexicon, "word.kinds") &&
           lexicon_lists(p->lexicon, "word.kinds", p->token[at + 1].text);
}

/* `PropType`, `category_code`: nothing in its name says of what, unless a word is short
 * for it. */
static bool
is_mere_kind(const struct parser *p, const struct column *column)
{
    for (size_t i = 0; i < column->words.count; i++) {
        const struct word *word = &column->words.at[i];

        if (!(lexicon_flags(p->lexicon, word->stem) & FLAG_GENERIC) &&
            (strlen(word->text) > SHORT_MOST || lexicon_knows(p->lexicon, word->stem)))
            return false;
    }
    return column->words.count > 0;
}

/* "member category" of `categorycode`, "flat type" of `PropType`. */
static bool
is_thing_before_kind(const struct parser *p, int at)
{
    const struct column *kind = token_column(p, at + 1);

    return (token_kind(p, at, TOKEN_UNKNOWN) || token_kind(p, at, TOKEN_ROWS)) &&
           kind && kind->kind == COLUMN_TEXT && !p->token[at].is_plural &&
           p->token[at + 1].item->len == 1 &&
           (token_flags(p, at) & (FLAG_PERSON | FLAG_ROWS)) &&
           token_is_beside(&p->token[at], &p->token[at + 1]) &&
           lexicon_flags(p->lexicon,
                         p->reading->words.at[p->token[at + 1].item->begin].stem) &
               FLAG_GENERIC &&
           is_mere_kind(p, kind);
}

static void
drop_names_before_kinds(struct parser *p)
{
    for (int i = 0; i + 1 < p->count; i++)
        if (is_name_before_kind(p, i) || is_thing_before_kind(p, i)) {
            parser_note(p, "assume.column", token_text(p, i + 1),
                        token_column(p, i + 1)->name);
            token_drop(p, i, i);
        }
}

/* "in which month did each airline have its highest delay": at the beginning it asks.
 */
static void
tell_which(struct parser *p)
{
    const struct item *item = p->count ? p->token[0].item : NULL;

    if (token_is(p, 0, TERM_WHOSE) && item->len == 2 &&
        lexicon_exact(p->lexicon, &p->reading->words, item->begin + 1, 1) == TERM_WHICH)
        p->token[0].term = TERM_WHICH;
}

/* "average gift amount": the amount of a row, not a number of rows; "average patient
 * age"; "per train kilometre".
 */
void
parse_whose(struct parser *p)
{
    tell_which(p);
    drop_names_before_kinds(p);

    for (int i = 0; i + 1 < p->count; i++) {
        const struct column *column = token_column(p, i + 1);

        if ((token_kind(p, i, TOKEN_ROWS) || is_key_in_part(p, i)) &&
            !p->token[i].is_plural && column &&
            value_is_quantity(p, p->token[i + 1].value) &&
            token_is_beside(&p->token[i], &p->token[i + 1]) &&
            (reduces(p, i - 1) || token_is(p, i - 1, TERM_PER) ||
             token_is(p, i - 1, TERM_COUNT_DISTINCT) ||
             (is_key_in_part(p, i) && !opens_key(p, i - 1)) ||
             (token_is(p, i - 1, TERM_OF) && reduces(p, i - 2))))
            token_drop(p, i, i);
    }
}
