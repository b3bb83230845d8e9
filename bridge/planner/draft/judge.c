#include "bridge/planner/draft/judge.h"

/* What each doubt leaves of the confidence; measured on the corpora (bench/). */
static const double doubt_stranger = 0.80, doubt_entity = 0.97, doubt_beyond = 0.45,
                    doubt_number = 0.75, doubt_spelling = 0.96, doubt_mark = 0.97,
                    doubt_aggregate = 0.88, doubt_rival = 0.90, doubt_dropped = 0.90,
                    doubt_nothing = 0.35, doubt_guess = 0.93, doubt_dangling = 0.6,
                    doubt_missed = 0.6;

/* --- words that were not understood --- */

static bool
is_plural(const struct word *word)
{
    size_t len = strlen(word->text);

    return len > 3 && word->text[len - 1] == 's';
}

static bool
is_frame_word(const struct draft *draft, const struct word *word)
{
    return frame_is_noun(draft->frame, word->stem);
}

/* "car weight": a usual word for what rows are, unless they shall be told apart by it.
 */
static bool
is_usual_noun(const struct draft *draft, size_t at)
{
    const struct item *before = at ? draft_item(draft, at - 1) : NULL;
    uint64_t stem = draft->reading->words.at[draft_item(draft, at)->begin].stem;
    bool is_key = before && before->kind == ITEM_TERM &&
                  (before->term == TERM_BY || before->term == TERM_PER ||
                   before->term == TERM_GROUP_BY || before->term == TERM_OVER ||
                   before->term == TERM_EACH);

    return !is_key && lexicon_flags(draft->reading->lexicon, stem) & FLAG_ROWS;
}

static bool
introduces_things(enum term term)
{
    return term == TERM_COUNT || term == TERM_HOW_MANY || term == TERM_OF ||
           term == TERM_EACH || term == TERM_FILLER || term == TERM_ENTITY ||
           term == TERM_SHARE || term == TERM_DISTRIBUTION;
}

/* "cars", "number of films", "movie count": what the rows are, in the asker's words. */
static bool
names_things(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at);
    const struct word *word = &draft->reading->words.at[item->begin];
    const struct item *before = at ? draft_item(draft, at - 1) : NULL;

    if (is_frame_word(draft, word))
        return true;
    if (before && before->kind == ITEM_TERM &&
        (before->term == TERM_COUNT_DISTINCT || before->term == TERM_DISTINCT))
        return false; /* of rows there are no different ones */
    if (draft_is_term(draft, at + 1, TERM_COUNT))
        return true;
    const unsigned flags = lexicon_flags(draft->reading->lexicon, word->stem);
    if (before && before->kind == ITEM_COLUMN && !(flags & FLAG_TAIL) &&
        draft_column(draft, before->link[0].column)->role != ROLE_QUANTITY)
        return false; /* "the sample matrices": what each of them has */
    return is_plural(word) && (!before || before->kind != ITEM_TERM ||
                               introduces_things(before->term) || draft->has_count);
}

static void
add_stranger(struct verdict *verdict, const struct draft *draft,
             const struct item *item)
{
    if (verdict->strangers < STRANGERS_MAX)
        verdict->stranger[verdict->strangers++] = reading_text(draft->reading, item);
}

/* Where only the rows matter, a word that was not understood may well choose them. */
static bool
is_about_rows(const struct draft *draft)
{
    return draft->plan.intent == INTENT_VALUE || draft->plan.intent == INTENT_ROWS;
}

/* A comparison that found nothing to compare with: "delay greater than distance". */
static bool
compares(enum term term)
{
    return term == TERM_GREATER || term == TERM_GREATER_EQUAL || term == TERM_LESS ||
           term == TERM_LESS_EQUAL || term == TERM_BETWEEN;
}

/* "between" joins two columns where no number follows. */
static bool
is_bare_between(const struct draft *draft, size_t at)
{
    if (!draft_is_term(draft, at, TERM_BETWEEN))
        return false;
    for (size_t i = at; i < draft->reading->count; i++)
        if (draft_item(draft, i)->kind == ITEM_NUMBER ||
            draft_item(draft, i)->kind == ITEM_DATE)
            return false;
    return true;
}

/* "cylinder type": a word that says little beside a column adds nothing. */
static bool
is_generic_beside(const struct draft *draft, size_t at)
{
    const struct item *item = draft_item(draft, at);
    size_t next = draft_is_term(draft, at + 1, TERM_OF) ? at + 2 : at + 1;
    const struct item *after = draft_item(draft, next),
                      *before = at ? draft_item(draft, at - 1) : NULL;

    return lexicon_flags(draft->reading->lexicon,
                         draft->reading->words.at[item->begin].stem) &
               FLAG_GENERIC &&
           ((before && before->kind == ITEM_COLUMN) ||
            (after && after->kind == ITEM_COLUMN));
}

/* "cheapest" where there is no price */
static bool
is_superlative(const struct draft *draft, const struct item *item)
{
    size_t len;

    return lexicon_rank(draft->reading->lexicon, &draft->reading->words, item->begin,
                        &len) != NULL;
}

static bool
is_counted(const struct draft *draft, size_t at)
{
    return at > 0 && (draft_is_term(draft, at - 1, TERM_COUNT) ||
                      draft_is_term(draft, at - 1, TERM_HOW_MANY));
}

