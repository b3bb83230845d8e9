/* Text that is numbers, plain ones or with units: "$1,200", "12 %", "EUR 650". */
#include <ctype.h>
#include <strings.h>

#include "bridge/planner/profile/profile_reader.h"

/* As they are written before or behind an amount; the same money has one number. */
static const struct {
    const char *sign;
    int money;
} moneys[] = {
    {"EUR", 1 },
    {"€", 1 },
    {"USD", 2 },
    {"$",   2 },
    {"GBP", 3 },
    {"£",  3 },
    {"JPY", 4 },
    {"¥",  4 },
    {"CHF", 5 },
    {"SEK", 6 },
    {"NOK", 7 },
    {"DKK", 8 },
    {"PLN", 9 },
    {"CZK", 10},
    {"INR", 11},
    {"₹", 11},
    {"CAD", 12},
    {"AUD", 13},
};

/* 0: none is written there. */
static int
money_of(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(moneys); i++)
        if (strstr(text, moneys[i].sign))
            return moneys[i].money;
    return 0;
}

/* Behind "EUR " of "EUR 12". */
static const char *
behind_money(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(moneys); i++) {
        const size_t len = strlen(moneys[i].sign);

        if (strncmp(text, moneys[i].sign, len) == 0) {
            text += len;
            return text + strspn(text, " ");
        }
    }
    return text;
}

/* A number with money before it, or behind it a sign of money, thousands, percent or a
 * short unit. "EPA 200.8", "Room 12" are names. */
static bool
is_measure_text(const char *text, bool *is_percent)
{
    size_t digits = 0, letters = 0;

    *is_percent = strchr(text, '%') != NULL;
    if (isalpha((unsigned char)*behind_money(text)))
        return false;
    for (const char *at = text; *at; at++) {
        digits += isdigit((unsigned char)*at) != 0;
        letters += isalpha((unsigned char)*at) != 0;
        if (strchr("/:", *at) || (*at == '-' && digits))
            return false;
    }
    return digits > 0 && letters <= 4;
}

static bool
starts_alike(const char *a, const char *b)
{
    size_t i = 0, k = strlen(a), l = strlen(b);

    while (isalpha((unsigned char)a[i]) && a[i] == b[i])
        i++;
    if (isalpha((unsigned char)a[i]) || isalpha((unsigned char)b[i]))
        return false; /* "A12" and "B7" are names */
    return i < 4 && k && l;
}

/* "P01", "C100042", "W-07": letters that touch the digits behind them. */
static bool
is_numbered_name(const char *text)
{
    size_t letters = 0;

    while (isalpha((unsigned char)text[letters]))
        letters++;
    size_t joint = letters > 0 && text[letters] && strchr("-_#", text[letters]) ? 1 : 0;
    return letters > 0 && isdigit((unsigned char)text[letters + joint]);
}

