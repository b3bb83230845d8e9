#include "bridge/planner/words/words.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <strings.h>
#include <wctype.h>

#include "common/utf8.h"

enum {
    UNIT_MOST = 3, /* letters of "kWh" */
};

struct splitter {
    struct arena *arena;
    struct slice text;
    size_t at;
    struct words words;
    size_t max;
    int quote, quotes; /* open pair, and how many there were */
};

/* --- letters --- */

static size_t
sequence_at(const struct splitter *s, size_t at)
{
    size_t len = utf8_sequence(s->text.data + at, s->text.len - at);

    return len ? len : 1;
}

static wint_t
decode(const char *text, size_t len)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    wint_t code = (unsigned char)text[0] & lead[len < 5 ? len : 4];

    for (size_t i = 1; i < len; i++)
        code = (code << 6) | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* General punctuation, spaces and bidi marks are not letters; all else above ASCII is.
 */
static bool
is_wide_letter(wint_t code)
{
    return code >= 0xaa && code != 0xab && code != 0xb7 && code != 0xbb &&
           code != 0xbf && !(code >= 0x2000 && code <= 0x206f) &&
           !(code >= 0x20a0 && code <= 0x20cf) && /* "€" */
           !(code >= 0x3000 && code <= 0x3003) && code != 0xfeff;
}

static bool
is_letter_at(const struct splitter *s, size_t at)
{
    if (at >= s->text.len)
        return false;
    unsigned char byte = (unsigned char)s->text.data[at];

    if (byte < 0x80)
        return isalpha(byte);
    size_t len = utf8_sequence(s->text.data + at, s->text.len - at);
    return len > 1 && is_wide_letter(decode(s->text.data + at, len));
}

static bool
is_digit_at(const struct splitter *s, size_t at)
{
    return at < s->text.len && isdigit((unsigned char)s->text.data[at]);
}

/* Alphabets that have capitals and are written in two bytes; the rest has no case here.
 */
static wint_t
lower_code(wint_t code)
{
    static const struct {
        wint_t first, last, distance;
    } capitals[] = {
        {0xc0,  0xde,  0x20},
        {0x391, 0x3a9, 0x20},
        {0x410, 0x42f, 0x20},
        {0x400, 0x40f, 0x50},
    };

    if ((code >= 0x100 && code <= 0x137 && code != 0x130) ||
        (code >= 0x14a && code <= 0x177))
        return code | 1; /* capitals and small letters alternate */
    if (code >= 0x139 && code <= 0x148)
        return code + (code & 1);
    for (size_t i = 0; i < COUNT_OF(capitals); i++)
        if (code >= capitals[i].first && code <= capitals[i].last && code != 0xd7)
            return code + capitals[i].distance;
    return code;
}

static char *
lower(struct arena *arena, const char *text, size_t len)
{
    char *low = arena_text(arena, text, len);

    for (size_t i = 0; i < len;) {
        size_t size = utf8_sequence(low + i, len - i);

        if (size <= 1) {
            low[i] = (char)tolower((unsigned char)low[i]);
        } else if (size == 2) {
            wint_t code = lower_code(decode(low + i, 2));

            low[i] = (char)(0xc0 | (code >> 6));
            low[i + 1] = (char)(0x80 | (code & 0x3f));
        }
        i += size ? size : 1;
    }
    return low;
}

static struct word *
add_word(struct splitter *s, enum word_kind kind, size_t begin, size_t end)
{
    struct word *word = &s->words.at[s->words.count++];

    *word = (struct word){.kind = kind, .begin = begin, .end = end, .quote = s->quote};
    word->text = lower(s->arena, s->text.data + begin, end - begin);
    word->stem = words_stem(word->text, end - begin);
    s->at = end;
    return word;
}

/* --- numbers and dates --- */

