#include "kernel/output/html_reduce.h"

#include <ctype.h>

#include "common/limits.h"
#include "kernel/output/css_reduce.h"
#include "kernel/output/xml_library.h"

enum {
    CHUNK = 4 << 10,
    LONGEST_TAG = 8 << 10, /* the parser compares each attribute with all before it */
    DEEPEST = 128,
    LONGEST_RESULT =
        4 * LIMIT_HTML_BYTES, /* escapes are longer than what they stand for */
};

/* --- what stays --- */

enum fate {
    STAYS,
    STAYS_ALONE, /* and never has anything in it */
    MELTS,       /* the tag goes, what is in it stays */
    SHEET,       /* a style sheet */
    GOES,        /* with all that is in it */
};

/* An element that is not here melts, and is told of. */
static const struct element {
    const char *name;
    enum fate fate;
} elements[] = {
    {"table",     STAYS      },
    {"thead",     STAYS      },
    {"tbody",     STAYS      },
    {"tfoot",     STAYS      },
    {"tr",        STAYS      },
    {"th",        STAYS      },
    {"td",        STAYS      },
    {"caption",   STAYS      },
    {"colgroup",  STAYS      },
    {"col",       STAYS_ALONE},
    {"div",       STAYS      },
    {"span",      STAYS      },
    {"p",         STAYS      },
    {"pre",       STAYS      },
    {"code",      STAYS      },
    {"b",         STAYS      },
    {"strong",    STAYS      },
    {"i",         STAYS      },
    {"em",        STAYS      },
    {"u",         STAYS      },
    {"s",         STAYS      },
    {"small",     STAYS      },
    {"sub",       STAYS      },
    {"sup",       STAYS      },
    {"ul",        STAYS      },
    {"ol",        STAYS      },
    {"li",        STAYS      },
    {"h1",        STAYS      },
    {"h2",        STAYS      },
    {"h3",        STAYS      },
    {"h4",        STAYS      },
    {"br",        STAYS_ALONE},
    {"hr",        STAYS_ALONE},
    {"html",      MELTS      },
    {"head",      MELTS      },
    {"body",      MELTS      },
    {"style",     SHEET      },
    {"script",    GOES       },
    {"title",     GOES       },
    {"noscript",  GOES       },
    {"template",  GOES       },
    {"textarea",  GOES       },
    {"select",    GOES       },
    {"iframe",    GOES       },
    {"frameset",  GOES       },
    {"noframes",  GOES       },
    {"noembed",   GOES       },
    {"object",    GOES       },
    {"applet",    GOES       },
    {"embed",     GOES       },
    {"svg",       GOES       },
    {"math",      GOES       },
    {"xmp",       GOES       },
    {"plaintext", GOES       },
    {"audio",     GOES       },
    {"video",     GOES       },
};

typedef bool write_value(struct slice value, struct buffer *out);

static bool
write_number(struct slice value, struct buffer *out)
{
    if (!value.len || value.len > 3)
        return false;
    for (size_t i = 0; i < value.len; i++)
        if (!isdigit((unsigned char)value.data[i]))
            return false;
    return buffer_append(out, value.data, value.len) == 0;
}