/* What people write where there is no number. */
static bool
is_placeholder(const char *text)
{
    static const char *const words[] = {"n/a", "na",  "n.a.", "n/k",  "-",       "--",
                                        "?",   "nan", "none", "null", "unknown", "tbd"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Behind the number of "13.1 C"; empty where nothing is. */
static const char *
unit_behind(const char *text)
{
    const char *end = text + strlen(text);

    while (end > text && isalpha((unsigned char)end[-1]))
        end--;
    return end > text && end[-1] == ' ' ? end : "";
}

/* Behind the sign of "<0.05", which a number too small to be measured has. */
static const char *
behind_bound(const char *text)
{
    const char *rest = text + strspn(text, "<>");

    return rest > text && rest <= text + 2 ? rest + strspn(rest, " ") : text;
}

enum {
    NUMBERS_LEAST = 10, /* beside which a word can only stand for none */
    PLACEHOLDER_MOST = 12,
    SAYING_LEAST = 4, /* letters of "not counted"; "T" of rain is a trace of it */
};

/* Every text is a number with the same letters around it: "$1,200", "12 %", "5 kg"; or
 * all are plain numbers but for one word: "12", "7", "not counted"; or for the unit
 * behind some, which is the same one: "12.4", "13.1 C". */
void
column_read_measured(struct column *column, json_t *texts)
{
    size_t at, marked = 0, found = 0, lettered = 0, named = 0, placeholders = 0,
               bounds = 0;
    json_t *json;
    const char *first = NULL, *instead = NULL, *placeholder = NULL, *unit = "";
    bool percent = false, is_one_unit = true;
    int money = 0;

    json_array_foreach (texts, at, json) {
        const char *text = json_string_value(json);

        if (!text || !*text)
            continue;
        if (is_placeholder(text)) {
            placeholders++;
            placeholder = text;
            continue;
        }
        if (!strpbrk(text, "0123456789") && strlen(text) <= PLACEHOLDER_MOST &&
            (!instead || strcmp(instead, text) == 0)) {
            instead = text;
            continue;
        }
        if (behind_bound(text) > text) {
            column->bound = text;
            text = behind_bound(text);
            bounds++;
        }
        first = first ? first : behind_money(text);
        if (!is_measure_text(text, &percent) ||
            !starts_alike(first, behind_money(text)) ||
            (money && money_of(text) && money_of(text) != money))
            return; /* dollars and euros have no sum */
        money = money ? money : money_of(text);
        found++;
        is_one_unit &=
            !*unit || !*unit_behind(text) || strcmp(unit, unit_behind(text)) == 0;
        unit = *unit ? unit : unit_behind(text);
        marked += strpbrk(text, "$%,") != NULL || (unsigned char)text[0] >= 0x80 ||
                  behind_money(text) != text;
        lettered += isalpha((unsigned char)text[strlen(text) - 1]) != 0 ||
                    isalpha((unsigned char)text[0]) != 0;
        named += is_numbered_name(behind_money(text));
        column->is_percent = percent;
    }
    if (instead && found < (column->values ? NUMBERS_LEAST : 1)) /* a form has many */
        return;
    if (bounds > 0 && found - bounds < (column->values ? NUMBERS_LEAST : 1))
        return; /* "<5" and ">5" are two names */
    column->is_measured = found > 0 &&
                          (marked > 0 || (bounds > 0 && !lettered) ||
                           (lettered == found && named < found) ||
                           (!lettered && (placeholders || instead)) ||
                           (*unit && is_one_unit && named == 0)) &&
                          !column->is_numeric_text;
    column->is_percent &= column->is_measured;
    if (column->is_measured)
        column->placeholder = placeholder ? placeholder : instead;
}

const char *
column_says_missing(const struct column *column)
{
    const char *text = column->placeholder;

    return text && (is_placeholder(text) || strlen(text) >= SAYING_LEAST) ? text : NULL;
}

const char *
column_dates(struct arena *arena, const struct column *column, const char *cells)
{
    return arena_printf(arena, "pd.to_datetime(%s, errors=\"coerce\"%s%s)", cells,
                        column->takes_mixed ? ", format=\"mixed\"" : "",
                        column->is_day_first ? ", dayfirst=True" : "");
}

const char *
column_measured(struct arena *arena, const struct column *column, const char *cells)
{
    if (column->span)
        return column_seconds(arena, column, cells);
    return arena_printf(arena,
                        "pd.to_numeric(%s.astype(str).str.replace(r\"[^0-9.\\-]\", "
                        "\"\", regex=True), errors=\"coerce\")",
                        cells);
}

/* Where "/" stands behind a unit: "EUR/night"; 0: nowhere. */
static size_t
slash_behind_unit(const struct column *column, const struct lexicon *lexicon)
{
    for (size_t i = 2; i + 1 < column->words.count; i++)
        if (words_is_per(&column->words, i) &&
            lexicon_flags(lexicon, column->words.at[i - 1].stem) & FLAG_UNIT)
            return i;
    return 0;
}

bool
column_is_per_unit(const struct column *column, const struct lexicon *lexicon)
{
    return slash_behind_unit(column, lexicon) > 0;
}

static bool
is_currency(const struct lexicon *lexicon, const struct word *word)
{
    const struct words *full = lexicon_expansion(lexicon, word->stem);

    return lexicon_lists(lexicon, "word.currencies",
                         full && full->count == 1 ? full->at[0].text : word->text);
}

double
column_scale_word(const struct lexicon *lexicon, const char *text)
{
    static const struct {
        const char *list;
        double scale;
    } scales[] = {
        {"word.kilos", 1e3},
        {"word.megas", 1e6},
        {"word.gigas", 1e9},
    };

    for (size_t i = 0; i < COUNT_OF(scales); i++)
        if (lexicon_lists(lexicon, scales[i].list, text))
            return scales[i].scale;
    return 0;
}

double
column_scale_at(const struct words *words, const struct lexicon *lexicon, size_t at)
{
    const bool is_beside =
        (at > 0 && is_currency(lexicon, &words->at[at - 1])) ||
        (at + 1 < words->count && is_currency(lexicon, &words->at[at + 1]));

    return is_beside ? column_scale_word(lexicon, words->at[at].text) : 0;
}

double
column_scale(const struct column *column, const struct lexicon *lexicon)
{
    for (size_t i = 1; i < column->words.count; i++) {
        const double scale = column_scale_at(&column->words, lexicon, i);

        if (scale > 0)
            return scale;
    }
    return 1;
}

bool
column_is_in_currency(const struct column *column, const struct lexicon *lexicon)
{
    const size_t slash = slash_behind_unit(column, lexicon);
    size_t count = slash ? slash : column->words.count;

    while (count > 1 && column->words.at[count - 1].kind == WORD_MARK)
        count--; /* "(EUR)" */
    if (count > 2 && column_scale_at(&column->words, lexicon, count - 1) > 0)
        count--; /* `EUR_k` */
    return count > 1 && is_currency(lexicon, &column->words.at[count - 1]);
}

/* --- plain numbers that were read as text --- */

static bool
is_number_text(const char *text)
{
    char *end;

    if (!*text || strspn(text, "0123456789+-.eE") != strlen(text))
        return false; /* strtod knows more forms than Python's float */
    strtod(text, &end);
    return *end == '\0';
}

static bool
values_are_numbers(json_t *values)
{
    size_t at, numbers = 0;
    json_t *value;

    json_array_foreach (values, at, value) {
        const char *text = json_string_value(value);

        if (json_is_number(value) || (text && is_number_text(text)))
            numbers++;
        else if (!text || *text)
            return false; /* "1,010" among hundreds below a thousand */
    }
    return numbers > 0;
}

/* Without values its forms: then decimals ("12.50") are told from the numbers that are
 * names. */
bool
column_is_numeric_text(const struct column *column, json_t *forms)
{
    size_t at;
    json_t *form;

    if (column->kind != COLUMN_TEXT)
        return false;
    if (column->values)
        return values_are_numbers(column->values);
    json_array_foreach (forms, at, form)
        if (json_string_value(form) && strchr(json_string_value(form), '.'))
            return values_are_numbers(forms);
    return false;
}