static size_t
match_date(const struct splitter *s)
{
    static const char *const shapes[] = {"dddd-dd-dd", "dddd/dd/dd", "dd/dd/dddd",
                                         "d/dd/dddd",  "dd/d/dddd",  "d/d/dddd",
                                         "dd.dd.dddd", "dddd-dd"};

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        size_t len = strlen(shapes[i]), k = 0;

        while (k < len && s->at + k < s->text.len &&
               (shapes[i][k] == 'd' ? is_digit_at(s, s->at + k)
                                    : s->text.data[s->at + k] == shapes[i][k]))
            k++;
        if (k == len && !is_digit_at(s, s->at + k) && !is_letter_at(s, s->at + k))
            return len;
    }
    return 0;
}

static size_t
number_end(const struct splitter *s)
{
    size_t at = s->at;

    while (is_digit_at(s, at))
        at++;
    while (at < s->text.len && s->text.data[at] == ',' && is_digit_at(s, at + 1) &&
           is_digit_at(s, at + 2) && is_digit_at(s, at + 3) && !is_digit_at(s, at + 4))
        at += 4;
    if (at < s->text.len && s->text.data[at] == '.' && is_digit_at(s, at + 1))
        for (at++; is_digit_at(s, at);)
            at++;
    return at;
}

static double
scale_at(const struct splitter *s, size_t *end)
{
    static const struct {
        const char *unit;
        double scale;
    } scales[] = {
        {"k",  1e3},
        {"m",  1e6},
        {"bn", 1e9},
        {"mn", 1e6}
    };

    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        size_t len = strlen(scales[i].unit);

        if (s->text.len - *end >= len && !is_letter_at(s, *end + len) &&
            strncasecmp(s->text.data + *end, scales[i].unit, len) == 0) {
            *end += len;
            return scales[i].scale;
        }
    }
    return 1;
}

static void
take_number(struct splitter *s)
{
    size_t date = match_date(s), begin = s->at, end, used = 0;
    char digits[64];

    if (date) {
        add_word(s, WORD_DATE, s->at, s->at + date);
        return;
    }
    end = number_end(s);
    for (size_t i = begin; i < end && used + 1 < sizeof(digits); i++)
        if (s->text.data[i] != ',')
            digits[used++] = s->text.data[i];
    digits[used] = '\0';
    size_t stop = end;
    double scale = scale_at(s, &stop);
    add_word(s, WORD_NUMBER, begin, stop)->number = strtod(digits, NULL) * scale;
}

/* --- words and marks --- */

static bool
is_upper_at(const struct splitter *s, size_t at)
{
    return at < s->text.len && isupper((unsigned char)s->text.data[at]);
}

static bool
is_lower_at(const struct splitter *s, size_t at)
{
    return at < s->text.len && islower((unsigned char)s->text.data[at]);
}

static size_t
apostrophe_at(const struct splitter *s, size_t at)
{
    if (at < s->text.len && s->text.data[at] == '\'')
        return 1;
    return at + 3 <= s->text.len && memcmp(s->text.data + at, "\xE2\x80\x99", 3) == 0
               ? 3
               : 0;
}

/* "kWh", "MHz", "pH": a unit, and not words that were joined. */
static bool
is_unit(const struct splitter *s, size_t begin)
{
    size_t end = begin;

    while (end - begin <= UNIT_MOST && is_letter_at(s, end))
        end++;
    return end - begin <= UNIT_MOST;
}

/* What is written in small letters behind capitals that are a word of their own. */
static bool
is_short_end(const struct splitter *s, size_t at)
{
    static const char *const ends[] = {"pct", "sys", "dia", "num", "cnt", "amt", "qty",
                                       "avg", "min", "max", "lat", "lon", "eur", "usd"};

    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (s->text.len - at >= 3 && memcmp(s->text.data + at, ends[i], 3) == 0 &&
            !is_letter_at(s, at + 3))
            return true;
    return false;
}

