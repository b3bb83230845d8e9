#include "common/net/allow.h"

#include "common/limits.h"

enum {
    ANY_PORT = -1,
    WEB_PORTS = 0, /* 80 and 443 */
};

struct rule {
    enum {
        RULE_NAME,
        RULE_SUFFIX, /* `name` is what comes behind "*." */
        RULE_RANGE,
    } kind;
    char name[HOST_NAME_SIZE];
    struct ip_range range;
    int port;
};

struct allow_list {
    size_t count;
    struct rule rules[];
};

static bool
has_prefix(struct slice text, struct slice prefix)
{
    return text.len >= prefix.len && memcmp(text.data, prefix.data, prefix.len) == 0;
}

static int
parse_port(struct slice text, int *out, struct error *err)
{
    uint16_t port;

    *out = WEB_PORTS;
    if (!text.data)
        return 0;
    if (slice_equals(text, SLICE("*"))) {
        *out = ANY_PORT;
        return 0;
    }
    if (host_parse_port(text, &port, err) < 0)
        return -1;
    *out = port;
    return 0;
}

static int
parse_range(const struct host_parts *parts, const struct host *host,
            struct ip_range *out, struct error *err)
{
    *out = (struct ip_range){host->address, ip_bits(&host->address)};
    if (!parts->bits.data)
        return 0;
    if (host_parse_number(parts->bits, out->bits, &out->bits, err) < 0)
        return error_wrap(err, "after the slash");
    if (!ip_range_is_exact(out))
        return error_set(err, ERR_BAD_INPUT,
                         "the address has bits set beyond the length of its prefix");
    return 0;
}

static int
parse_rule(struct slice text, struct rule *out, struct error *err)
{
    static const struct slice wildcard = SLICE("*.");
    struct host_parts parts;
    struct host host;
    struct rule rule = {.kind = RULE_NAME};

    if (has_prefix(text, wildcard)) {
        rule.kind = RULE_SUFFIX;
        text.data += wildcard.len;
        text.len -= wildcard.len;
    }
    if (text.len > ALLOW_RULE_BYTES)
        return error_set(err, ERR_BAD_INPUT, "it is too long");
    if (host_split(text, &parts, err) < 0 ||
        host_parse(parts.host, parts.has_brackets, &host, err) < 0 ||
        parse_port(parts.port, &rule.port, err) < 0)
        return -1;
    if (host.is_address && rule.kind == RULE_SUFFIX)
        return error_set(err, ERR_BAD_INPUT, "\"*.\" must be followed by a name");
    if (parts.bits.data && !host.is_address)
        return error_set(err, ERR_BAD_INPUT, "a slash may only follow an address");
    if (host.is_address) {
        rule.kind = RULE_RANGE;
        if (parse_range(&parts, &host, &rule.range, err) < 0)
            return -1;
    }
    memcpy(rule.name, host.name, sizeof(rule.name));
    *out = rule;
    return 0;
}

int
allow_check_rule(const char *text, struct error *err)
{
    struct rule rule;

    return parse_rule(slice_of(text), &rule, err);
}

static int
parse_entry(const json_t *entry, struct rule *out, struct error *err)
{
    const char *text = json_string_value(entry);

    if (!text)
        return error_set(err, ERR_BAD_INPUT, "network.allow must be a list of strings");
    if (parse_rule((struct slice){text, json_string_length(entry)}, out, err) < 0)
        return error_wrap(err,
                          "network.allow: \"%.100s\" is not \"host\", \"*.suffix\", "
                          "\"address\" or \"address/bits\", with or without \":port\"",
                          text);
    return 0;
}

int
allow_list_parse(const json_t *rules, struct allow_list **out, struct error *err)
{
    size_t count = json_array_size(rules), index;
    json_t *entry;

    if (!json_is_array(rules) || count > LIMIT_CLAIM_LIST)
        return error_set(err, ERR_BAD_INPUT,
                         "network.allow must be a list of at most %d",
                         LIMIT_CLAIM_LIST);
    AUTO(allow_list) struct allow_list *list =
        xcalloc(1, sizeof(*list) + (count ? count : 1) * sizeof(list->rules[0]));
    json_array_foreach (rules, index, entry)
        if (parse_entry(entry, &list->rules[list->count++], err) < 0)
            return -1;
    *out = TAKE(list);
    return 0;
}

void
allow_list_free(struct allow_list *list)
{
    free(list);
}

static bool
port_fits(const struct rule *rule, uint16_t port)
{
    if (rule->port == WEB_PORTS)
        return port == 80 || port == 443;
    return rule->port == ANY_PORT || rule->port == port;
}

static bool
name_fits(const struct rule *rule, const char *name)
{
    size_t len = strlen(name), suffix = strlen(rule->name);

    if (rule->kind == RULE_NAME)
        return strcmp(rule->name, name) == 0;
    return rule->kind == RULE_SUFFIX && len > suffix + 1 &&
           name[len - suffix - 1] == '.' &&
           strcmp(name + len - suffix, rule->name) == 0;
}

bool
allow_name(const struct allow_list *list, const char *name, uint16_t port)
{
    for (size_t i = 0; i < list->count; i++)
        if (name_fits(&list->rules[i], name) && port_fits(&list->rules[i], port))
            return true;
    return false;
}

/* Of two ranges that share an address, the one with more bits lies in the other. */
static bool
range_opens(const struct rule *rule, const struct ip *address,
            const struct ip_special *special)
{
    return rule->kind == RULE_RANGE && ip_range_holds(&rule->range, address) &&
           (!special || rule->range.bits >= special->bits);
}

enum allow_verdict
allow_address(const struct allow_list *list, const struct ip *address, uint16_t port,
              bool is_named)
{
    const struct ip_special *special = ip_special_of(address);

    if (is_named && !special)
        return ALLOW_YES;
    for (size_t i = 0; i < list->count; i++)
        if (range_opens(&list->rules[i], address, special) &&
            port_fits(&list->rules[i], port))
            return ALLOW_YES;
    return is_named ? ALLOW_SPECIAL : ALLOW_NOT_LISTED;
}

bool
allow_mentions(const struct allow_list *list, const char *host)
{
    struct ip address;
    bool is_address = ip_parse(slice_of(host), &address);

    for (size_t i = 0; i < list->count; i++) {
        const struct rule *rule = &list->rules[i];
        if (is_address ? range_opens(rule, &address, ip_special_of(&address))
                       : rule->kind == RULE_NAME && strcmp(rule->name, host) == 0)
            return true;
    }
    return false;
}
