#include "kube/access/credentials.h"

#include "kube/access/exec_plugin.h"

#define LOG_COMPONENT "credentials"
#include "common/log.h"

#define EARLY_SECONDS 30 /* before they expire: a call takes its time too */

struct credentials {
    zloop_t *loop;
    const struct kube_access *access;
    struct exec_credential found; /* of the plugin, or the token of a file */
    struct exec_plugin *plugin;
    credentials_done_fn *done;
    void *context;
};

struct credentials *
credentials_new(zloop_t *loop, const struct kube_access *access)
{
    struct credentials *credentials = xcalloc(1, sizeof(*credentials));

    credentials->loop = loop;
    credentials->access = access;
    return credentials;
}

void
credentials_free(struct credentials *credentials)
{
    if (!credentials)
        return;
    exec_plugin_cancel(credentials->plugin);
    exec_credential_release(&credentials->found);
    free(credentials);
}

static void
finish(struct credentials *credentials, const struct error *err)
{
    credentials_done_fn *done = TAKE(credentials->done);

    if (done)
        done(credentials->context, err);
}

static void
on_plugin(void *context, struct exec_credential *credential, const struct error *err)
{
    struct credentials *credentials = context;

    credentials->plugin = NULL;
    exec_credential_release(&credentials->found);
    if (credential) {
        credentials->found = *credential;
        *credential = (struct exec_credential){0};
        log_info("an exec plugin gave credentials expires=%lld",
                 (long long)credentials->found.expires);
    }
    finish(credentials, err);
}

static bool
is_fresh(const struct exec_credential *found)
{
    if (!found->token && !found->cert_pem)
        return false;
    return found->expires == 0 || time(NULL) + EARLY_SECONDS < found->expires;
}

static void
ask_plugin(struct credentials *credentials, bool is_refused)
{
    struct error err;

    if (!is_refused && is_fresh(&credentials->found)) {
        finish(credentials, NULL);
        return;
    }
    if (credentials->plugin) /* its answer serves this caller too */
        return;
    if (exec_plugin_start(&credentials->plugin, credentials->loop, credentials->access,
                          on_plugin, credentials, &err) < 0)
        finish(credentials, &err);
}

/* Kubernetes rotates it, so it is read for each call; it is small. */
static void
read_token_file(struct credentials *credentials)
{
    struct error err;
    char *token = kube_access_read_token(credentials->access->token_path, &err);

    if (token) {
        exec_credential_release(&credentials->found);
        credentials->found.token = token;
    }
    finish(credentials, token ? NULL : &err);
}

void
credentials_get(struct credentials *credentials, bool is_refused,
                credentials_done_fn *done, void *context)
{
    credentials->done = done;
    credentials->context = context;
    if (credentials->access->token_path)
        read_token_file(credentials);
    else if (credentials->access->exec.command)
        ask_plugin(credentials, is_refused);
    else
        finish(credentials, NULL);
}

void
credentials_leave(struct credentials *credentials)
{
    credentials->done = NULL;
}

bool
credentials_can_change(const struct credentials *credentials)
{
    return credentials->access->token_path || credentials->access->exec.command;
}

char *
credentials_header(const struct credentials *credentials)
{
    const char *token = credentials->found.token ? credentials->found.token
                                                 : credentials->access->token;

    return token ? xasprintf("Authorization: Bearer %s", token) : NULL;
}

static void
set_blob(CURL *easy, CURLoption option, char *pem)
{
    struct curl_blob blob = {pem, strlen(pem), CURL_BLOB_COPY};

    curl.easy_setopt(easy, option, &blob);
}

void
credentials_apply(const struct credentials *credentials, CURL *easy)
{
    bool is_found = credentials->found.cert_pem;
    char *cert = is_found ? credentials->found.cert_pem : credentials->access->cert_pem;
    char *key = is_found ? credentials->found.key_pem : credentials->access->key_pem;

    if (!cert)
        return;
    curl.easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl.easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    set_blob(easy, CURLOPT_SSLCERT_BLOB, cert);
    set_blob(easy, CURLOPT_SSLKEY_BLOB, key);
}
