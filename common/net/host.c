#include "common/net/host.h"

#include <ctype.h>
#include <stdio.h>

enum {
    LABEL_BYTES = 63,
};

/* Up to the first of these characters, which is not taken. */
static struct slice
take_until(struct slice *rest, const char *ends)
{
    struct slice taken = {rest->data, 0};

    while (taken.len < rest->len &&
           (!rest->data[taken.len] || !strchr(ends, rest->data[taken.len])))
        taken.len++;
    rest->data += taken.len;
    rest->len -= taken.len;
    return taken;
}

static bool
take_char(struct slice *rest, char wanted)
{
    if (rest->len == 0 || rest->data[0] != wanted)
        return false;
    rest->data++;
    rest->len--;
    return true;
}

int
host_split(struct slice text, struct host_parts *out, struct error *err)
{
    struct host_parts parts = {.has_brackets = take_char(&text, '[')};

    parts.host = take_until(&text, parts.has_brackets ? "]" : "/:");
    if (parts.has_brackets && !take_char(&text, ']'))
        return error_set(err, ERR_BAD_INPUT, "a bracket is not closed");
    if (take_char(&text, '/'))
        parts.bits = take_until(&text, ":");
    if (take_char(&text, ':'))
        parts.port = take_until(&text, "");
    if (text.len)
        return error_set(err, ERR_BAD_INPUT, "something follows the bracket");
    *out = parts;
    return 0;
}

int
host_parse_number(struct slice text, unsigned most, unsigned *out, struct error *err)
{
    unsigned value = 0;

    if (text.len == 0 || text.len > 9 || (text.len > 1 && text.data[0] == '0'))
        return error_set(err, ERR_BAD_INPUT, "a number is missing or malformed");
    for (size_t i = 0; i < text.len; i++) {
        if (!isdigit((unsigned char)text.data[i]))
            return error_set(err, ERR_BAD_INPUT, "a number contains other characters");
        value = value * 10 + (unsigned)(text.data[i] - '0');
    }
    if (value > most)
        return error_set(err, ERR_BAD_INPUT, "a number is over %u", most);
    *out = value;
    return 0;
}

int
host_parse_port(struct slice text, uint16_t *out, struct error *err)
{
    unsigned port;

    if (host_parse_number(text, UINT16_MAX, &port, err) < 0)
        return error_wrap(err, "the port");
    if (port == 0)
        return error_set(err, ERR_BAD_INPUT, "the port is 0");
    *out = (uint16_t)port;
    return 0;
}

static bool
is_label(const char *label, size_t len)
{
    if (len == 0 || len > LABEL_BYTES || label[0] == '-' || label[len - 1] == '-')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)label[i]) && label[i] != '-' && label[i] != '_')
            return false;
    return true;
}

/* What some programs read as a number, and so as an address. */
static bool
is_numeric(const char *label)
{
    if (label[0] == '0' && label[1] == 'x')
        return true;
    return label[strspn(label, "0123456789")] == '\0';
}

static int
check_name(const char *name, struct error *err)
{
    const char *label = name;

    for (;;) {
        size_t len = strcspn(label, ".");
        if (!is_label(label, len))
            return error_set(err, ERR_BAD_INPUT, "it is not a host name");
        if (!label[len])
            break;
        label += len + 1;
    }
    if (is_numeric(label))
        return error_set(err, ERR_BAD_INPUT, "it is neither a name nor an address");
    return 0;
}

int
host_parse(struct slice text, bool has_brackets, struct host *out, struct error *err)
{
    struct host host = {.is_address = ip_parse(text, &host.address)};

    if (text.len > 0 && text.data[text.len - 1] == '.' && !has_brackets)
        text.len--;
    if (text.len == 0 || text.len >= sizeof(host.name) ||
        memchr(text.data, '\0', text.len))
        return error_set(err, ERR_BAD_INPUT, "it is not a host name");
    for (size_t i = 0; i < text.len; i++)
        host.name[i] = (char)tolower((unsigned char)text.data[i]);
    bool is_v6 = host.is_address && host.address.family == AF_INET6;
    if (is_v6 != has_brackets)
        return error_set(err, ERR_BAD_INPUT,
                         "IPv6 addresses, and only those, need brackets");
    if (!host.is_address && check_name(host.name, err) < 0)
        return -1;
    *out = host;
    return 0;
}
