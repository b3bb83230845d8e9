/* Names of single rows: "employee E10417", "order 40367". Their values are too many for
 * a profile to list; how they are written tells them. */
#include "bridge/planner/tokens/parser.h"

#include <ctype.h>

enum {
    CODE_MOST = 40, /* characters */
    FORMS_TRIED = 20,
    FEW = 60, /* different numbers: "store 2" is a group rather than one row */
};

static bool
is_shaped_so(const char *form, const char *text, size_t len)
{
    bool has_digit = false;

    if (strlen(form) != len)
        return false;
    for (size_t i = 0; i < len; i++) {
        const unsigned char a = (unsigned char)form[i], b = (unsigned char)text[i];

        has_digit |= isdigit(b) != 0;
        if (isdigit(a) ? !isdigit(b) : isalpha(a) ? !isalpha(b) : a != b)
            return false;
    }
    return has_digit;
}

/* A name of that column that is written as the text is; NULL. */
static const char *
code_like(const struct column *column, const char *text, size_t len)
{
    const json_t *forms = column->values ? column->values : column->texts;

    if (column->role != ROLE_KEY || column->kind != COLUMN_TEXT)
        return NULL;
    for (size_t i = 0; i < FORMS_TRIED && i < json_array_size(forms); i++) {
        const char *form = json_string_value(json_array_get(forms, i));

        if (form && is_shaped_so(form, text, len))
            return form;
    }
    return NULL;
}

/* As they are written there, in capitals or not. */
static char *
in_its_case(struct parser *p, const char *form, const char *text, size_t len)
{
    char *code = arena_text(p->arena, text, len);

    for (size_t i = 0; i < len; i++)
        if (isalpha((unsigned char)form[i]))
            code[i] = (char)(isupper((unsigned char)form[i])
                                 ? toupper((unsigned char)code[i])
                                 : tolower((unsigned char)code[i]));
    return code;
}

/* The bytes that stand there without a space; an end of a sentence is not of them. */
static size_t
length_at(const struct parser *p, size_t begin)
{
    const struct slice text = p->reading->question;
    size_t len = 0;

    while (begin + len < text.len && len <= CODE_MOST &&
           !isspace((unsigned char)text.data[begin + len]))
        len++;
    while (len && strchr("?!.,;:'\")", text.data[begin + len - 1]))
        len--;
    return len;
}

static size_t
begin_of(const struct parser *p, int at)
{
    return p->reading->words.at[p->token[at].item->begin].begin;
}

/* Where what stands there without a space begins: "E" of "E10417". */
static size_t
begin_of_code(const struct parser *p, int at)
{
    const size_t own = begin_of(p, at);
    size_t begin = own;

    while (begin && own - begin < CODE_MOST &&
           !isspace((unsigned char)p->reading->question.data[begin - 1]) &&
           !strchr("('\"", p->reading->question.data[begin - 1]))
        begin--;
    return begin;
}

/* "order 10017", and not "over 10000": digits alone are a name behind what is so
 * called. */
static bool
is_called_so(const struct parser *p, int at, const char *form, int column)
{
    const bool is_row =
        token_kind(p, at - 1, TOKEN_ROWS) && !p->token[at - 1].is_plural;

    for (; *form; form++)
        if (isalpha((unsigned char)*form))
            return true;
    return is_row || token_column(p, at - 1) == &p->frame->column[column];
}

static void
add_code(struct parser *p, int at, int to, int column, struct operand operand)
{
    p->at = at; /* where the test stands */
    parser_add_operand(parser_add_test(p, value_of_column(p, column), OP_EQ), operand);
    p->at = 0;
    token_drop(p, at, to);
}

/* The number at `at` and what stands beside it without a space. */
static bool
take_text(struct parser *p, int at)
{
    const size_t begin = begin_of_code(p, at), len = length_at(p, begin);
    const char *text = p->reading->question.data + begin, *form = NULL;
    int from = at, to = at;

    if (len < 3 || len > CODE_MOST)
        return false;
    while (from > 0 && begin_of(p, from - 1) >= begin)
        from--;
    while (to + 1 < p->count && begin_of(p, to + 1) < begin + len)
        to++;
    for (int i = 0; i < p->frame->columns && !form; i++) {
        form = code_like(&p->frame->column[i], text, len);
        if (form && !is_called_so(p, from, form, i))
            form = NULL;
        if (form)
            add_code(p, from, to, i,
                     (struct operand){.text = in_its_case(p, form, text, len)});
    }
    return form != NULL;
}

/* "order 40367" of a number that tells rows apart */
static bool
take_number(struct parser *p, int at)
{
    const struct column *column = token_column(p, at - 1);

    if (!column || column->role != ROLE_KEY || column->kind != COLUMN_NUMBER ||
        column->unique <= FEW || !column->has_range ||
        p->token[at].number < column->low || p->token[at].number > column->high ||
        p->token[at - 1].is_plural)
        return false;
    add_code(p, at - 1, at, p->token[at - 1].value->column,
             (struct operand){.is_number = true, .number = p->token[at].number});
    return true;
}

void
parse_codes(struct parser *p)
{
    for (int i = 0; i < p->count; i++)
        if (token_kind(p, i, TOKEN_NUMBER) && token_is_free(p, i) && !take_text(p, i))
            (void)take_number(p, i);
}
