#include "kube/access/rfc3339.h"

#include <ctype.h>

static bool
read_two_digits(const char *text, int *out)
{
    if (!isdigit((unsigned char)text[0]) || !isdigit((unsigned char)text[1]))
        return false;
    *out = (text[0] - '0') * 10 + (text[1] - '0');
    return true;
}

/* "Z", "+01:00", "-05:30": seconds east of Greenwich. */
static bool
read_zone(const char *text, time_t *out)
{
    int hours, minutes;

    if (strcmp(text, "Z") == 0 || strcmp(text, "z") == 0) {
        *out = 0;
        return true;
    }
    if ((text[0] != '+' && text[0] != '-') || !read_two_digits(text + 1, &hours) ||
        text[3] != ':' || !read_two_digits(text + 4, &minutes) || text[6])
        return false;
    *out = (hours * 60 + minutes) * 60 * (text[0] == '-' ? -1 : 1);
    return true;
}

bool
rfc3339_read(const char *text, time_t *out)
{
    struct tm parts = {0};
    time_t zone;

    if (strlen(text) < 20 || text[10] != 'T')
        return false;
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!rest)
        return false;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    if (!read_zone(rest, &zone))
        return false;
    *out = timegm(&parts) - zone;
    return true;
}

void
rfc3339_write(time_t when, char out[RFC3339_SIZE])
{
    struct tm parts;

    gmtime_r(&when, &parts);
    if (strftime(out, RFC3339_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        out[0] = '\0'; /* a year of five digits */
}
