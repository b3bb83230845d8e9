#include "sandbox/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

enum {
    LONGEST_HOST = 64, /* an IPv6 address with a scope */
};

static int
refuse(const char *text, struct error *err)
{
    return error_set(err, ERR_BAD_INPUT,
                     "cannot listen on %.100s: give unix:/absolute/path, "
                     "tcp:127.0.0.1:8888 or tcp:[::]:8888",
                     text);
}

/* "HOST:PORT" or "[HOST]:PORT" into a host without brackets; NULL: no port. */
static const char *
split(const char *text, char host[LONGEST_HOST])
{
    const char *colon = strrchr(text, ':');
    bool has_brackets = text[0] == '[';
    size_t len = colon ? (size_t)(colon - text) : 0;

    if (has_brackets && (len < 2 || text[len - 1] != ']'))
        return NULL;
    if (has_brackets) {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= LONGEST_HOST)
        return NULL;
    memcpy(host, text, len);
    host[len] = '\0';
    return !has_brackets && strchr(host, ':') ? NULL : colon + 1;
}

static bool
is_port(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= 5 && strspn(text, "0123456789") == len &&
           strtol(text, NULL, 10) <= UINT16_MAX;
}

static int
parse_tcp(const char *text, struct address *out, struct error *err)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[LONGEST_HOST];
    const char *port = split(text, host);

    /* glibc takes "*" for every address there is */
    if (!port || !is_port(port) || host[0] == '*' ||
        getaddrinfo(host, port, &hints, &found) != 0)
        return refuse(text, err);
    *out = (struct address){.tcp_len = found->ai_addrlen};
    memcpy(&out->tcp, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

int
address_parse(const char *text, struct address *out, struct error *err)
{
    if (strncmp(text, "tcp:", 4) == 0)
        return parse_tcp(text + 4, out, err);
    if (strncmp(text, "unix:/", 6) != 0)
        return refuse(text, err);
    *out = (struct address){.unix_path = text + 5};
    return 0;
}

bool
address_is_loopback(const struct address *address)
{
    if (address->unix_path)
        return true;
    if (address->tcp.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address->tcp;
        return ntohl(in->sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
    }
    return IN6_IS_ADDR_LOOPBACK(
        &((const struct sockaddr_in6 *)&address->tcp)->sin6_addr);
}

char *
address_of_socket(int socket, struct error *err)
{
    struct sockaddr_storage name;
    socklen_t len = sizeof(name);
    char host[LONGEST_HOST], port[8];

    if (getsockname(socket, (struct sockaddr *)&name, &len) < 0)
        return (void)error_sys(err, "get the listening address"), NULL;
    if (getnameinfo((struct sockaddr *)&name, len, host, sizeof(host), port,
                    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return (void)error_set(err, ERR_SYSTEM,
                               "the listening address cannot be printed"),
               NULL;
    return name.ss_family == AF_INET6 ? xasprintf("[%s]:%s", host, port)
                                      : xasprintf("%s:%s", host, port);
}
