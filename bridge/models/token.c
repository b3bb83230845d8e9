#include "bridge/models/token.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "common/limits.h"

enum {
    UNSAID_LIFE_MS = 30 * 60 * 1000, /* of a command's token without "expires_in" */
    MARGIN_MS = 60 * 1000,
    PATIENCE_MS = 20 * 1000,
    REPLY_MAX = 2 * LIMIT_KEY,
};

struct token {
    zloop_t *loop;
    struct http_pool *pool;
    struct alarms *alarms;

    struct secret *key;
    char *key_for; /* the provider that it is for */
    int64_t good_until_ms;

    token_fn *ready; /* NULL while nobody waits */
    void *context;
    char *provider;
    struct exchange *exchange;
    struct alarm alarm;
    struct failure early; /* found before token_get returned */
    pid_t command;        /* 0: none runs */
    int output;
    char reply[REPLY_MAX];
    size_t reply_len;
};

struct token *
token_new(zloop_t *loop, struct http_pool *pool, struct alarms *alarms)
{
    struct token *token = xcalloc(1, sizeof(*token));

    *token = (struct token){.loop = loop, .pool = pool, .alarms = alarms, .output = -1};
    return token;
}

static void
forget_reply(struct token *token)
{
    OPENSSL_cleanse(token->reply, sizeof(token->reply));
    token->reply_len = 0;
}

/* The command is not waited for: it gets SIGKILL, which no program puts off. */
static void
end_command(struct token *token)
{
    zmq_pollitem_t item = {.fd = token->output};

    if (token->output >= 0) {
        zloop_poller_end(token->loop, &item);
        close(take_fd(&token->output));
    }
    if (token->command > 0) {
        kill(token->command, SIGKILL);
        waitpid(token->command, NULL, 0);
    }
    token->command = 0;
}

void
token_cancel(struct token *token)
{
    exchange_cancel(TAKE(token->exchange));
    end_command(token);
    alarms_clear(&token->alarm);
    forget_reply(token);
    free(TAKE(token->provider));
    token->ready = NULL;
}

void
token_forget(struct token *token)
{
    secret_free(TAKE(token->key));
    free(TAKE(token->key_for));
}

void
token_free(struct token *token)
{
    if (!token)
        return;
    token_cancel(token);
    token_forget(token);
    free(token);
}

static void
give(struct token *token, const struct failure *failure)
{
    token_fn *ready = token->ready;
    void *context = token->context;

    token_cancel(token);
    ready(failure ? NULL : token->key, failure, context);
}

static void
fail(struct token *token, enum failure_kind kind, const char *text)
{
    struct failure failure = FAILURE_INIT;

    failure_set(&failure, kind, "%s", text);
    give(token, &failure);
}

static void
on_early_failure(void *context)
{
    struct token *token = context;
    const struct failure failure = token->early;

    give(token, &failure);
}

static void
fail_soon(struct token *token, enum failure_kind kind, const char *text)
{
    token->early = (struct failure)FAILURE_INIT;
    failure_set(&token->early, kind, "%s", text);
    alarms_set(token->alarms, &token->alarm, ALARM_SOON, 0, on_early_failure, token);
}

/* --- what came back --- */

static size_t
trimmed(const char *text, size_t len)
{
    while (len && (unsigned char)text[len - 1] <= ' ')
        len--;
    return len;
}

static void
keep(struct token *token, struct slice key, int64_t life_ms)
{
    struct error err;

    token_forget(token);
    token->key = secret_new(key, &err);
    if (!token->key) {
        fail(token, FAIL_AUTH, "the access token is malformed");
        return;
    }
    token->key_for = xstrdup(token->provider);
    token->good_until_ms = alarms_now_ms(token->alarms) + life_ms - MARGIN_MS;
    give(token, NULL);
}

static void
take_reply(struct token *token)
{
    size_t len = trimmed(token->reply, token->reply_len);

    if (len == 0 || token->reply[0] != '{') {
        keep(token, (struct slice){token->reply, len}, UNSAID_LIFE_MS);
        return;
    }
    json_t *reply = json_loadb(token->reply, len, 0, NULL);
    const json_t *key = json_object_get(reply, "access_token");
    json_int_t seconds = json_integer_value(json_object_get(reply, "expires_in"));
    int64_t life_ms =
        seconds > 0 && seconds < 1000000 ? seconds * 1000 : UNSAID_LIFE_MS;
    struct slice bytes = {json_string_value(key), json_string_length(key)};
    keep(token, bytes, life_ms); /* gives, and so ends this request */
    if (bytes.data)
        OPENSSL_cleanse((char *)bytes.data, bytes.len);
    json_decref(reply);
}

