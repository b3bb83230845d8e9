#include "kernel/process/options.h"

#include "common/key_file.h"
#include "common/paths.h"
#include "common/settings/settings_flags.h"
#include "kernel/place/claim.h"

/* "-f PATH", "-f=PATH", "--f PATH", "--f=PATH": the value, and how many words it took.
 */
static const char *
option_value(char **argv, const char *name, int *used)
{
    size_t len = strlen(name);

    *used = 1;
    if (strncmp(argv[0], name, len) != 0)
        return NULL;
    if (argv[0][len] == '=')
        return argv[0] + len + 1;
    if (argv[0][len] != '\0')
        return NULL;
    *used = argv[1] ? 2 : 1;
    return argv[1] ? argv[1] : "";
}

static int
use_local(struct options *options, struct error *err)
{
    options->owned = paths_sandboxd_socket(err);
    if (!options->owned)
        return -1;
    options->place = (struct place_spec){
        .type = &place_local,
        .address = {.url = "http://localhost", .unix_path = options->owned},
    };
    return 0;
}

static int
use_url(struct options *options, const char *url)
{
    size_t len = strlen(url);

    while (len && url[len - 1] == '/')
        len--;
    options->owned = xstrndup(url, len);
    options->place =
        (struct place_spec){.type = &place_given, .address.url = options->owned};
    return 0;
}

static int
set_place(struct options *options, const char *where, struct error *err)
{
    if (strcmp(where, "local") == 0)
        return use_local(options, err);
    if (strncmp(where, "http://", 7) == 0 && where[7])
        return use_url(options, where);
    if (strncmp(where, "unix:", 5) == 0 && where[5]) {
        options->owned = xstrdup(where + 5);
        options->place = (struct place_spec){
            .type = &place_given,
            .address = {.url = "http://localhost", .unix_path = options->owned},
        };
        return 0;
    }
    if (strcmp(where, "gke") == 0) {
        options->place = (struct place_spec){.type = &place_gke};
        return 0;
    }
    return error_set(
        err, ERR_BAD_INPUT,
        "--sandbox must be local, gke, http://HOST:PORT or unix:PATH, not `%.100s'",
        where);
}

/* Whether it is one of gke's; checked when they are needed. */
static bool
take_gke_option(char **argv, struct gke_options *options, int *used)
{
    const char *name, *value;

    for (int i = 0; (name = gke_options_name((enum gke_option)i)); i++)
        if ((value = option_value(argv, name, used))) {
            options->given[i] = value;
            return true;
        }
    return false;
}

/* What a sandboxd on another machine wants to hear of who claims. */
static int
read_key(struct options *options, const char *path, struct error *err)
{
    if (!path || !*path)
        return 0;
    if (options->place.type != &place_given)
        return error_set(err, ERR_BAD_INPUT,
                         "--token-file is for --sandbox http://HOST:PORT");
    AUTO(mem) char *key = key_file_read(path, err);
    if (!key)
        return -1;
    options->owned_header = xasprintf("X-Cellpod-Key: %s", key);
    options->place.address.claim_header = options->owned_header;
    return 0;
}

int
options_parse(char **argv, struct options *out, struct error *err)
{
    AUTO(options) struct options options = OPTIONS_INIT;
    const char *where = "local", *key = NULL, *value;
    int taken;

    options.sandbox = json_object();
    for (int at = 1, used = 1; argv[at]; at += used) {
        if ((value = option_value(argv + at, "-f", &used)) ||
            (value = option_value(argv + at, "--f", &used)))
            options.connection_file = value;
        else if ((value = option_value(argv + at, "--sandbox", &used)))
            where = value;
        else if ((value = option_value(argv + at, "--token-file", &used)))
            key = value;
        else if ((value = option_value(argv + at, "--log-format", &used)))
            options.log_format = value;
        else if (take_gke_option(argv + at, &options.gke, &used))
            continue;
        else if ((taken = settings_flags_take(argv + at, options.sandbox, &used, err)))
            if (taken < 0)
                return -1;
        options.wants_help = options.wants_help || strcmp(argv[at], "--help") == 0;
        options.wants_version =
            options.wants_version || strcmp(argv[at], "--version") == 0;
    }
    if (!options.wants_help && !options.wants_version) {
        if (!options.connection_file || !*options.connection_file)
            return error_set(err, ERR_BAD_INPUT, "-f CONNECTION_FILE: missing");
        if (set_place(&options, where, err) < 0 || read_key(&options, key, err) < 0)
            return -1;
    }
    *out = options;
    options = (struct options)OPTIONS_INIT;
    return 0;
}

void
options_settle(struct options *options)
{
    if (options->place.type == &place_local && claim_wants_runsc(options->sandbox))
        options->place = (struct place_spec){.type = &place_runsc};
}

void
options_release(struct options *options)
{
    free(options->owned);
    free(options->owned_header);
    json_decref(options->sandbox);
    *options = (struct options)OPTIONS_INIT;
}
