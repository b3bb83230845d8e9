#include "common/net/ip.h"

#include <assert.h>

/*
 * From IANA's registries of special-purpose addresses, and the clouds' metadata
 * servers. Among rows that overlap the narrowest comes first. Of IPv6, only 2000::/3 is
 * given to public hosts.
 */
static const struct ip_special specials[] = {
    {"169.254.169.254", 32,  "a cloud's metadata server"   },
    {"169.254.170.2",   32,  "a cloud's metadata server"   },
    {"100.100.100.200", 32,  "a cloud's metadata server"   },
    {"192.0.0.192",     32,  "a cloud's metadata server"   },
    {"168.63.129.16",   32,  "a cloud's metadata server"   },
    {"0.0.0.0",         8,   "an address of this machine"  },
    {"10.0.0.0",        8,   "a private address"           },
    {"100.64.0.0",      10,  "a provider's private address"},
    {"127.0.0.0",       8,   "a loopback address"          },
    {"169.254.0.0",     16,  "a link-local address"        },
    {"172.16.0.0",      12,  "a private address"           },
    {"192.0.0.0",       24,  "a reserved address"          },
    {"192.0.2.0",       24,  "a documentation address"     },
    {"192.88.99.0",     24,  "an address of a 6to4 relay"  },
    {"192.168.0.0",     16,  "a private address"           },
    {"198.18.0.0",      15,  "a benchmarking address"      },
    {"198.51.100.0",    24,  "a documentation address"     },
    {"203.0.113.0",     24,  "a documentation address"     },
    {"224.0.0.0",       4,   "a multicast address"         },
    {"240.0.0.0",       4,   "a reserved address"          },
    {"fd00:ec2::254",   128, "a cloud's metadata server"   },
    {"fd20:ce::254",    128, "a cloud's metadata server"   },
    {"::1",             128, "the loopback address"        },
    {"::",              128, "an address of this machine"  },
    {"::ffff:0:0",      96,  "an IPv4-mapped address"      },
    {"64:ff9b::",       96,  "an IPv4 address behind NAT64"},
    {"64:ff9b:1::",     48,  "an IPv4 address behind NAT64"},
    {"2001:db8::",      32,  "a documentation address"     },
    {"2001::",          23,  "a reserved address"          },
    {"2002::",          16,  "an IPv4 address behind 6to4" },
    {"3fff::",          20,  "a documentation address"     },
    {"fc00::",          7,   "a private address"           },
    {"fe80::",          10,  "a link-local address"        },
    {"fec0::",          10,  "a private address"           },
    {"ff00::",          8,   "a multicast address"         },
    {"::",              3,   "a reserved address"          },
    {"4000::",          2,   "a reserved address"          },
    {"8000::",          1,   "a reserved address"          },
};

bool
ip_parse(struct slice text, struct ip *out)
{
    char copy[INET6_ADDRSTRLEN];
    struct ip address = {.family = AF_INET};

    if (text.len == 0 || text.len >= sizeof(copy) || memchr(text.data, '\0', text.len))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (memchr(text.data, ':', text.len))
        address.family = AF_INET6;
    if (inet_pton(address.family, copy, address.bytes) != 1)
        return false;
    *out = address;
    return true;
}

bool
ip_from(const struct sockaddr *from, struct ip *out)
{
    *out = (struct ip){.family = from->sa_family};
    if (from->sa_family == AF_INET)
        memcpy(out->bytes, &((const struct sockaddr_in *)(const void *)from)->sin_addr,
               sizeof(struct in_addr));
    else if (from->sa_family == AF_INET6)
        memcpy(out->bytes,
               &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
               sizeof(struct in6_addr));
    else
        return false;
    return true;
}

socklen_t
ip_to(const struct ip *address, uint16_t port, struct sockaddr_storage *out)
{
    struct sockaddr_in *v4 = (void *)out;
    struct sockaddr_in6 *v6 = (void *)out;

    *out = (struct sockaddr_storage){.ss_family = address->family};
    if (address->family == AF_INET) {
        v4->sin_port = htons(port);
        memcpy(&v4->sin_addr, address->bytes, sizeof(v4->sin_addr));
        return sizeof(*v4);
    }
    v6->sin6_port = htons(port);
    memcpy(&v6->sin6_addr, address->bytes, sizeof(v6->sin6_addr));
    return sizeof(*v6);
}

const char *
ip_format(const struct ip *address, char out[INET6_ADDRSTRLEN])
{
    return inet_ntop(address->family, address->bytes, out, INET6_ADDRSTRLEN);
}

unsigned
ip_bits(const struct ip *address)
{
    return address->family == AF_INET ? 32 : 128;
}

bool
ip_equals(const struct ip *a, const struct ip *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, ip_bits(a) / 8) == 0;
}

bool
ip_range_holds(const struct ip_range *range, const struct ip *address)
{
    unsigned whole = range->bits / 8, rest = range->bits % 8;

    if (range->base.family != address->family ||
        memcmp(range->base.bytes, address->bytes, whole) != 0)
        return false;
    return rest == 0 ||
           ((range->base.bytes[whole] ^ address->bytes[whole]) >> (8 - rest)) == 0;
}

bool
ip_range_is_exact(const struct ip_range *range)
{
    for (unsigned bit = range->bits; bit < ip_bits(&range->base); bit++)
        if (range->base.bytes[bit / 8] & (0x80 >> bit % 8))
            return false;
    return true;
}

const struct ip_special *
ip_special_of(const struct ip *address)
{
    for (size_t i = 0; i < COUNT_OF(specials); i++) {
        struct ip_range range = {.bits = specials[i].bits};
        if (!ip_parse(slice_of(specials[i].text), &range.base))
            abort();
        if (ip_range_holds(&range, address))
            return &specials[i];
    }
    return NULL;
}