static void
weigh_words(const struct draft *draft, struct verdict *verdict)
{
    for (size_t i = 0; i < draft->reading->count; i++) {
        const struct item *item = draft_item(draft, i);
        double doubt = 1;

        if (item->is_used || is_bare_between(draft, i) ||
            (item->kind == ITEM_UNKNOWN && is_generic_beside(draft, i)))
            continue;
        if (item->is_vague) {
            add_stranger(verdict, draft, item);
            verdict->vague = draft->reading->words.at[item->begin].text;
            continue;
        }
        if (item->kind == ITEM_UNKNOWN &&
            (names_things(draft, i) || is_usual_noun(draft, i))) {
            if (is_frame_word(draft, &draft->reading->words.at[item->begin]))
                continue;
            verdict->confidence *= doubt_entity;
            if (is_counted(draft, i) || i == draft->limited || !is_usual_noun(draft, i))
                verdict->thing = reading_text(draft->reading, item);
            continue;
        }
        if (item->kind == ITEM_UNKNOWN)
            doubt = is_about_rows(draft) ? doubt_missed : doubt_stranger;
        else if (item->kind == ITEM_TERM &&
                 (item->term == TERM_EXCEPT || item->term == TERM_NOT))
            doubt = doubt_missed;
        else if (item->kind == ITEM_NUMBER || item->kind == ITEM_DATE ||
                 item->kind == ITEM_VALUE)
            doubt = doubt_number;
        else if (item->kind == ITEM_TERM &&
                 (item->term == TERM_BEYOND || compares(item->term)))
            doubt = doubt_beyond;
        if (item->kind == ITEM_UNKNOWN &&
            (is_superlative(draft, item) ||
             (i > 0 && draft_is_term(draft, i - 1, TERM_COUNT_DISTINCT))))
            doubt = doubt_beyond;
        if (doubt < 1)
            add_stranger(verdict, draft, item);
        verdict->confidence *= doubt;
    }
}

/* --- columns --- */

bool
judge_is_shown(const struct draft *draft, int column)
{
    const struct plan *plan = &draft->plan;

    for (unsigned i = 0; i < plan->alsos; i++)
        if (plan->also[i].column == column)
            return true;
    return column == plan->x || column == plan->y || column == plan->series ||
           (plan->is_ratio && column == plan->per.column);
}

static bool
has_rival(const struct draft *draft, const struct mention *mention)
{
    const struct item *item = mention->item;

    for (unsigned i = 0; item && i < item->links; i++)
        if (item->link[i].column != mention->column &&
            item->link[i].score > mention->score - 0.05f && mention->score < 0.95f &&
            !judge_is_shown(draft, item->link[i].column))
            return true;
    return false;
}

static bool
has_one_time(const struct draft *draft)
{
    unsigned found = 0;

    for (int i = 0; i < draft->frame->columns; i++)
        found += draft_column(draft, i)->role == ROLE_TIME;
    return found == 1;
}

static void
weigh_columns(const struct draft *draft, struct verdict *verdict)
{
    double least = 1;

    for (unsigned i = 0; i < draft->mentions; i++) {
        const struct mention *mention = &draft->mention[i];

        if (!judge_is_shown(draft, mention->column) && !mention->item)
            continue;
        if (!judge_is_shown(draft, mention->column)) {
            verdict->confidence *=
                mention->score >= 0.6f && mention->place != PLACE_COUNTED
                    ? doubt_dropped
                    : 1;
            continue;
        }
        if (!mention->item && !has_one_time(draft))
            verdict->confidence *= doubt_guess;
        if ((double)mention->score < least)
            least = (double)mention->score;
        if (has_rival(draft, mention))
            verdict->confidence *= doubt_rival;
    }
    verdict->confidence *= 0.6 + 0.4 * least;
}

static void
weigh_spelling(const struct draft *draft, struct verdict *verdict)
{
    for (size_t i = 0; i < draft->reading->words.count; i++)
        if (draft->reading->words.at[i].corrected)
            verdict->confidence *= doubt_spelling;
}

/* --- all together --- */

static bool
understood_nothing(const struct draft *draft)
{
    return draft->mentions == 0 && draft->plan.filters == 0 && !draft->plan.limit &&
           draft->plan.sort != AXIS_COLUMN &&
           (draft->plan.intent == INTENT_CHART || draft->plan.intent == INTENT_VALUE ||
            (draft->plan.intent == INTENT_ROWS && !(draft->wishes & WISH_ROWS)));
}

struct verdict
judge(struct draft *draft)
{
    struct verdict verdict = {.confidence = 1};

    weigh_words(draft, &verdict);
    weigh_columns(draft, &verdict);
    weigh_spelling(draft, &verdict);
    if (draft->is_mark_implied && draft->plan.intent == INTENT_CHART)
        verdict.confidence *= doubt_mark;
    if (draft->aggregate != AGG_NONE && draft->plan.y < 0 && !draft->is_followup)
        verdict.confidence *= doubt_dangling;
    if (draft->is_aggregate_implied)
        verdict.confidence *= doubt_aggregate;
    if (!draft->is_followup && understood_nothing(draft) &&
        (verdict.strangers || !draft->has_count))
        verdict.confidence *= doubt_nothing;
    judge_obstacle(draft, &verdict);
    if (verdict.vague) {
        verdict.obstacle = "refuse.vague";
        verdict.about = verdict.vague;
    }
    return verdict;
}
