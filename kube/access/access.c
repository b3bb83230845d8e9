#include "kube/access/access.h"

#include "common/limits.h"
#include "kube/access/text_file.h"

void
kube_access_release(struct kube_access *access)
{
    free(access->server);
    secret_text_free(access->proxy); /* may hold a password */
    free(access->tls_name);
    free(access->ca_pem);
    free(access->cert_pem);
    secret_text_free(access->key_pem);
    secret_text_free(access->token);
    free(access->token_path);
    free(access->exec.command);
    json_decref(access->exec.args);
    json_decref(access->exec.env);
    free(access->exec.api_version);
    free(access->exec.install_hint);
    free(access->namespace);
    free(access->origin);
    free(access->kubectl);
    *access = (struct kube_access){0};
}

static void
trim_end(char *text)
{
    size_t len = strlen(text);

    while (len && strchr(" \t\r\n", text[len - 1]))
        text[--len] = '\0';
}

char *
kube_access_read_token(const char *path, struct error *err)
{
    AUTO(secret_text) char *text = text_file_read(path, LIMIT_KUBE_TOKEN, err);

    if (!text)
        return NULL;
    trim_end(text);
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at == 0x7f)
            return (void)error_set(err, ERR_BAD_INPUT, "%.300s: not a token", path),
                   NULL;
    if (!*text)
        return (void)error_set(err, ERR_BAD_INPUT, "%.300s: empty", path), NULL;
    return TAKE(text);
}

/* An address of IPv6 needs its brackets. */
static char *
server_of(const char *host, const char *port)
{
    bool is_v6 = strchr(host, ':');

    return xasprintf("https://%s%s%s:%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "",
                     port);
}

int
kube_access_in_cluster(const char *folder, const char *host, const char *port,
                       struct kube_access *out, struct error *err)
{
    AUTO(kube_access) struct kube_access access = {0};
    AUTO(mem) char *ca_path = xasprintf("%s/ca.crt", folder);
    AUTO(mem) char *namespace_path = xasprintf("%s/namespace", folder);
    struct error ignored;

    access.token_path = xasprintf("%s/token", folder);
    AUTO(secret_text) char *token = kube_access_read_token(access.token_path, err);
    if (!token)
        return error_wrap(err, "service account");
    access.ca_pem = text_file_read(ca_path, LIMIT_KUBE_PEM, err);
    if (!access.ca_pem)
        return error_wrap(err, "service account");
    access.namespace =
        kube_access_read_token(namespace_path, &ignored); /* need not be */
    access.server = server_of(host, port);
    access.origin = xstrdup("the service account of this pod");
    access.kubectl = xstrdup("kubectl");
    *out = access;
    access = (struct kube_access){0};
    return 0;
}