/* "orderDate" ends after "order", "IDNumber" after "ID", "VATpct" after "VAT". */
static bool
is_hump(const struct splitter *s, size_t begin, size_t at)
{
    if (at <= begin || is_unit(s, begin))
        return false;
    if (!is_upper_at(s, at))
        return at > begin + 1 && is_upper_at(s, at - 1) && is_upper_at(s, at - 2) &&
               is_short_end(s, at);
    return is_lower_at(s, at - 1) ||
           (is_upper_at(s, at - 1) && is_lower_at(s, at + 1) &&
            is_lower_at(s, at + 2) && !is_short_end(s, at + 1));
}

/* "m2", "km2", "m3": one unit. */
static bool
is_power(const struct splitter *s, size_t begin, size_t at)
{
    static const char *const units[] = {"m", "km", "cm", "mm", "ft"};

    if (at >= s->text.len || (s->text.data[at] != '2' && s->text.data[at] != '3') ||
        is_digit_at(s, at + 1) || is_letter_at(s, at + 1))
        return false;
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (at - begin == strlen(units[i]) &&
            strncasecmp(s->text.data + begin, units[i], at - begin) == 0)
            return true;
    return false;
}

static void
take_text(struct splitter *s)
{
    size_t begin = s->at, at = begin;

    while (is_letter_at(s, at) && !is_hump(s, begin, at))
        at += sequence_at(s, at);
    at += is_power(s, begin, at);
    add_word(s, WORD_TEXT, begin, at);
    size_t apostrophe = apostrophe_at(s, at), after = at + apostrophe;
    if (!apostrophe || !is_letter_at(s, after))
        return;
    while (is_letter_at(s, after)) /* car's, don't */
        after += sequence_at(s, after);
    if (s->text.data[after - 1] == 't' && s->text.data[at - 1] == 'n') {
        s->words.count--;
        add_word(s, WORD_TEXT, begin, after);
    } else {
        s->at = after;
    }
}

static size_t
mark_length(const struct splitter *s)
{
    static const char *const pairs[] = {"<=", ">=", "!=", "==", "<>"};

    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (s->text.len - s->at >= 2 && memcmp(s->text.data + s->at, pairs[i], 2) == 0)
            return 2;
    return sequence_at(s, s->at);
}

static bool
take_quote(struct splitter *s)
{
    static const char *const marks[] = {
        "\"", "'", "`", "\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x98", "\xE2\x80\x99"};

    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        size_t len = strlen(marks[i]);

        if (s->text.len - s->at < len || memcmp(s->text.data + s->at, marks[i], len))
            continue;
        s->quote = s->quote ? 0 : ++s->quotes;
        s->at += len;
        return true;
    }
    return false;
}

static bool
is_skipped(char byte)
{
    return isspace((unsigned char)byte) || iscntrl((unsigned char)byte) || byte == '_';
}

struct words
words_split(struct arena *arena, struct slice text, size_t max)
{
    size_t most = text.len < max ? text.len : max;
    struct splitter s = {.arena = arena, .text = text, .max = most};

    s.words.at = arena_alloc(arena, most + 1, sizeof(*s.words.at));
    while (s.at < text.len && s.words.count < s.max) {
        if (is_skipped(text.data[s.at]))
            s.at++;
        else if (is_digit_at(&s, s.at))
            take_number(&s);
        else if (is_letter_at(&s, s.at))
            take_text(&s);
        else if (!take_quote(&s))
            add_word(&s, WORD_MARK, s.at, s.at + mark_length(&s));
    }
    return s.words;
}

bool
words_is_per(const struct words *words, size_t at)
{
    return words->at[at].kind == WORD_MARK && words->at[at].text[0] == '/';
}

bool
words_is_in_code(const struct words *words, size_t at)
{
    return at + 1 < words->count && words->at[at + 1].kind == WORD_NUMBER &&
           words->at[at + 1].begin == words->at[at].end;
}
