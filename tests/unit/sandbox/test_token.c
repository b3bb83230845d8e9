#include <openssl/crypto.h>

#include "sandbox/token.h"
#include "tests/unit/unit.h"

/* How much was compared: the same, wherever the difference is. */
static size_t compared;

int __real_CRYPTO_memcmp(const void *a, const void *b, size_t len);
int __wrap_CRYPTO_memcmp(const void *a, const void *b, size_t len);

int
__wrap_CRYPTO_memcmp(const void *a, const void *b, size_t len)
{
    compared += len;
    return __real_CRYPTO_memcmp(a, b, len);
}

static void
opens_to_itself_alone(void **state UNUSED)
{
    struct token token, other;

    token_make(&token);
    token_make(&other);
    assert_int_equal(strlen(token.text), TOKEN_LEN);
    assert_true(token_matches(&token, token.text));
    assert_false(token_matches(&token, other.text));
    assert_false(token_matches(&token, NULL));
    assert_false(token_matches(&token, ""));
}

static void
compares_all_of_every_guess(void **state UNUSED)
{
    struct token token;

    token_make(&token);
    for (size_t i = 0; i < TOKEN_LEN; i++) {
        struct token guess = token;
        guess.text[i] = guess.text[i] == '0' ? '1' : '0';
        compared = 0;
        assert_false(token_matches(&token, guess.text));
        assert_int_equal(compared, TOKEN_LEN);
    }
}

static void
a_part_of_it_or_more_is_not_it(void **state UNUSED)
{
    struct token token;
    char longer[TOKEN_LEN + 2];

    token_make(&token);
    memcpy(longer, token.text, TOKEN_LEN);
    strcpy(longer + TOKEN_LEN, "0");
    assert_false(token_matches(&token, longer));
    longer[TOKEN_LEN - 1] = '\0';
    assert_false(token_matches(&token, longer));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_to_itself_alone),
        cmocka_unit_test(compares_all_of_every_guess),
        cmocka_unit_test(a_part_of_it_or_more_is_not_it),
    };
    return cmocka_run_group_tests_name("token", tests, NULL, NULL);
}