static bool
write_word(struct slice value, struct buffer *out)
{
    static const char *const words[] = {"left", "right",  "center",   "justify",
                                        "top",  "middle", "bottom",   "baseline",
                                        "row",  "col",    "rowgroup", "colgroup"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (slice_equals(value, slice_of(words[i])))
            return buffer_append(out, value.data, value.len) == 0;
    return false;
}

static bool
write_id(struct slice value, struct buffer *out)
{
    return css_reduce_is_table_id(value) &&
           buffer_append(out, value.data, value.len) == 0;
}

/* Foreign names are left out without a word: they may mean something to the page. */
static bool
write_classes(struct slice value, struct buffer *out)
{
    for (size_t at = 0; at < value.len;) {
        struct slice name = {value.data + at, 0};
        while (at < value.len && value.data[at] != ' ')
            at++, name.len++;
        at++;
        if (!css_reduce_is_table_class(name))
            continue;
        if (out->len)
            buffer_append_text(out, " ");
        buffer_append(out, name.data, name.len);
    }
    return true;
}

static bool
write_style(struct slice value, struct buffer *out)
{
    return css_reduce_declarations(value, out) == 0 || out->len;
}

static bool
write_nothing(struct slice value UNUSED, struct buffer *out UNUSED)
{
    return true;
}

static const struct attribute {
    const char *name;
    write_value *write;
} attributes[] = {
    {"align",   write_word   },
    {"border",  write_number },
    {"class",   write_classes},
    {"colspan", write_number },
    {"id",      write_id     },
    {"rowspan", write_number },
    {"scope",   write_word   },
    {"scoped",  write_nothing}, /* pandas', of its style sheets */
    {"span",    write_number },
    {"style",   write_style  },
    {"type",    write_nothing}, /* Styler's, likewise */
    {"valign",  write_word   },
};

/* --- writing --- */

struct reduction {
    htmlParserCtxtPtr parser;
    struct buffer body, rules; /* what stays; of style sheets */
    struct buffer sheet;       /* the one that is being read */
    const struct element *open[DEEPEST];
    unsigned depth;
    unsigned going; /* depth of the outermost element that goes; 0: none */
    bool is_in_sheet, is_prelude;
    const char *limit; /* the one that was passed, in words */
    struct html_losses *losses;
};

static const struct element melting = {NULL, MELTS};

/* Around what is given, so that the parser makes no paragraphs of bare text. */
#define PRELUDE "<html><body><div>"
static const struct element prelude = {NULL, MELTS};

static void
stop(struct reduction *r, const char *limit)
{
    r->limit = limit;
    xml.xmlStopParser(r->parser);
}

/* Names come from whoever wrote the HTML: only what a name may have is repeated. */
static void
lose(struct reduction *r, const char *name)
{
    struct html_losses *losses = r->losses;
    char plain[HTML_NAME] = "";

    losses->count++;
    for (size_t i = 0; name[i] && i < HTML_NAME - 1; i++)
        plain[i] = isalnum((unsigned char)name[i]) || name[i] == '-' ? name[i] : '?';
    for (size_t i = 0; i < HTML_NAMES; i++) {
        if (strcmp(losses->names[i], plain) == 0)
            return;
        if (!losses->names[i][0]) {
            memcpy(losses->names[i], plain, HTML_NAME);
            return;
        }
    }
}

static void
write_escaped(struct buffer *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '&')
            buffer_append_text(out, "&amp;");
        else if (byte == '<')
            buffer_append_text(out, "&lt;");
        else if (byte == '>')
            buffer_append_text(out, "&gt;");
        else if (byte == '"')
            buffer_append_text(out, "&quot;");
        else if (byte == '\'')
            buffer_append_text(out, "&#39;");
        else if (byte >= 0x20 || byte == '\n' || byte == '\t')
            buffer_append(out, text + i, 1);
    }
}

static const struct element *
find_element(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(elements); i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return &melting;
}

static void
write_attribute(struct reduction *r, const char *name, const char *value)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    for (size_t i = 0; i < COUNT_OF(attributes); i++) {
        if (strcmp(attributes[i].name, name) != 0)
            continue;
        if (!attributes[i].write(slice_of(value ? value : ""), &text))
            break;
        if (text.len) {
            buffer_printf(&r->body, " %s=\"", name);
            write_escaped(&r->body, text.data, text.len);
            buffer_append_text(&r->body, "\"");
        }
        return;
    }
    lose(r, name);
}

/* --- the parser's events --- */

static void
begin_staying(struct reduction *r, const struct element *element, const xmlChar **pairs)
{
    buffer_printf(&r->body, "<%s", element->name);
    for (; pairs && pairs[0]; pairs += 2)
        write_attribute(r, (const char *)pairs[0], (const char *)pairs[1]);
    buffer_append_text(&r->body, ">");
}

static void
on_start(void *context, const xmlChar *name, const xmlChar **pairs)
{
    struct reduction *r = context;
    const struct element *element =
        r->is_prelude ? &prelude : find_element((const char *)name);

    if (r->limit)
        return;
    if (r->depth == DEEPEST) {
        stop(r, "its elements are nested too deeply");
        return;
    }
    r->open[r->depth++] = element;
    if (r->going)
        return;
    if (element == &melting || element->fate == GOES)
        lose(r, (const char *)name);
    if (element->fate == GOES)
        r->going = r->depth;
    r->is_in_sheet = element->fate == SHEET;
    if (element->fate == STAYS || element->fate == STAYS_ALONE)
        begin_staying(r, element, pairs);
}

