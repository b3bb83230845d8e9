#include "kernel/place/gke_options.h"

#include <ctype.h>

#include "kube/claim_object.h"

static const struct {
    const char *flag, *variable, *fallback;
} rows[GKE_OPTIONS] = {
    [GKE_POOL] = {"--pool",      "CELLPOD_GKE_POOL",      "cellpod"},
    [GKE_NAMESPACE] = {"--namespace", "CELLPOD_GKE_NAMESPACE", ""       },
    [GKE_CONTEXT] = {"--context",   "CELLPOD_GKE_CONTEXT",   ""       },
    [GKE_ROUTER] = {"--router",    "CELLPOD_GKE_ROUTER",    "direct" },
    [GKE_PORT] = {"--port",      "CELLPOD_GKE_PORT",      "8888"   },
    [GKE_TTL] = {"--ttl",       "CELLPOD_GKE_TTL",       "600"    },
    [GKE_WAIT] = {"--wait",      "CELLPOD_GKE_WAIT",      "600"    },
    [GKE_SUSPEND] = {"--suspend",   "CELLPOD_GKE_SUSPEND",   "0"      },
};

const char *
gke_options_name(enum gke_option option)
{
    return option < GKE_OPTIONS ? rows[option].flag : NULL;
}

static const char *
value_of(const struct gke_options *options, enum gke_option option)
{
    const char *given = options->given[option];
    const char *variable = getenv(rows[option].variable);

    return given ? given : variable && *variable ? variable : rows[option].fallback;
}

static int
refuse(enum gke_option option, const char *value, const char *wants, struct error *err)
{
    return error_set(err, ERR_BAD_INPUT,
                     "--sandbox gke: %s (%s) must be %s, not `%.80s'",
                     rows[option].flag, rows[option].variable, wants, value);
}

static int
read_name(const struct gke_options *options, enum gke_option option, const char **out,
          struct error *err)
{
    const char *value = value_of(options, option);

    if (*value && !claim_object_is_name(value))
        return refuse(option, value, "the name of an object", err);
    *out = *value ? value : NULL;
    return 0;
}

static int
read_number(const struct gke_options *options, enum gke_option option, unsigned least,
            unsigned most, unsigned *out, struct error *err)
{
    const char *value = value_of(options, option);
    unsigned long number = 0;
    size_t len = strlen(value);
    AUTO(mem) char *wants = xasprintf("a number from %u to %u", least, most);

    for (size_t i = 0; i < len && len <= 9; i++) {
        if (!isdigit((unsigned char)value[i]))
            return refuse(option, value, wants, err);
        number = number * 10 + (unsigned long)(value[i] - '0');
    }
    if (len == 0 || len > 9 || number < least || number > most)
        return refuse(option, value, wants, err);
    *out = (unsigned)number;
    return 0;
}

static int
read_router(const struct gke_options *options, const char **out, struct error *err)
{
    const char *value = value_of(options, GKE_ROUTER);

    if (strcmp(value, "direct") == 0)
        *out = NULL;
    else if ((strncmp(value, "http://", 7) == 0 && value[7]) ||
             (strncmp(value, "https://", 8) == 0 && value[8]))
        *out = value;
    else
        return refuse(GKE_ROUTER, value, "http://HOST[:PORT], https://… or direct",
                      err);
    return 0;
}

int
gke_options_check(const struct gke_options *options, struct gke_settings *out,
                  struct error *err)
{
    struct gke_settings settings = {0};
    const char *context = value_of(options, GKE_CONTEXT);

    settings.context = *context ? context : NULL;
    if (read_name(options, GKE_POOL, &settings.pool, err) < 0 ||
        read_name(options, GKE_NAMESPACE, &settings.namespace, err) < 0 ||
        read_router(options, &settings.router, err) < 0 ||
        read_number(options, GKE_PORT, 1, 65535, &settings.port, err) < 0 ||
        read_number(options, GKE_TTL, 10, 604800, &settings.ttl_seconds, err) < 0 ||
        read_number(options, GKE_WAIT, 1, 86400, &settings.wait_seconds, err) < 0 ||
        read_number(options, GKE_SUSPEND, 0, 604800, &settings.suspend_seconds, err) <
            0)
        return -1;
    *out = settings;
    return 0;
}
