#include "bridge/prompt/redact.h"

#include <ctype.h>

#define PLACEHOLDER "<value>"

/* Words of messages by Python, numpy, pandas and matplotlib, sorted. */
static const char message_words[] =
    " a abbreviation above accept accepted accessible accessor add adding after"
    " aggregate alias align all allowed already also ambiguous an and any apply"
    " are argument arguments array arrays as assign at attribute axes axis bad bar"
    " base be because been before bin bins bool boolean both broadcast but by call"
    " callable called can cannot cast casting cell character class closed color"
    " column columns compare comparison component concatenate contain contains"
    " conversion convert converted converting could count create cut cyclic data"
    " dataframe dataframegroupby date dates datetime datetimeindex datetimelike"
    " day decode defined density deprecated dict did different dimension"
    " dimensional dimensions directly directory division do does doesn don drop"
    " dtype dtypes duplicate duplicated during each edges either element elements"
    " else empty encountered entries equal error exactly exceeds exist exists"
    " expected explicit expression factor failed field figure file fill filter"
    " first float for forbidden format found frame frequency from function get"
    " given got greater group groupby grouped grouper groups had handle has have"
    " if import in incompatible incorrect increasing indent indentation index"
    " indexer indexers indexes indices inferred infinite infinity inhomogeneous"
    " initial input inputs instance instead int integer integers interpret"
    " interval into invalid is it item items iterable join key keys keyword kind"
    " known label labels lambda larger least left len length lengths less level"
    " levels like line linear list literal local location mapping marker mask"
    " match matching maximum mean member memory merge method methods minimum"
    " mismatch missing mixed module monotonic month more multi multiindex multiple"
    " must mutable name named names nan ndarray need negative new no non none"
    " nonetype not null number numbers numeric numpy object objects of off offset"
    " on one only operand operands operation option or order other out outside"
    " overlap parameter parse parser parsing partial pass passed period permission"
    " permitted position positional possible property provided python range"
    " reached read reduction referenced reindex remote required requires resample"
    " reshape resolution result return right rolling row rows s same scalar"
    " sequence series seriesgroupby set setting shape shapes should single size"
    " slice sort specified specify start step str string strings style"
    " subscriptable such suffix sum support supported supports syntax table take"
    " takes target temporal than that the there this time timedelta timestamp"
    " timestamps timezone to together token too transform truth try tuple two type"
    " types ufunc unable unexpected unhashable unique unit unknown unpack unpacked"
    " unrecognized unsupported use used using valid value values variable was were"
    " when where which width window with within without wrong year you your zero ";

/* Types that messages put in quotes. */
static const char type_words[] =
    " Axes AxesSubplot bool bytes category complex DataFrame DataFrameGroupBy"
    " datetime datetime64 DatetimeIndex dict dtype Figure float float32 float64"
    " function Index int int32 int64 Int64Index list method module MultiIndex"
    " ndarray NoneType numpy object pandas PeriodIndex RangeIndex Series"
    " SeriesGroupBy set slice str string Timedelta timedelta64 Timestamp tuple"
    " type ";

struct redaction {
    struct slice code;
    const json_t *names;
    char quote; /* the one we are inside of, or 0 */
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t
word_length(const char *at)
{
    size_t len = 0;

    while (is_word(at[len]))
        len++;
    return len;
}

/* Lists are words between blanks. */
static bool
is_in(const char *list, struct slice word, bool any_case)
{
    AUTO(mem) char *entry = xasprintf(" %.*s ", (int)word.len, word.data);

    return (any_case ? strcasestr(list, entry) : strstr(list, entry)) != NULL;
}

/* As a whole word, so that a cell's text does not pass because the code contains its
 * letters. */
static bool
code_has(struct slice code, struct slice word)
{
    const char *at = code.data, *end = code.data + code.len;

    while ((at = memmem(at, (size_t)(end - at), word.data, word.len))) {
        bool begins = at == code.data || !is_word(at[-1]);
        bool ends = at + word.len == end || !is_word(at[word.len]);
        if (begins && ends)
            return true;
        at++;
    }
    return false;
}

static bool
is_number(struct slice word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!isdigit((unsigned char)word.data[i]))
            return false;
    return true;
}

/* A number stands alone: not a part of a date, a telephone or an account number. */
static bool
stands_alone(const char *message, const char *at, size_t len)
{
    bool begins = at == message || strchr(" (=,[", at[-1]);
    const char *end = at + len;
    bool ends = *end == '\0' || strchr(" )=,];:", *end) || (*end == '.' && !end[1]);

    return begins && ends && len <= 9;
}

/* The last letter of "doesn't". */
static bool
is_contraction(const char *message, const char *at, size_t len)
{
    return len == 1 && at > message + 1 && at[-1] == '\'' && is_word(at[-2]);
}

static bool
is_known(const struct redaction *r, const char *message, const char *at, size_t len)
{
    const struct slice word = {at, len};

    if (code_has(r->code, word) || is_contraction(message, at, len))
        return true;
    if (r->quote)
        return is_in(type_words, word, false);
    if (is_number(word))
        return stands_alone(message, at, len);
    return is_in(message_words, word, true) || is_in(type_words, word, false);
}

/* The longest shown name that begins here; names may contain blanks and punctuation. */
static size_t
name_here(const struct redaction *r, const char *at)
{
    size_t best = 0, i;
    json_t *name;

    json_array_foreach (r->names, i, name) {
        size_t len = json_string_length(name);
        if (len > best && strncmp(at, json_string_value(name), len) == 0 &&
            !(is_word(at[len - 1]) && is_word(at[len])))
            best = len;
    }
    return best;
}

static void
append_placeholder(struct buffer *out)
{
    const size_t len = strlen(PLACEHOLDER);
    size_t end = out->len;

    while (end && strchr(" -/.", out->data[end - 1])) /* one for a run of words */
        end--;
    if (end >= len && memcmp(out->data + end - len, PLACEHOLDER, len) == 0)
        out->data[out->len = end] = '\0';
    else
        buffer_append_text(out, PLACEHOLDER);
}

/* A quote opens before a word's start only: "don't" holds none. */
static void
note_quote(struct redaction *r, const char *message, const char *at)
{
    if (r->quote == *at)
        r->quote = 0;
    else if (!r->quote && (at == message || !is_word(at[-1])))
        r->quote = *at;
}

/* KeyError's message is the repr of another: "\"['a'] not in index\"". */
static char *
without_outer_quotes(const char *message)
{
    size_t len = strlen(message);
    char other = message[0] == '"' ? '\'' : '"';

    if (len > 2 && strchr("\"'", message[0]) && message[len - 1] == message[0] &&
        strchr(message, other))
        return xstrndup(message + 1, len - 2);
    return xstrdup(message);
}

void
redact_message(struct buffer *out, const char *message, const char *code,
               const json_t *names)
{
    struct redaction r = {.code = slice_of(code), .names = names};
    AUTO(mem) char *text = without_outer_quotes(message);

    for (const char *at = text; *at;) {
        size_t len = name_here(&r, at);
        if (len && (at == text || !is_word(at[-1]))) {
            buffer_append(out, at, len);
        } else if ((len = word_length(at))) {
            if (is_known(&r, text, at, len))
                buffer_append(out, at, len);
            else
                append_placeholder(out);
        } else {
            if (*at == '\'' || *at == '"')
                note_quote(&r, text, at);
            buffer_append(out, at, len = 1);
        }
        at += len;
    }
}
