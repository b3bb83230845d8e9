/* Words as numbers: without plural, capitals, accents. */
#include "bridge/planner/words/words.h"

#include <ctype.h>

enum {
    MAX_PLAIN = 64, /* bytes of a word with accents; longer ones are none */
};

static uint64_t
hash_bytes(uint64_t hash, const char *text, size_t len)
{
    hash = hash ? hash : 14695981039346656037u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

uint64_t
words_exact(const char *text)
{
    return hash_bytes(0, text, strlen(text));
}

uint64_t
words_fold(uint64_t hash, uint64_t stem)
{
    /* Stems are mixed already: one multiplication, whose upper half is the better one.
     */
    hash = ((hash ? hash : 14695981039346656037u) ^ stem) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* "café" and "cafe", "São Paulo" and "Sao Paulo" are the same. German umlauts are
 * letters of their own: "zählen" counts, "Zahlen" are numbers. 0: `text` begins with
 * none of these, which take two bytes. */
static char
plain_letter(const char *text)
{
    static const char letters[] =
        "aaaa.a.ceeeeiiii.noooo..ouuu.y.y"; /* from U+00E0 on */
    const unsigned char lead = (unsigned char)text[0], next = (unsigned char)text[1];

    if (lead != 0xc3 || next < 0xa0 || next > 0xbf)
        return 0;
    return letters[next - 0xa0] == '.' ? 0 : letters[next - 0xa0];
}

uint64_t
words_squash(uint64_t hash, const char *text)
{
    hash = hash ? hash : hash_bytes(0, "", 0);
    for (; *text; text++)
        if (plain_letter(text)) {
            const char plain = plain_letter(text++);

            hash = hash_bytes(hash, &plain, 1);
        } else if ((unsigned char)*text >= 0x80 || isalnum((unsigned char)*text)) {
            char low = (char)tolower((unsigned char)*text);

            hash = hash_bytes(hash, &low, 1);
        }
    return hash;
}

static bool
ends_with(const char *text, size_t len, const char *ending)
{
    size_t size = strlen(ending);

    return len >= size && memcmp(text + len - size, ending, size) == 0;
}

/* "diagnoses", "analyses", "hypotheses": of "is". */
static bool
is_plural_of_is(const char *text, size_t len)
{
    static const char *const endings[] = {"gnoses", "alyses", "otheses", "crises"};

    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (ends_with(text, len, endings[i]))
            return true;
    return false;
}

/* NULL: it is not one of them. */
static const char *
singular_of_irregular(const char *text, size_t len)
{
    static const char *const words[][2] = {
        {"matrices",   "matrix"    },
        {"indices",    "index"     },
        {"appendices", "appendix"  },
        {"vertices",   "vertex"    },
        {"criteria",   "criterion" },
        {"phenomena",  "phenomenon"},
        {"pers",       "pers"      }, /* of "personnel": no plural of "per" */
    };

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strlen(words[i][0]) == len && memcmp(text, words[i][0], len) == 0)
            return words[i][1];
    return NULL;
}

static size_t
singular_length(const char *text, size_t len, bool *is_ies)
{
    static const char *const es[] = {
        "sses",  "ches",  "shes",  "xes",  "zes",
        "nuses", "tuses", "ruses", "puses"}; /* "bonuses" */

    *is_ies = len > 4 && ends_with(text, len, "ie"); /* "movie" and "movies" */
    if (*is_ies)
        return len - 2;
    if (len < 4 || text[len - 1] != 's')
        return len;
    if (ends_with(text, len, "ss") || ends_with(text, len, "us") ||
        ends_with(text, len, "is"))
        return len;
    if (ends_with(text, len, "ies") && len > 4) {
        *is_ies = true;
        return len - 3;
    }
    for (size_t i = 0; i < COUNT_OF(es); i++)
        if (ends_with(text, len, es[i]))
            return len - 2;
    return len - 1;
}

bool
words_ends_in_s(const char *text)
{
    size_t len = strlen(text);

    return len > 1 && text[len - 1] == 's';
}

bool
words_ends_in_ed(const char *text)
{
    size_t len = strlen(text);

    return len > 4 && strcmp(text + len - 2, "ed") == 0;
}

bool
words_is_plural(const char *text)
{
    size_t len = strlen(text);

    return len > 3 && words_ends_in_s(text) && text[len - 2] != 's';
}

/* The letters of a word, those with accents as those without. */
static size_t
without_accents(const char *text, size_t len, char *plain)
{
    size_t used = 0;

    for (size_t i = 0; i < len; i++) {
        const char letter = i + 1 < len ? plain_letter(text + i) : 0;

        plain[used++] = letter ? letter : text[i];
        i += letter != 0;
    }
    return used;
}

uint64_t
words_stem(const char *text, size_t len)
{
    char plain[MAX_PLAIN];
    bool is_ies;

    if (len <= sizeof(plain) && memchr(text, 0xc3, len)) {
        len = without_accents(text, len, plain);
        text = plain;
    }
    const char *irregular = singular_of_irregular(text, len);
    if (irregular)
        return words_exact(irregular);
    size_t kept = singular_length(text, len, &is_ies);
    uint64_t hash = hash_bytes(0, text, kept);

    if (is_plural_of_is(text, len))
        return hash_bytes(hash_bytes(0, text, len - 2), "is", 2);
    return is_ies ? hash_bytes(hash, "y", 1) : hash;
}