static bool
add_reply(struct token *token, struct slice bytes)
{
    if (bytes.len > sizeof(token->reply) - token->reply_len)
        return false;
    memcpy(token->reply + token->reply_len, bytes.data, bytes.len);
    token->reply_len += bytes.len;
    return true;
}

/* --- the metadata server --- */

static bool
on_bytes(struct slice bytes, void *context)
{
    return add_reply(context, bytes);
}

static void
on_done(const struct failure *failure, void *context)
{
    struct token *token = context;

    token->exchange = NULL;
    if (failure)
        give(token, failure);
    else
        take_reply(token);
}

static void
ask_metadata_server(struct token *token, const char *url)
{
    const struct exchange_spec spec = {
        .pool = token->pool,
        .alarms = token->alarms,
        .url = url,
        .headers = {"Metadata-Flavor: Google"},
        .connect_ms = 5000,
        .first_byte_ms = PATIENCE_MS,
        .idle_ms = PATIENCE_MS,
        .on_bytes = on_bytes,
        .on_done = on_done,
        .context = token,
    };
    struct error err;

    token->exchange = exchange_start(&spec, &err);
    if (!token->exchange)
        fail_soon(token, FAIL_NETWORK, err.text);
}

/* --- the user's command --- */

static int
on_output(zloop_t *loop UNUSED, zmq_pollitem_t *item, void *context)
{
    struct token *token = context;
    char bytes[512];
    ssize_t len = read(item->fd, bytes, sizeof(bytes));

    if (len < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (len > 0 && add_reply(token, (struct slice){bytes, (size_t)len})) {
        OPENSSL_cleanse(bytes, sizeof(bytes));
        return 0;
    }
    end_command(token);
    if (len != 0)
        fail(token, FAIL_AUTH, "the token command printed too much");
    else if (token->reply_len == 0)
        fail(token, FAIL_AUTH, "the token command printed nothing");
    else
        take_reply(token);
    return 0;
}

static void
on_late(void *context)
{
    fail(context, FAIL_AUTH, "the token command took longer than 20 s");
}

static int
spawn(struct token *token, char *const *argv, struct error *err)
{
    posix_spawn_file_actions_t files;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_sys(err, "token command");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    errno = posix_spawnp(&token->command, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    token->output = ends[0];
    if (errno) {
        token->command = 0;
        close(take_fd(&token->output));
        return error_sys(err, "token command %s", argv[0]);
    }
    return 0;
}

static void
run_command(struct token *token, const json_t *command)
{
    size_t count = json_array_size(command);
    AUTO(mem) char **argv = xcalloc(count + 1, sizeof(*argv));
    struct error err;

    for (size_t i = 0; i < count; i++)
        argv[i] = (char *)json_string_value(json_array_get(command, i));
    if (spawn(token, argv, &err) < 0) {
        fail_soon(token, FAIL_AUTH, err.text);
        return;
    }
    zmq_pollitem_t item = {.fd = token->output, .events = ZMQ_POLLIN};
    zloop_poller(token->loop, &item, on_output, token);
    zloop_poller_set_tolerant(token->loop, &item);
    alarms_set(token->alarms, &token->alarm, ALARM_DEADLINE, PATIENCE_MS, on_late,
               token);
}

/* --- asking --- */

static void
on_ready(void *context)
{
    give(context, NULL);
}

void
token_get(struct token *token, const struct endpoint *endpoint, token_fn *ready,
          void *context)
{
    token_cancel(token);
    token->ready = ready;
    token->context = context;
    token->provider = xstrdup(endpoint->provider);
    if (token->key && strcmp(token->key_for, endpoint->provider) == 0 &&
        alarms_now_ms(token->alarms) < token->good_until_ms)
        alarms_set(token->alarms, &token->alarm, ALARM_SOON, 0, on_ready, token);
    else if (endpoint->token_command)
        run_command(token, endpoint->token_command);
    else
        ask_metadata_server(token, endpoint->metadata_url);
}
