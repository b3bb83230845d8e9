/* Known tricks, in rows: what must come out, to the byte. */
#include "common/limits.h"
#include "kernel/output/css_reduce.h"
#include "kernel/output/html_reduce.h"
#include "tests/unit/unit.h"

#define OPEN  "<div class=\"tex2jax_ignore mathjax_ignore\">"
#define CLOSE "</div>"

/* Laid out by hand: aligned, its columns would be wider than any screen. */
/* clang-format off */
static const struct {
    const char *given, *wanted;
    const char *lost; /* the first name */
} rows[] = {
    /* what tables need */
    {"<table border=\"1\" class=\"dataframe\"><tr style=\"text-align: right;\"><th></th><th>a</th></tr><tr><td>1</td></tr></table>",
     "<table border=\"1\" class=\"dataframe\"><tr style=\"text-align:right;\"><th></th><th>a</th></tr><tr><td>1</td></tr></table>", ""},
    {"<td colspan=2 rowspan=\"3\" scope=col align=left>x</td>",
     "<td colspan=\"2\" rowspan=\"3\" scope=\"col\" align=\"left\">x</td>", ""},
    {"<p>5 rows &times; 2 columns &amp; more</p>", "<p>5 rows × 2 columns &amp; more</p>", ""},
    {"<th class=\"blank level0 evil jp-Button\">&nbsp;</th>", "<th class=\"blank level0\">\xc2\xa0</th>", ""},
    {"<td id=\"T_6f_row0_col1\" class=\"data row0 col1\" >x</td>", "<td id=\"T_6f_row0_col1\" class=\"data row0 col1\">x</td>", ""},

    /* scripts */
    {"<script>alert(1)</script>x", "x", "script"},
    {"<SCRIPT SRC=http://x/></SCRIPT>x", "x", "script"},
    {"<b>a<script>b</b>c</script>d</b>", "<b>ad</b>", "script"},
    {"<td onclick=alert(1) ONERROR='x'>x</td>", "<td>x</td>", "onclick"},
    {"<b/onmouseover=alert(1)>x</b>", "<b>x</b>", ""},
    {"<svg onload=alert(1)><b>x</b></svg>y", "y", "svg"},
    {"<math><mi xlink:href=\"javascript:alert(1)\">x</mi></math>y", "y", "math"},
    {"<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>y", "y", "iframe"},
    {"<object data=javascript:alert(1)>x</object>y", "y", "object"},
    {"<a href=\"javascript:alert(1)\">text</a>", "text", "a"},
    {"<a href=\"https://phish\">text</a>", "text", "a"},
    {"<form action=x><button formaction=javascript:alert(1)>b</button></form>", "b", "form"},
    {"<base href=//x><meta http-equiv=refresh content='0;url=//x'><link rel=stylesheet href=//x>y", "y", "base"},

    /* what loads */
    {"<img src=x onerror=alert(1)>y", "y", "img"},
    {"<td background=\"http://x/?data\">y</td>", "<td>y</td>", "background"},
    {"<td style=\"background: url(http://x/?data)\">y</td>", "<td>y</td>", "style"},
    {"<td style=\"background: u\\72l(http://x/)\">y</td>", "<td>y</td>", "style"},
    {"<td style=\"background:/**/url(//x)\">y</td>", "<td>y</td>", "style"},
    {"<td style=\"width: expression(alert(1))\">y</td>", "<td>y</td>", "style"},
    {"<video src=x><source onerror=alert(1)></video>y", "y", "video"},

    /* what lies over the page */
    {"<div style=\"position:fixed;top:0;left:0;width:100%;color:red\">x</div>", "<div style=\"width:100%;color:red;\">x</div>", ""},
    {"<div style=\"margin-top:-900px;transform:scale(9)\">x</div>", "<div>x</div>", "style"},
    {"<div id=\"main\" name=body data-commandlinker-command=\"x\">x</div>", "<div>x</div>", "id"},

    /* read in one way, shown in another */
    {"<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>", "", "noscript"},
    {"<style><!--</style><img src=x onerror=alert(1)>--></style>", "--&gt;", "style"},
    {"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">", "", "math"},
    {"<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">", "", "svg"},
    {"<textarea></textarea><img src=x onerror=alert(1)>", "", "textarea"},
    {"&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;", ""},
    {"<b title='\"><script>alert(1)</script>'>x</b>", "<b>x</b>", "title"},
    {"<!--[if gte IE 4]><script>alert(1)</script><![endif]-->y", "y", ""},
    {"<![CDATA[<script>alert(1)</script>]]>", NULL, NULL},
    {"<?xml-stylesheet href=\"javascript:alert(1)\"?>y", "y", ""},
    {"<b>x", "<b>x</b>", ""},
    {"</table></div></div>x", "x", ""},
    {"<td style='a:b;\"><img src=x onerror=alert(1)>'>x</td>", "<td>x</td>", "style"},
    {"<td class=\"row1&quot;&gt;&lt;script&gt;\">x</td>", "<td>x</td>", ""},

    /* style sheets */
    {"<style>#T_a td { color : RED ; background-color: #ff00AA }</style>x",
     "<style>\n#T_a td{color:red;background-color:#ff00AA;}\n</style>x", ""},
    {"<style scoped>.dataframe tbody tr th:only-of-type { vertical-align: middle; }\n.dataframe thead th { text-align: right; }</style>x",
     "<style>\n.dataframe tbody tr th:only-of-type{vertical-align:middle;}\n.dataframe thead th{text-align:right;}\n</style>x", ""},
    {"<style>#T_a_row0_col0, #T_a_row1_col0 { width: 10em; background: linear-gradient(90deg, #d65f5f 50.0%, transparent 50.0%); }</style>",
     "<style>\n#T_a_row0_col0,#T_a_row1_col0{width:10em;background:linear-gradient(90deg, #d65f5f 50.0%, transparent 50.0%);}\n</style>", ""},
    {"<style>body { display:none } #T_a, body { color:red }</style>x", "x", "style"},
    {"<style>@import url(//x); @media all { #T_a { color:red } } #T_b { color:red }</style>", "<style>\n#T_b{color:red;}\n</style>", "style"},
    {"<style>#T_a[value^=x] { color:red } #T_a > td { color:red } #T_a { content: \"</style><img>\" }</style>", NULL, "style"},
};
/* clang-format on */

/* NULL: it only must have no `<' that was not written by us. */
static void
compare(const char *given, const char *wanted, const struct buffer *out)
{
    AUTO(mem) char *whole = wanted ? xasprintf(OPEN "%s" CLOSE, wanted) : NULL;

    if (whole && strcmp(out->data, whole) != 0)
        fail_msg("%s\nbecame %s\nand not %s", given, out->data, whole);
    if (strstr(out->data, "<script") || strstr(out->data, "<img"))
        fail_msg("%s\nbecame %s", given, out->data);
}

static void
reduces_to_tables(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
        struct html_losses losses;
        struct error err;
        assert_int_equal(html_reduce(slice_of(rows[i].given), &out, &losses, &err), 0);
        compare(rows[i].given, rows[i].wanted, &out);
        if (rows[i].lost && strcmp(losses.names[0], rows[i].lost) != 0)
            fail_msg("%s\nlost %s", rows[i].given, losses.names[0]);
        if (rows[i].lost)
            assert_int_equal(losses.count > 0, rows[i].lost[0] != '\0');
    }
}

static void
says_the_same_of_what_it_wrote(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(buffer) struct buffer once = BUFFER_INIT(SIZE_MAX);
        AUTO(buffer) struct buffer twice = BUFFER_INIT(SIZE_MAX);
        struct html_losses losses;
        struct error err;
        assert_int_equal(html_reduce(slice_of(rows[i].given), &once, &losses, &err), 0);
        assert_int_equal(html_reduce(buffer_slice(&once), &twice, &losses, &err), 0);
        assert_int_equal(losses.count, 0);
    }
}

