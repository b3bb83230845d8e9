/* "won deals" of a stage "Closed Won": a word that one value alone has in it. */
#include "bridge/planner/tokens/parser.h"

enum {
    VALUES_MOST = 40, /* of a column: more are names, not kinds of things */
    WORDS_MOST = 4,   /* of a value: more are sentences */
    LETTERS_LEAST = 3,
    LOOKS_MOST = 20000, /* for all words of a question: a wide table has many */
};

static bool
has_part(struct parser *p, const char *value, const struct word *word)
{
    const struct words words =
        words_split(p->arena, slice_of(value ? value : ""), WORDS_MOST + 1);
    bool is_found = false;

    for (size_t i = 0; i < words.count; i++)
        is_found |= words.at[i].kind == WORD_TEXT &&
                    (words.at[i].stem == word->stem ||
                     (i + 1 == words.count && /* "pay" is not "paid search" */
                      lexicon_is_form(p->lexicon, word->text, words.at[i].text)));
    return is_found && words.count > 1 && words.count <= WORDS_MOST;
}

static int
value_of(const struct frame *frame, int column, const char *text)
{
    int found = frame_find_value(frame, words_squash(0, text));

    while (found >= 0 && frame->value[found].column != column)
        found = frame->value[found].next;
    return found;
}

int
parse_parts_find(struct parser *p, const struct word *word)
{
    const char *found = NULL;
    int column = -1;

    if (word->kind != WORD_TEXT || strlen(word->text) < LETTERS_LEAST ||
        lexicon_flags(p->lexicon, word->stem) & (FLAG_VAGUE | FLAG_LIGHT) ||
        frame_is_noun(p->frame, word->stem))
        return -1;
    for (int i = 0; i < p->frame->columns; i++) {
        const struct column *about = &p->frame->column[i];
        size_t at;
        json_t *text;

        if (about->kind != COLUMN_TEXT || json_array_size(about->values) > VALUES_MOST)
            continue;
        json_array_foreach (about->values, at, text) {
            if (++p->values_looked > LOOKS_MOST)
                return -1;
            if (!has_part(p, json_string_value(text), word))
                continue;
            if (found)
                return -1; /* it would be a guess */
            found = json_string_value(text);
            column = i;
        }
    }
    return found ? value_of(p->frame, column, found) : -1;
}
