#include "common/net/allow.h"
#include "tests/unit/unit.h"

#include "common/limits.h"

static struct allow_list *
list_of(const char *json)
{
    struct allow_list *list = NULL;
    struct error err = {.text = ""};
    json_auto_t *rules = json_loads(json, 0, NULL);

    assert_non_null(rules);
    if (allow_list_parse(rules, &list, &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

static enum allow_verdict
verdict(const struct allow_list *list, const char *text, uint16_t port, bool is_named)
{
    struct ip address;

    assert_true(ip_parse(slice_of(text), &address));
    return allow_address(list, &address, port, is_named);
}

static void
a_name_without_a_port_opens_80_and_443(void **state UNUSED)
{
    AUTO(allow_list) struct allow_list *list = list_of("[\"PyPI.org\"]");

    assert_true(allow_name(list, "pypi.org", 443));
    assert_true(allow_name(list, "pypi.org", 80));
    assert_false(allow_name(list, "pypi.org", 8080));
    assert_false(allow_name(list, "www.pypi.org", 443));
    assert_false(allow_name(list, "xpypi.org", 443));
    assert_false(allow_name(list, "pypi.org.evil.example", 443));
}

static void
a_suffix_opens_what_ends_in_it_and_not_itself(void **state UNUSED)
{
    AUTO(allow_list) struct allow_list *list = list_of("[\"*.example.org:8443\"]");

    assert_true(allow_name(list, "a.example.org", 8443));
    assert_true(allow_name(list, "a.b.example.org", 8443));
    assert_false(allow_name(list, "a.example.org", 443));
    assert_false(allow_name(list, "example.org", 8443));
    assert_false(allow_name(list, ".example.org", 8443));
    assert_false(allow_name(list, "badexample.org", 8443));
    assert_false(allow_name(list, "a.example.org.evil.example", 8443));
}

static const char *const specials[] = {
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.1.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.192",
    "192.0.2.1",
    "198.19.0.1",
    "203.0.113.7",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:127.0.0.1",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "5f00::1",
    "fd20:ce::254",
    "3fff::1",
    "4000::1",
    "8000::1",
};
static const char *const publics[] = {
    "8.8.8.8",        "1.1.1.1",     "172.15.255.255",  "172.32.0.0",
    "100.63.255.255", "100.128.0.0", "223.255.255.255", "198.20.0.0",
    "2606:4700::1",   "2a00::1",     "2001:4860::8888",
};

static void
a_name_leads_to_public_addresses_only(void **state UNUSED)
{
    AUTO(allow_list) struct allow_list *list = list_of("[\"example.org\"]");

    for (size_t i = 0; i < COUNT_OF(specials); i++) {
        print_message("  %s\n", specials[i]);
        assert_int_equal(verdict(list, specials[i], 443, true), ALLOW_SPECIAL);
    }
    for (size_t i = 0; i < COUNT_OF(publics); i++) {
        print_message("  %s\n", publics[i]);
        assert_int_equal(verdict(list, publics[i], 443, true), ALLOW_YES);
        assert_int_equal(verdict(list, publics[i], 443, false), ALLOW_NOT_LISTED);
    }
}

static void
a_special_address_is_opened_by_itself_or_a_range_inside(void **state UNUSED)
{
    static const struct {
        const char *rules, *address;
        uint16_t port;
        enum allow_verdict named, bare;
    } cases[] = {
        {"[\"10.0.0.5:5432\"]",    "10.0.0.5",         5432, ALLOW_YES,     ALLOW_YES       },
        {"[\"10.0.0.5:5432\"]",    "10.0.0.5",         443,  ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"10.0.0.5:5432\"]",    "10.0.0.6",         5432, ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"10.0.0.0/8:*\"]",     "10.9.9.9",         1,    ALLOW_YES,     ALLOW_YES       },
        {"[\"10.128.0.0/9\"]",     "10.127.0.1",       80,   ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"10.128.0.0/9\"]",     "10.129.0.1",       80,   ALLOW_YES,     ALLOW_YES       },
        {"[\"0.0.0.0/0:*\"]",      "10.0.0.5",         80,   ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"0.0.0.0/0:*\"]",      "127.0.0.1",        80,   ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"0.0.0.0/0:*\"]",      "8.8.8.8",          53,   ALLOW_YES,     ALLOW_YES       },
        {"[\"169.254.0.0/16:*\"]", "169.254.169.254",  80,   ALLOW_SPECIAL,
         ALLOW_NOT_LISTED                                                                   },
        {"[\"169.254.0.0/16:*\"]", "169.254.1.1",      80,   ALLOW_YES,     ALLOW_YES       },
        {"[\"169.254.169.254\"]",  "169.254.169.254",  80,   ALLOW_YES,     ALLOW_YES       },
        {"[\"[fd00::1]:443\"]",    "fd00::1",          443,  ALLOW_YES,     ALLOW_YES       },
        {"[\"[fd00::]/8:443\"]",   "fd12::1",          443,  ALLOW_YES,     ALLOW_YES       },
        {"[\"[::]/0:*\"]",         "::1",              443,  ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"[::]/0:*\"]",         "fd00::1",          443,  ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[\"[::]/0:*\"]",         "2606:4700::1",     443,  ALLOW_YES,     ALLOW_YES       },
        {"[\"127.0.0.1:*\"]",      "::ffff:127.0.0.1", 80,   ALLOW_SPECIAL, ALLOW_NOT_LISTED},
        {"[]",                     "8.8.8.8",          443,  ALLOW_YES,     ALLOW_NOT_LISTED},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(allow_list) struct allow_list *list = list_of(cases[i].rules);
        print_message("  %s %s\n", cases[i].rules, cases[i].address);
        assert_int_equal(verdict(list, cases[i].address, cases[i].port, true),
                         cases[i].named);
        assert_int_equal(verdict(list, cases[i].address, cases[i].port, false),
                         cases[i].bare);
    }
}

static void
an_address_rule_opens_no_name(void **state UNUSED)
{
    AUTO(allow_list) struct allow_list *list = list_of("[\"0.0.0.0/0:*\"]");

    assert_false(allow_name(list, "example.org", 80));
    assert_false(allow_name(list, "0.0.0.0", 80));
}

static void
refuses_what_is_no_rule_and_names_it(void **state UNUSED)
{
    static const char *const cases[] = {
        "\"\"",
        "\"*\"",
        "\"*.\"",
        "\"**.a.org\"",
        "\"a*.org\"",
        "\"a..org\"",
        "\"-a.org\"",
        "\"a-.org\"",
        "\"a b.org\"",
        "\"http://a.org\"",
        "\"a.org/\"",
        "\"a.org/8\"",
        "\"a.org:\"",
        "\"a.org:0\"",
        "\"a.org:65536\"",
        "\"a.org:80x\"",
        "\"a.org:080\"",
        "\"a.org:-1\"",
        "\"a.org:80:81\"",
        "\"user@a.org\"",
        "\"10.0.0.256\"",
        "\"10.0.0\"",
        "\"127.1\"",
        "\"0x7f.1\"",
        "\"2130706433\"",
        "\"010.0.0.1\"",
        "\"10.0.0.1/33\"",
        "\"10.0.0.1/8\"",
        "\"10.0.0.0/\"",
        "\"10.0.0.0/8/8\"",
        "\"*.10.0.0.1\"",
        "\"::1\"",
        "\"[::1\"",
        "\"[::1]x\"",
        "\"[10.0.0.1]\"",
        "\"[a.org]\"",
        "\"[fe80::1%eth0]\"",
        "\"[fd00::1]/8\"",
        "\"[::]/129\"",
        "\"b\\u00fccher.example\"",
        "\"a.org\\n\"",
        "1",
        "null",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(mem) char *text = xasprintf("[%s]", cases[i]);
        json_auto_t *rules = json_loads(text, 0, NULL);
        struct allow_list *list;
        struct error err;
        print_message("  %s\n", cases[i]);
        assert_non_null(rules);
        assert_int_equal(allow_list_parse(rules, &list, &err), -1);
        assert_int_equal(err.kind, ERR_BAD_INPUT);
        assert_non_null(strstr(err.text, "network.allow"));
    }
}

static void
takes_names_and_lists_up_to_their_limits(void **state UNUSED)
{
    char name[HOST_NAME_SIZE + 1];
    struct host host;
    struct error err;

    for (size_t i = 0; i < sizeof(name); i++)
        name[i] = i % 64 == 63 ? '.' : 'a';
    assert_int_equal(host_parse((struct slice){name, 253}, false, &host, &err), 0);
    assert_int_equal(host_parse((struct slice){name, 254}, false, &host, &err), -1);
    memset(name, 'a', sizeof(name));
    assert_int_equal(host_parse((struct slice){name, 63}, false, &host, &err), 0);
    assert_int_equal(host_parse((struct slice){name, 64}, false, &host, &err), -1);

    for (int extra = 0; extra < 2; extra++) {
        AUTO(allow_list) struct allow_list *list = NULL;
        json_auto_t *rules = json_array();
        for (int i = 0; i < LIMIT_CLAIM_LIST + extra; i++)
            json_array_append_new(rules, json_string("a.org"));
        assert_int_equal(allow_list_parse(rules, &list, &err), extra ? -1 : 0);
    }
}

static void
a_dot_at_the_end_and_capitals_do_not_matter(void **state UNUSED)
{
    struct host host;
    struct error err;

    assert_int_equal(host_parse(SLICE("WWW.Example.ORG."), false, &host, &err), 0);
    assert_string_equal(host.name, "www.example.org");
    assert_int_equal(host_parse(SLICE("a.."), false, &host, &err), -1);
    assert_int_equal(host_parse(SLICE("."), false, &host, &err), -1);
}

static void
knows_which_hosts_are_mentioned(void **state UNUSED)
{
    AUTO(allow_list) struct allow_list *list =
        list_of("[\"localhost:8888\", \"127.0.0.0/8:80\", \"*.example.org\", "
                "\"[::]/0\"]");

    assert_true(allow_mentions(list, "localhost"));
    assert_true(allow_mentions(list, "127.0.0.1"));
    assert_false(allow_mentions(list, "::1"));
    assert_false(allow_mentions(list, "a.example.org"));
    assert_false(allow_mentions(list, "10.0.0.1"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_without_a_port_opens_80_and_443),
        cmocka_unit_test(a_suffix_opens_what_ends_in_it_and_not_itself),
        cmocka_unit_test(a_name_leads_to_public_addresses_only),
        cmocka_unit_test(a_special_address_is_opened_by_itself_or_a_range_inside),
        cmocka_unit_test(an_address_rule_opens_no_name),
        cmocka_unit_test(refuses_what_is_no_rule_and_names_it),
        cmocka_unit_test(takes_names_and_lists_up_to_their_limits),
        cmocka_unit_test(a_dot_at_the_end_and_capitals_do_not_matter),
        cmocka_unit_test(knows_which_hosts_are_mentioned),
    };
    return cmocka_run_group_tests_name("allow", tests, NULL, NULL);
}