static void
end_sheet(struct reduction *r)
{
    if (css_reduce_sheet(buffer_slice(&r->sheet), &r->rules))
        lose(r, "style");
    buffer_clear(&r->sheet);
    r->is_in_sheet = false;
}

static void
on_end(void *context, const xmlChar *name UNUSED)
{
    struct reduction *r = context;

    if (!r->depth || r->limit)
        return;
    const struct element *element = r->open[--r->depth];
    if (r->going) {
        r->going = r->depth + 1 == r->going ? 0 : r->going;
        return;
    }
    if (element->fate == SHEET)
        end_sheet(r);
    if (element->fate == STAYS)
        buffer_printf(&r->body, "</%s>", element->name);
}

static void
on_text(void *context, const xmlChar *text, int len)
{
    struct reduction *r = context;

    if (r->going || r->limit)
        return;
    if (r->is_in_sheet)
        buffer_append(&r->sheet, text, (size_t)len);
    else
        write_escaped(&r->body, (const char *)text, (size_t)len);
    if (r->body.len > LONGEST_RESULT)
        stop(r, "it is too large");
}

static void
ignore(void *context UNUSED, const char *text UNUSED, ...)
{
}

/* --- parsing --- */

/* In pieces, so that a tag that does not end is given up early. */
static void
feed(struct reduction *r, struct slice html)
{
    size_t waiting = 0;

    r->is_prelude = true;
    xml.htmlParseChunk(r->parser, PRELUDE, (int)strlen(PRELUDE), 0);
    r->is_prelude = false;
    for (size_t at = 0; at < html.len && !r->limit; at += CHUNK) {
        size_t len = html.len - at < CHUNK ? html.len - at : CHUNK;
        xml.htmlParseChunk(r->parser, html.data + at, (int)len, 0);
        if (r->limit)
            return;
        waiting = (size_t)(r->parser->input->end - r->parser->input->cur);
        if (r->parser->instate == XML_PARSER_START_TAG && waiting > LONGEST_TAG)
            stop(r, "a tag is too long");
    }
    if (!r->limit)
        xml.htmlParseChunk(r->parser, "", 0, 1);
}

static int
parse(struct reduction *r, struct slice html, struct error *err)
{
    htmlSAXHandler events = {
        .startElement = on_start,
        .endElement = on_end,
        .characters = on_text,
        .cdataBlock = on_text,
        .ignorableWhitespace = on_text,
        .warning = ignore,
        .error = ignore,
        .fatalError = ignore,
        .initialized = 1,
    };

    r->parser =
        xml.htmlCreatePushParserCtxt(&events, r, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!r->parser)
        return error_set(err, ERR_SYSTEM, "libxml2 failed to start");
    xml.htmlCtxtUseOptions(r->parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
                                          HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                                          HTML_PARSE_IGNORE_ENC);
    feed(r, html);
    xml.htmlFreeParserCtxt(r->parser);
    return r->limit ? error_set(err, ERR_TOO_LARGE, "%s", r->limit) : 0;
}

static void
close_open(struct reduction *r)
{
    while (r->depth)
        on_end(r, NULL);
}

/* No formula is looked for in it either: MathJax makes links and more of some. */
static void
assemble(const struct reduction *r, struct buffer *out)
{
    buffer_append_text(out, "<div class=\"tex2jax_ignore mathjax_ignore\">");
    if (r->rules.len) {
        buffer_append_text(out, "<style>\n");
        buffer_append(out, r->rules.data, r->rules.len);
        buffer_append_text(out, "</style>");
    }
    buffer_append(out, buffer_slice(&r->body).data, r->body.len);
    buffer_append_text(out, "</div>");
}

static void
auto_reduction(struct reduction *r)
{
    buffer_release(&r->body);
    buffer_release(&r->rules);
    buffer_release(&r->sheet);
}

int
html_reduce(struct slice html, struct buffer *out, struct html_losses *losses,
            struct error *err)
{
    AUTO(reduction) struct reduction r = {.body = BUFFER_INIT(SIZE_MAX),
                                          .rules = BUFFER_INIT(SIZE_MAX),
                                          .sheet = BUFFER_INIT(SIZE_MAX),
                                          .losses = losses};

    *losses = (struct html_losses){0};
    if (html.len > LIMIT_HTML_BYTES)
        return error_set(err, ERR_TOO_LARGE, "it is too large");
    if (xml_library_load(err) < 0 || parse(&r, html, err) < 0)
        return -1;
    close_open(&r);
    assemble(&r, out);
    return 0;
}
