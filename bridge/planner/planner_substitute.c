/* "and for Oslo?", "what about 2023", "the median instead", "by quarter": the question
 * before with one thing in it said otherwise, which is read again as a whole. */
#include "bridge/planner/planner_session.h"

enum {
    YEAR_FIRST = 1900,
    YEAR_LAST = 2100,
    ITEMS_MOST = 8, /* of a change */
};

enum thing {
    THING_NONE,
    THING_CELL,
    THING_YEAR,
    THING_REDUCE,
    THING_NUMBER, /* a column of numbers */
    THING_KEY,    /* a column of groups */
    THING_PERIOD,
    THING_RANK, /* "top 5" */
};

/* Where it stands: [first, last] of a reading's items. */
struct said {
    enum thing thing;
    size_t first, last;
    bool replaces; /* "instead" */
    bool adds;     /* "also quantity" */
    bool frees;    /* "per faculty" of one faculty: of all */
};

static bool
is_any_term(const struct item *item, const enum term *terms, size_t count)
{
    for (size_t i = 0; item->kind == ITEM_TERM && i < count; i++)
        if (item->term == terms[i])
            return true;
    return false;
}

/* Words of a change that do not say what it is. */
static bool
is_light(const struct item *item)
{
    static const enum term light[] = {
        TERM_FILLER, TERM_AGAIN, TERM_AND,  TERM_INSTEAD, TERM_FOR,
        TERM_IN,     TERM_OF,    TERM_FROM, TERM_BY,      TERM_PER,
        TERM_EACH,   TERM_ONLY,  TERM_SHOW, TERM_WHAT_IS,
    };

    return item->kind == ITEM_COMMA || item->kind == ITEM_STOP ||
           is_any_term(item, light, COUNT_OF(light));
}

static bool
is_rank(const struct reading *reading, size_t at)
{
    static const enum term ranks[] = {TERM_TOP, TERM_BOTTOM};

    return at + 1 < reading->count &&
           is_any_term(&reading->item[at], ranks, COUNT_OF(ranks)) &&
           reading->item[at + 1].kind == ITEM_NUMBER;
}

/* "by", "per" before it. */
static bool
is_grouped(const struct reading *reading, size_t at)
{
    static const enum term by[] = {TERM_BY, TERM_PER, TERM_EACH};

    return at > 0 && is_any_term(&reading->item[at - 1], by, COUNT_OF(by));
}

static enum thing
thing_of_column(const struct column *column, bool is_by)
{
    switch (column->role) {
    case ROLE_QUANTITY:
        return THING_NUMBER;
    case ROLE_DISCRETE:
        return is_by ? THING_KEY : THING_NUMBER;
    case ROLE_NOMINAL:
        return THING_KEY;
    case ROLE_TIME:
    case ROLE_KEY:
        break;
    }
    return THING_NONE;
}

static enum thing
thing_at(const struct reading *reading, size_t at)
{
    static const enum term reduces[] = {TERM_MEAN, TERM_MEDIAN, TERM_SUM, TERM_MAX,
                                        TERM_MIN},
                           periods[] = {TERM_YEAR, TERM_QUARTER, TERM_MONTH,  TERM_WEEK,
                                        TERM_DAY,  TERM_HOUR,    TERM_WEEKDAY};
    const struct item *item = &reading->item[at];

    if (is_rank(reading, at))
        return THING_RANK;
    if (is_any_term(item, reduces, COUNT_OF(reduces)))
        return THING_REDUCE;
    if (is_any_term(item, periods, COUNT_OF(periods)))
        return THING_PERIOD;
    if (item->kind == ITEM_VALUE)
        return THING_CELL;
    if (item->kind == ITEM_NUMBER)
        return item->number >= YEAR_FIRST && item->number <= YEAR_LAST ? THING_YEAR
                                                                       : THING_NONE;
    return item->kind == ITEM_COLUMN && item->links
               ? thing_of_column(&reading->frame->column[item->link[0].column],
                                 is_grouped(reading, at))
               : THING_NONE;
}

