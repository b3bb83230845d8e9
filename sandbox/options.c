#include "sandbox/options.h"

#include <errno.h>
#include <getopt.h>

#include "common/limits.h"
#include "common/log.h"
#include "common/paths.h"

enum {
    PRELOAD_MB = 256,
    MAX_PRELOAD_MB = 4096,
    IDLE_EXIT_SECONDS = 600,
    MAX_IDLE_EXIT_SECONDS = 366 * 24 * 3600,
    MAX_DESCRIPTOR = 1 << 20,
    GRACE_SECONDS = 5, /* container runtimes kill what has not ended after 10 */
    MAX_GRACE_SECONDS = 24 * 3600,
};

static int
read_number(const char *name, const char *text, long min, long max, long *out,
            struct error *err)
{
    char *end;

    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < min || number > max)
        return error_set(err, ERR_BAD_INPUT, "%s must be a number from %ld to %ld",
                         name, min, max);
    *out = number;
    return 0;
}

static int
read_environment(struct options *options, struct error *err)
{
    const char *python = getenv("CELLPOD_PYTHON");
    const char *idle = getenv("CELLPOD_IDLE_EXIT_SECONDS");
    const char *notice = getenv("CELLPOD_NOTICE");
    const char *preload = getenv("CELLPOD_PRELOAD_MB");
    long seconds = options->address.unix_path ? IDLE_EXIT_SECONDS : 0;
    long preload_mb = PRELOAD_MB;

    options->notice = options->is_pod && notice && *notice ? notice : NULL;
    options->log_levels = getenv("CELLPOD_LOG") ? getenv("CELLPOD_LOG") : "info";
    if (!options->log_format)
        options->log_format = getenv("CELLPOD_LOG_FORMAT");
    if (python && *python == '/')
        options->python = python;
    else if (!(options->python = paths_python()))
        options->python = "/usr/bin/python3";
    if (idle && *idle &&
        read_number("CELLPOD_IDLE_EXIT_SECONDS", idle, 1, MAX_IDLE_EXIT_SECONDS,
                    &seconds, err) < 0)
        return -1;
    options->idle_exit_seconds = seconds;
    if (preload && *preload &&
        read_number("CELLPOD_PRELOAD_MB", preload, 0, MAX_PRELOAD_MB, &preload_mb,
                    err) < 0)
        return -1;
    options->preload_mb = (unsigned)preload_mb;
    return 0;
}

static int
read_tokens(const char *text, bool *out, struct error *err)
{
    *out = strcmp(text, "required") == 0;
    return *out || strcmp(text, "none") == 0
               ? 0
               : error_set(err, ERR_BAD_INPUT, "--tokens must be required or none");
}

static int
read_isolation(const char *text, bool *is_pod, struct error *err)
{
    *is_pod = strcmp(text, "pod") == 0;
    return *is_pod || strcmp(text, "own") == 0
               ? 0
               : error_set(err, ERR_BAD_INPUT, "--isolation must be own or pod");
}

static int
check_key(const struct options *options, struct error *err)
{
    const bool is_open = options->has_open_claims || options->is_open;

    if (options->token_file && is_open)
        return error_set(err, ERR_BAD_INPUT,
                         "--token-file asks for a key, --claims open and --runtime-api "
                         "open for none: choose one");
    if (options->token_file || options->has_open_claims ||
        address_is_loopback(&options->address))
        return 0;
    return error_set(err, ERR_DENIED,
                     "other machines can reach this address, so that a claim needs a "
                     "key: add --token-file FILE (`openssl rand -hex 32 > FILE', mode "
                     "0600), and give the same file to the kernels. Or say --claims "
                     "open, where a network policy decides who can connect");
}

/* Without tokens whoever can connect may do everything. */
static int
check_exposure(const struct options *options, struct error *err)
{
    if (options->needs_tokens || address_is_loopback(&options->address))
        return check_key(options, err);
    return error_set(err, ERR_DENIED,
                     "--tokens none is for loopback addresses only: others could "
                     "connect to this one. Remove it, or listen on tcp:127.0.0.1:PORT");
}

static int
check_pod(struct options *options, struct error *err)
{
    if (options->is_pod && options->capacity != 1)
        return error_set(err, ERR_BAD_INPUT,
                         "--isolation pod is for one sandbox, because nothing would "
                         "separate two: add --capacity 1");
    if (!options->is_pod && options->grace_seconds >= 0)
        return error_set(err, ERR_BAD_INPUT,
                         "--grace is for pods: add --isolation pod, or remove it");
    if (options->grace_seconds < 0)
        options->grace_seconds = GRACE_SECONDS;
    return 0;
}

static int
read_option(int option, struct options *options, struct error *err)
{
    long number;

    switch (option) {
    case 'l':
        return address_parse(optarg, &options->address, err);
    case 'a':
        options->is_open = strcmp(optarg, "open") == 0;
        return options->is_open || strcmp(optarg, "token") == 0
                   ? 0
                   : error_set(err, ERR_BAD_INPUT,
                               "--runtime-api must be token or open");
    case 'k':
        options->token_file = optarg;
        return 0;
    case 'o':
        options->has_open_claims = strcmp(optarg, "open") == 0;
        return options->has_open_claims || strcmp(optarg, "key") == 0
                   ? 0
                   : error_set(err, ERR_BAD_INPUT, "--claims must be key or open");
    case 't':
        return read_tokens(optarg, &options->needs_tokens, err);
    case 'f':
        options->log_format = optarg;
        return log_set_format(optarg)
                   ? 0
                   : error_set(err, ERR_BAD_INPUT, "--log-format must be text or json");
    case 'i':
        return read_isolation(optarg, &options->is_pod, err);
    case 'r':
        if (read_number("--ready-fd", optarg, 0, MAX_DESCRIPTOR, &number, err) < 0)
            return -1;
        options->ready_fd = (int)number;
        return 0;
    case 'c':
        if (read_number("--capacity", optarg, 1, LIMIT_SANDBOXES, &number, err) < 0)
            return -1;
        options->capacity = (unsigned)number;
        return 0;
    case 'g':
        return read_number("--grace", optarg, 0, MAX_GRACE_SECONDS,
                           &options->grace_seconds, err);
    default:
        return error_set(err, ERR_BAD_INPUT, OPTIONS_USAGE);
    }
}

int
options_parse(int argc, char **argv, struct options *out, struct error *err)
{
    static const struct option known[] = {
        {"listen",      required_argument, NULL, 'l'},
        {"ready-fd",    required_argument, NULL, 'r'},
        {"capacity",    required_argument, NULL, 'c'},
        {"tokens",      required_argument, NULL, 't'},
        {"token-file",  required_argument, NULL, 'k'},
        {"claims",      required_argument, NULL, 'o'},
        {"runtime-api", required_argument, NULL, 'a'},
        {"isolation",   required_argument, NULL, 'i'},
        {"grace",       required_argument, NULL, 'g'},
        {"log-format",  required_argument, NULL, 'f'},
        {NULL,          0,                 NULL, 0  },
    };
    struct options options = {.ready_fd = -1,
                              .capacity = LIMIT_SANDBOXES,
                              .grace_seconds = -1,
                              .needs_tokens = true};
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (read_option(option, &options, err) < 0)
            return -1;
    if ((!options.address.unix_path && !options.address.tcp_len) || optind != argc)
        return error_set(err, ERR_BAD_INPUT, OPTIONS_USAGE);
    if (check_pod(&options, err) < 0 || check_exposure(&options, err) < 0 ||
        read_environment(&options, err) < 0)
        return -1;
    *out = options;
    return 0;
}
