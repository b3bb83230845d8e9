#include "sandbox/network/proxy_head.h"

#include <ctype.h>
#include <strings.h>

/* Fields that end here: they are about the connection, or for a proxy. */
static const char *const own_fields[] = {
    "connection",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "upgrade",
};

static bool
is_token_char(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool
is_token(struct slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_token_char(text.data[i]))
            return false;
    return text.len > 0;
}

static int
bad(struct error *err, const char *what)
{
    return error_set(err, ERR_BAD_INPUT, "the request to the proxy %s", what);
}

/* One line without its CRLF. Returns false when it is not whole yet. */
static bool
take_line(struct slice *rest, struct slice *line)
{
    const char *end = memmem(rest->data, rest->len, "\r\n", 2);

    if (!end)
        return false;
    *line = (struct slice){rest->data, (size_t)(end - rest->data)};
    rest->data = end + 2;
    rest->len -= line->len + 2;
    return true;
}

static struct slice
take_word(struct slice *line)
{
    const char *space = memchr(line->data, ' ', line->len);
    struct slice word = {line->data, space ? (size_t)(space - line->data) : line->len};
    size_t taken = word.len + (space ? 1 : 0);

    line->data += taken;
    line->len -= taken;
    return word;
}

static int
check_field(struct slice line, struct error *err)
{
    const char *colon = memchr(line.data, ':', line.len);

    if (!colon || !is_token((struct slice){line.data, (size_t)(colon - line.data)}))
        return bad(err, "has a header line without a name");
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.data[i] < ' ' && line.data[i] != '\t')
            return bad(err, "has a control character in a header line");
    return 0;
}

/* 1 when the empty line has come, 0 when not, -1. */
static int
parse_fields(struct slice *rest, struct proxy_head *head, struct error *err)
{
    struct slice line;
    const char *start = rest->data;

    for (int count = 0; take_line(rest, &line); count++) {
        if (line.len == 0) {
            head->fields =
                (struct slice){start, (size_t)(rest->data - start) - strlen("\r\n")};
            return 1;
        }
        if (count == PROXY_HEAD_LINES)
            return error_set(err, ERR_TOO_LARGE,
                             "the request to the proxy has over %d header lines",
                             PROXY_HEAD_LINES);
        if (check_field(line, err) < 0)
            return -1;
    }
    return 0;
}

static int
parse_authority(struct slice text, struct proxy_head *head, struct error *err)
{
    struct host_parts parts;

    if (host_split(text, &parts, err) < 0 || parts.bits.data ||
        host_parse(parts.host, parts.has_brackets, &head->host, err) < 0)
        return bad(err, "names no host that can be looked up");
    if (head->is_connect && !parts.port.data)
        return bad(err, "is a CONNECT without a port");
    head->port = 80;
    if (parts.port.data && host_parse_port(parts.port, &head->port, err) < 0)
        return bad(err, "has no port from 1 to 65535");
    head->authority = text;
    return 0;
}

static int
parse_url(struct slice url, struct proxy_head *head, struct error *err)
{
    static const struct slice scheme = SLICE("http://");
    size_t len = 0;

    if (url.len < scheme.len || strncasecmp(url.data, scheme.data, scheme.len) != 0)
        return bad(err, "is neither a CONNECT nor for a URL that begins with http://");
    url.data += scheme.len;
    url.len -= scheme.len;
    while (len < url.len && !strchr("/?#", url.data[len]))
        len++;
    head->path = (struct slice){url.data + len, url.len - len};
    if (memchr(head->path.data, '#', head->path.len))
        return bad(err, "has a fragment in its URL");
    return parse_authority((struct slice){url.data, len}, head, err);
}

static int
parse_target(struct slice target, struct proxy_head *head, struct error *err)
{
    for (size_t i = 0; i < target.len; i++)
        if (!isgraph((unsigned char)target.data[i]))
            return bad(err, "has a character in its target that URLs do not have");
    return head->is_connect ? parse_authority(target, head, err)
                            : parse_url(target, head, err);
}