/* The one thing that a change says; false: there is none, or more. */
static bool
find_change(const struct reading *reading, struct said *said)
{
    *said = (struct said){0};
    for (size_t i = 0; i < reading->count && reading->count <= ITEMS_MOST; i++) {
        const struct item *item = &reading->item[i];

        said->replaces |= item->kind == ITEM_TERM && item->term == TERM_INSTEAD;
        if (item->kind == ITEM_TERM && item->term == TERM_ALSO) {
            said->adds = true;
            continue;
        }
        if (is_light(item))
            continue;
        const enum thing thing = thing_at(reading, i);
        if (!thing || said->thing)
            return false;
        said->thing = thing;
        said->first = i;
        said->last = i + (thing == THING_RANK);
        i = said->last;
    }
    return said->thing != THING_NONE && (!said->adds || said->thing == THING_NUMBER);
}

/* Whether two cells are of one column. */
static bool
is_same_column(const struct frame *frame, const struct item *one,
               const struct item *other)
{
    for (int a = one->value; a >= 0; a = frame->value[a].next)
        for (int b = other->value; b >= 0; b = frame->value[b].next)
            if (frame->value[a].column == frame->value[b].column)
                return true;
    return false;
}

/* The only one of its kind in the question before; false: none, or several. */
static bool
find_same(const struct reading *before, enum thing thing, const struct item *cell,
          struct said *found)
{
    *found = (struct said){0};
    for (size_t i = 0; i < before->count; i++) {
        if (thing_at(before, i) != thing ||
            (thing == THING_KEY && !is_grouped(before, i)) ||
            (cell && !is_same_column(before->frame, cell, &before->item[i])))
            continue;
        if (found->thing)
            return false;
        found->thing = thing;
        found->first = i;
        found->last = i + (thing == THING_RANK);
    }
    return found->thing != THING_NONE;
}

static size_t
begin_of(const struct reading *reading, size_t at)
{
    return reading->words.at[reading->item[at].begin].begin;
}

static size_t
end_of(const struct reading *reading, size_t at)
{
    const struct item *item = &reading->item[at];

    return reading->words.at[item->begin + item->len - 1].end;
}

static struct slice
text_of(const struct reading *reading, const struct said *said)
{
    const size_t begin = begin_of(reading, said->first);

    return (struct slice){reading->question.data + begin,
                          end_of(reading, said->last) - begin};
}

/* The question before, with [from, to) of its bytes said otherwise. */
static const char *
splice(struct arena *arena, struct slice text, size_t from, size_t to,
       struct slice other)
{
    return arena_printf(arena, "%.*s%.*s%.*s", (int)from, text.data, (int)other.len,
                        other.data, (int)(text.len - to), text.data + to);
}

/* "by month" goes, and "by quarter" stands at the end. */
static const char *
regroup(struct arena *arena, const struct reading *before, const struct said *old,
        struct slice name)
{
    const bool has_by = is_grouped(before, old->first);
    const size_t at = begin_of(before, old->first - has_by);
    const bool has_blank = at > 0 && before->question.data[at - 1] == ' ';
    const char *rest = splice(arena, before->question, at - has_blank,
                              end_of(before, old->last), (struct slice){"", 0});

    return arena_printf(arena, "%s by %.*s", rest, (int)name.len, name.data);
}

/* The last word of "per quarter"; a column has all of them. */
static struct slice
name_of(const struct reading *reading, const struct said *said)
{
    const struct item *item = &reading->item[said->last];
    const struct word *last = &reading->words.at[item->begin + item->len - 1];

    return said->thing == THING_PERIOD
               ? (struct slice){reading->question.data + last->begin,
                                last->end - last->begin}
               : text_of(reading, said);
}

/* "per faculty", of a question about one faculty: without that one, and by faculty. */
static const char *
free_group(struct arena *arena, const struct reading *before, const struct reading *now,
           struct said *said)
{
    static const enum term of[] = {TERM_FOR, TERM_IN, TERM_OF, TERM_FROM};
    const int column = now->item[said->first].link[0].column;
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < before->count; i++) {
        const struct item *item = &before->item[i];

        for (int v = item->kind == ITEM_VALUE ? item->value : -1; v >= 0;
             v = before->frame->value[v].next)
            if (before->frame->value[v].column == column) {
                if (found != SIZE_MAX && found != i)
                    return NULL;
                found = i;
            }
    }
    if (found == SIZE_MAX || !is_grouped(now, said->first))
        return NULL;
    const bool has_of =
        found > 0 && is_any_term(&before->item[found - 1], of, COUNT_OF(of));
    const char *rest = splice(arena, before->question, begin_of(before, found - has_of),
                              end_of(before, found), (struct slice){"", 0});
    const struct slice name = text_of(now, said);
    said->frees = true;
    return arena_printf(arena, "%s by %.*s", rest, (int)name.len, name.data);
}