static int
reduce_many(const char *piece, size_t count)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    struct html_losses losses;
    struct error err;

    for (size_t i = 0; i < count; i++)
        buffer_append_text(&text, piece);
    return html_reduce(buffer_slice(&text), &out, &losses, &err);
}

static void
stops_at_its_limits(void **state UNUSED)
{
    assert_int_equal(reduce_many("<b>", 100), 0);
    assert_int_equal(reduce_many("<div>", 200), -1);
    assert_int_equal(reduce_many("x", LIMIT_HTML_BYTES), 0);
    assert_int_equal(reduce_many("x", (size_t)LIMIT_HTML_BYTES + 1), -1);
    assert_int_equal(reduce_many("&lt;", LIMIT_HTML_BYTES / 4), 0);
}

/* The parser compares each attribute with all before it. */
static void
gives_up_a_tag_that_does_not_end(void **state UNUSED)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    struct html_losses losses;
    struct error err;

    buffer_append_text(&text, "<b ");
    for (int i = 0; i < 100000; i++)
        buffer_printf(&text, "a%d=\">\" ", i);
    assert_int_equal(html_reduce(buffer_slice(&text), &out, &losses, &err), -1);
    assert_string_equal(err.text, "a tag is too long");
}

static void
reads_every_beginning(void **state UNUSED)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t len = 0; len < strlen(rows[i].given); len++) {
            AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
            struct slice html = {rows[i].given, len};
            struct html_losses losses;
            struct error err;
            assert_int_equal(html_reduce(html, &out, &losses, &err), 0);
            compare(rows[i].given, NULL, &out);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduces_to_tables),
        cmocka_unit_test(says_the_same_of_what_it_wrote),
        cmocka_unit_test(stops_at_its_limits),
        cmocka_unit_test(gives_up_a_tag_that_does_not_end),
        cmocka_unit_test(reads_every_beginning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
