#include "kernel/output/output_reduce.h"
#include "tests/unit/unit.h"

#define WRAPPED(html) "<div class=\\\"tex2jax_ignore mathjax_ignore\\\">" html "</div>"

/* Laid out by hand: aligned, its columns would be wider than any screen. */
/* clang-format off */
static const struct {
    const char *given, *wanted;
    const char *told; /* in the notice; "": nothing is */
} displays[] = {
    {"{\"data\":{\"text/plain\":\"x\",\"image/png\":\"AAAA\",\"application/json\":{\"a\":[1]}},\"metadata\":{},\"transient\":{\"display_id\":\"d\"}}",
     "{\"data\":{\"text/plain\":\"x\",\"image/png\":\"AAAA\",\"application/json\":{\"a\":[1]}},\"metadata\":{},\"transient\":{\"display_id\":\"d\"}}", ""},
    {"{\"data\":{\"text/html\":\"<b onclick=x>1</b>\",\"text/plain\":\"1\"},\"metadata\":{}}",
     "{\"data\":{\"text/html\":\"" WRAPPED("<b>1</b>") "\",\"text/plain\":\"1\"},\"metadata\":{}}", "without onclick"},
    {"{\"data\":{\"application/javascript\":\"alert(1)\"},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"<not shown>\"},\"metadata\":{}}", "application/javascript is not shown"},
    {"{\"data\":{\"text/html\":[1]},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"<not shown>\"},\"metadata\":{}}", "it is not text"},
    {"{\"data\":{\"text/plain\":\"<Markdown object>\",\"text/markdown\":\"# <img src=x>\"},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"# <img src=x>\"},\"metadata\":{}}", ""},
    {"{\"data\":{\"text/markdown\":\"# a\",\"text/plain\":\"<Markdown object>\"},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"# a\"},\"metadata\":{}}", ""},
    {"{\"data\":{\"x/\\u001b[31m\":\"1\"},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"<not shown>\"},\"metadata\":{}}", "x/??31m is not shown"},
    {"{\"data\":{\"text/plain\":\"x\"},\"metadata\":{\"text/html\":{\"isolated\":true},\"image/png\":{\"width\":3,\"height\":-1,\"alt\":\"x\"},\"cellpod\":{\"a\":1},\"b\":2}}",
     "{\"data\":{\"text/plain\":\"x\"},\"metadata\":{\"image/png\":{\"width\":3}}}", ""},
    {"{\"data\":7,\"metadata\":7}", "{\"data\":{},\"metadata\":{}}", ""},
    {"{\"data\":{\"application/json\":123456789012345678901234567890},\"metadata\":{}}",
     "{\"data\":{\"text/plain\":\"<not shown>\"},\"metadata\":{},\"transient\":{},\"execution_count\":0}", "too large"},
}, replies[] = {
    {"{\"status\":\"ok\",\"execution_count\":3,\"payload\":[{\"source\":\"page\",\"data\":{\"text/html\":\"<script>\"},\"start\":0},{\"source\":\"set_next_input\",\"text\":\"x\"}]}",
     "{\"status\":\"ok\",\"execution_count\":3,\"payload\":[{\"source\":\"page\",\"data\":{\"text/html\":\"" WRAPPED("") "\",\"text/plain\":\"<not shown>\"},\"start\":0}]}", "without script"},
    {"{\"status\":\"ok\",\"payload\":[{\"source\":\"ask_exit\"},{\"source\":\"set_next_input\",\"text\":\"x\",\"replace\":true},7]}",
     "{\"status\":\"ok\",\"payload\":[{\"source\":\"ask_exit\"}]}", "would have changed the notebook's cells"},
    {"{\"status\":\"ok\",\"user_expressions\":{\"a\":{\"status\":\"ok\",\"data\":{\"image/svg+xml\":\"<svg/>\",\"text/plain\":\"1\"},\"metadata\":{}}}}",
     "{\"status\":\"ok\",\"user_expressions\":{\"a\":{\"status\":\"ok\",\"data\":{\"text/plain\":\"1\"},\"metadata\":{}}}}", "image/svg+xml is not shown"},
    {"{\"status\":\"ok\",\"found\":true,\"data\":{\"text/html\":\"<a>x</a>\",\"text/plain\":\"x\"},\"metadata\":{}}",
     "{\"status\":\"ok\",\"found\":true,\"data\":{\"text/html\":\"" WRAPPED("x") "\",\"text/plain\":\"x\"},\"metadata\":{}}", "without a"},
    {"{\"status\":\"ok\",\"payload\":7,\"user_expressions\":[1]}", "{\"status\":\"ok\",\"payload\":7,\"user_expressions\":[1]}", ""},
};
/* clang-format on */

typedef void reduce_fn(struct slice content, struct buffer *out, struct buffer *notice);

static void
check(reduce_fn *reduce, const char *given, const char *wanted, const char *told)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer notice = BUFFER_INIT(SIZE_MAX);

    reduce(slice_of(given), &out, &notice);
    assert_string_equal(out.data, wanted);
    if (*told ? !notice.data || !strstr(notice.data, told) : notice.len != 0)
        fail_msg("%s\ntold: %s", given, notice.data ? notice.data : "");
}

static void
displays_keep_what_is_harmless(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(displays); i++)
        check(output_reduce_display, displays[i].given, displays[i].wanted,
              displays[i].told);
}

static void
replies_hold_displays_too(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(replies); i++)
        check(output_reduce_reply, replies[i].given, replies[i].wanted,
              replies[i].told);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(displays_keep_what_is_harmless),
        cmocka_unit_test(replies_hold_displays_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