static int
parse_request_line(struct slice line, struct proxy_head *head, struct error *err)
{
    head->method = take_word(&line);
    struct slice target = take_word(&line);
    head->version = line;
    if (!is_token(head->method) || head->method.len > 32)
        return bad(err, "has no method");
    if (!slice_equals(line, SLICE("HTTP/1.1")) &&
        !slice_equals(line, SLICE("HTTP/1.0")))
        return bad(err, "is not HTTP/1.1 or HTTP/1.0");
    head->is_connect = slice_equals(head->method, SLICE("CONNECT"));
    return parse_target(target, head, err);
}

/* Of a head that may not be whole: line ends are CRLF, and lone halves are none. */
static int
check_line_ends(struct slice text, struct error *err)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' && (i == 0 || text.data[i - 1] != '\r'))
            return bad(err, "has a line feed without a carriage return");
        if (text.data[i] == '\r' && i + 1 < text.len && text.data[i + 1] != '\n')
            return bad(err, "has a carriage return without a line feed");
        if (text.data[i] == '\0')
            return bad(err, "has a zero byte in its head");
    }
    return 0;
}

static struct slice
up_to_the_end_of_head(struct slice text)
{
    const char *end = memmem(text.data, text.len, "\r\n\r\n", 4);

    if (end)
        text.len = (size_t)(end - text.data) + 4;
    return text;
}

int
proxy_head_parse(struct slice text, struct proxy_head *out, struct error *err)
{
    struct proxy_head head = {.len = 0};
    struct slice rest = up_to_the_end_of_head(text), line;

    if (check_line_ends(rest, err) < 0)
        return -1;
    if (take_line(&rest, &line)) {
        if (parse_request_line(line, &head, err) < 0)
            return -1;
        int whole = parse_fields(&rest, &head, err);
        if (whole < 0)
            return -1;
        head.len = (size_t)(rest.data - text.data);
        if (whole && head.len <= PROXY_HEAD_BYTES) {
            *out = head;
            return 1;
        }
    }
    if (text.len >= PROXY_HEAD_BYTES)
        return error_set(err, ERR_TOO_LARGE,
                         "the head of the request to the proxy is over %d KiB",
                         PROXY_HEAD_BYTES >> 10);
    return 0;
}

/* --- for the host --- */

static bool
is_own(struct slice line)
{
    const char *colon = memchr(line.data, ':', line.len);
    size_t len = colon ? (size_t)(colon - line.data) : line.len;

    for (size_t i = 0; i < COUNT_OF(own_fields); i++)
        if (strlen(own_fields[i]) == len &&
            strncasecmp(own_fields[i], line.data, len) == 0)
            return true;
    return false;
}

static int
append_slice(struct buffer *out, struct slice text)
{
    return buffer_append(out, text.data, text.len);
}

static int
append_first_lines(const struct proxy_head *head, struct buffer *out)
{
    bool has_slash = head->path.len > 0 && head->path.data[0] == '/';

    if (append_slice(out, head->method) < 0 ||
        buffer_append_text(out, has_slash ? " " : " /") < 0 ||
        append_slice(out, head->path) < 0 || buffer_append_text(out, " ") < 0 ||
        append_slice(out, head->version) < 0 ||
        buffer_append_text(out, "\r\nHost: ") < 0 ||
        append_slice(out, head->authority) < 0)
        return -1;
    return buffer_append_text(out, "\r\nConnection: close\r\n");
}

int
proxy_head_rewrite(const struct proxy_head *head, struct buffer *out)
{
    struct slice rest = head->fields, line;

    if (append_first_lines(head, out) < 0)
        return -1;
    while (take_line(&rest, &line))
        if (!is_own(line) &&
            (append_slice(out, line) < 0 || buffer_append_text(out, "\r\n") < 0))
            return -1;
    return buffer_append_text(out, "\r\n");
}