/* NULL: it is no change of this kind. */
static const char *
change(struct arena *arena, const struct reading *before, const struct reading *now,
       struct said *said)
{
    const struct item *cell =
        said->thing == THING_CELL ? &now->item[said->first] : NULL;
    struct said old;

    if (said->thing == THING_KEY) {
        const char *text = free_group(arena, before, now, said);

        if (text)
            return text;
    }
    if (said->thing == THING_KEY || said->thing == THING_PERIOD) {
        const bool is_period =
            said->thing == THING_PERIOD && find_same(before, THING_PERIOD, NULL, &old);

        if (!is_period &&
            !(said->replaces && (find_same(before, THING_KEY, NULL, &old) ||
                                 find_same(before, THING_PERIOD, NULL, &old))))
            return NULL;
        return regroup(arena, before, &old, name_of(now, said));
    }
    const bool is_there = find_same(before, said->thing, cell, &old);
    if (is_there && said->adds)
        return splice(
            arena, before->question, end_of(before, old.last), end_of(before, old.last),
            slice_of(arena_printf(arena, " and %.*s", (int)text_of(now, said).len,
                                  text_of(now, said).data)));
    if (is_there)
        return splice(arena, before->question, begin_of(before, old.first),
                      end_of(before, old.last), text_of(now, said));
    if (said->thing != THING_REDUCE || !find_same(before, THING_NUMBER, NULL, &old))
        return NULL;
    const size_t at = begin_of(before, old.first); /* "price by city": its mean */
    return splice(arena, before->question, at, at,
                  slice_of(arena_printf(arena, "%.*s ", (int)text_of(now, said).len,
                                        text_of(now, said).data)));
}

/* Whether all else is as it was. */
static bool
is_same_but(json_t *before, json_t *now, const struct said *said)
{
    static const char *const parts[] = {"filters", "keys",     "amounts",
                                        "having",  "along",    "per",
                                        "share",   "share_of", "move"};

    const enum thing thing = said->thing;

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        json_t *was = json_object_get(before, parts[i]),
               *is = json_object_get(now, parts[i]);
        const bool is_changed =
            ((thing == THING_CELL || thing == THING_YEAR) && i == 0) ||
            ((thing == THING_KEY || thing == THING_PERIOD) && i == 1) ||
            ((thing == THING_REDUCE || thing == THING_NUMBER) && i == 2);

        const size_t size = json_array_size(was) + said->adds;

        if (said->frees && i < 2 ? json_array_size(is) + 1 != size + 2 * i
            : is_changed         ? size != json_array_size(is)
                                 : !json_equal(was, is))
            return false;
    }
    return !json_equal(before, now);
}

bool
planner_substitute(struct planner_session *s)
{
    json_t *json = planner_followup_last(s);
    const int frame = planner_followup_frame(s, json);
    const char *asked = json_string_value(json_object_get(json, "asked"));
    struct said said;

    if (frame < 0 || !asked)
        return false;
    const struct frame *about = &s->profile->frame[frame];
    const struct reading now =
        reading_make(s->arena, s->lexicon, about, s->question, &s->words);
    if (!find_change(&now, &said))
        return false;
    struct words words = words_split(s->arena, slice_of(asked), WORDS_MAX);
    words = lexicon_rewrite(s->lexicon, s->arena, &words);
    const struct reading before =
        reading_make(s->arena, s->lexicon, about, slice_of(asked), &words);
    const char *text = change(s->arena, &before, &now, &said);
    struct parser *was = arena_alloc(s->arena, 1, sizeof(*was)),
                  *is = arena_alloc(s->arena, 1, sizeof(*is));
    if (!text || !planner_query_read(s, about, asked, was) ||
        !planner_query_read(s, about, text, is))
        return false;
    if (said.thing == THING_REDUCE && (was->query->along || was->query->share))
        return false; /* a running total of means */
    json_auto_t *old = query_to_json(s->arena, was->query);
    json_auto_t *changed = query_to_json(s->arena, is->query);
    if (!is_same_but(old, changed, &said))
        return false;
    planner_restyle_keep(s, about, json, was->query, is->query);
    planner_query_changed(s, is->query, text);
    return true;
}
