#include "bridge/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/unit/unit.h"

static char base[] = "/tmp/cellpod-cache-XXXXXX";

static int
use_a_folder(void **state UNUSED)
{
    return mkdtemp(base) ? setenv("XDG_CACHE_HOME", base, 1) : -1;
}

static int
remove_the_folder(void **state UNUSED)
{
    AUTO(mem) char *command = xasprintf("rm -r %s", base);

    return system(command);
}

static char *
file_of(const char *key)
{
    return xasprintf("%s/cellpod/ask/%s.json", base, key);
}

static void
make_older(const char *key, long seconds)
{
    AUTO(mem) char *path = file_of(key);
    const struct timespec at = {.tv_sec = time(NULL) - seconds};

    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){at, at}, 0), 0);
}

static void
store(const char *key)
{
    AUTO(reply) struct reply reply;
    json_auto_t *text = json_string("df");
    struct error err;

    reply_init(&reply);
    reply_add_text(&reply, text);
    assert_int_equal(cache_store(key, &reply, &err), 0);
}

static bool
is_there(const char *key)
{
    AUTO(mem) char *path = file_of(key);

    return access(path, F_OK) == 0;
}

static bool
is_found(const char *key)
{
    AUTO(reply) struct reply reply;

    reply_init(&reply);
    return cache_find(key, &reply);
}

static void
another_api_address_or_body_is_another_key(void **state UNUSED)
{
    static const struct {
        const char *api, *url, *body;
    } cases[] = {
        {"chat",      "https://a/v1",  "{}" },
        {"responses", "https://a/v1",  "{}" },
        {"chat",      "https://b/v1",  "{}" },
        {"chat",      "https://a/v1",  "{ }"},
        {"chath",     "ttps://a/v1",   "{}" }, /* the same bytes in a row */
        {"chat",      "https://a/v1{", "}"  },
    };
    char keys[COUNT_OF(cases)][CACHE_KEY_SIZE], again[CACHE_KEY_SIZE];

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        cache_key(keys[i], cases[i].api, cases[i].url, slice_of(cases[i].body));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(keys[i], keys[j]);
    cache_key(again, cases[0].api, cases[0].url, slice_of(cases[0].body));
    assert_string_equal(again, keys[0]);
}

static void
an_entry_lives_thirty_days(void **state UNUSED)
{
    store("old");
    assert_true(is_found("old"));
    make_older("old", CACHE_DAYS * 86400L - 3600);
    assert_true(is_found("old"));
    make_older("old", CACHE_DAYS * 86400L + 3600);
    assert_false(is_found("old"));
    assert_true(is_there("old"));
    store("another"); /* sweeps */
    assert_false(is_there("old"));
}

static void
the_oldest_go_first(void **state UNUSED)
{
    char name[16];

    for (int i = 0; i < CACHE_ENTRIES; i++) {
        AUTO(mem) char *path = (snprintf(name, sizeof(name), "n%d", i), file_of(name));
        close(open(path, O_WRONLY | O_CREAT, 0600));
        make_older(name, 1000 + (i * 7 % CACHE_ENTRIES)); /* in no order of names */
    }
    make_older("n1", 5000);
    make_older("n2", 4000);
    make_older("another", 3000);
    store("newest"); /* there are two too many */
    assert_false(is_there("n1"));
    assert_false(is_there("n2"));
    assert_true(is_there("another"));
    assert_true(is_there("n0"));
    assert_true(is_there("newest"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_api_address_or_body_is_another_key),
        cmocka_unit_test(an_entry_lives_thirty_days),
        cmocka_unit_test(the_oldest_go_first),
    };
    return cmocka_run_group_tests_name("cache", tests, use_a_folder, remove_the_folder);
}
