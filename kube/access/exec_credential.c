#include "kube/access/exec_credential.h"

#include "common/limits.h"
#include "kube/access/rfc3339.h"

void
exec_credential_release(struct exec_credential *credential)
{
    secret_text_free(credential->token);
    free(credential->cert_pem);
    secret_text_free(credential->key_pem);
    *credential = (struct exec_credential){0};
}

static bool
is_token(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] == 0x7f)
            return false;
    return len > 0 && len <= LIMIT_KUBE_TOKEN;
}

static char *
copy_of(const json_t *status, const char *key)
{
    const char *text = json_string_value(json_object_get(status, key));

    return text && *text && strlen(text) <= LIMIT_KUBE_PEM ? xstrdup(text) : NULL;
}

static int
read_status(const json_t *status, struct exec_credential *out, struct error *err)
{
    AUTO(exec_credential) struct exec_credential found = {
        .token = copy_of(status, "token"),
        .cert_pem = copy_of(status, "clientCertificateData"),
        .key_pem = copy_of(status, "clientKeyData"),
    };
    const char *expires =
        json_string_value(json_object_get(status, "expirationTimestamp"));

    if (!found.cert_pem != !found.key_pem)
        return error_set(err, ERR_BAD_INPUT, "gave a certificate or a key, not both");
    if (!found.token && !found.cert_pem)
        return error_set(err, ERR_BAD_INPUT, "gave neither token nor certificate");
    if (found.token && !is_token(found.token))
        return error_set(err, ERR_BAD_INPUT, "gave a malformed token");
    if (expires && !rfc3339_read(expires, &found.expires))
        return error_set(err, ERR_BAD_INPUT, "gave a malformed expirationTimestamp");
    *out = found;
    found = (struct exec_credential){0};
    return 0;
}

int
exec_credential_parse(struct slice text, const char *api_version,
                      struct exec_credential *out, struct error *err)
{
    json_auto_t *root = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
    const char *kind = json_string_value(json_object_get(root, "kind"));
    const char *version = json_string_value(json_object_get(root, "apiVersion"));

    if (!kind || strcmp(kind, "ExecCredential") != 0)
        return error_set(err, ERR_BAD_INPUT, "printed no ExecCredential");
    if (!version || strcmp(version, api_version) != 0)
        return error_set(err, ERR_BAD_INPUT, "uses a version other than %s",
                         api_version);
    return read_status(json_object_get(root, "status"), out, err);
}

static char *
ca_in_base64(const char *pem)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = strlen(pem);
    char *text = xcalloc((len + 2) / 3 * 4 + 1, 1), *at = text;

    for (size_t i = 0; i < len; i += 3) {
        uint32_t three = (uint32_t)(uint8_t)pem[i] << 16;
        if (i + 1 < len)
            three |= (uint32_t)(uint8_t)pem[i + 1] << 8;
        if (i + 2 < len)
            three |= (uint8_t)pem[i + 2];
        *at++ = digits[three >> 18];
        *at++ = digits[three >> 12 & 63];
        *at++ = i + 1 < len ? digits[three >> 6 & 63] : '=';
        *at++ = i + 2 < len ? digits[three & 63] : '=';
    }
    return text;
}

static json_t *
cluster_of(const struct kube_access *access)
{
    json_t *cluster = json_pack("{s:s}", "server", access->server);

    if (access->tls_name)
        json_object_set_new(cluster, "tls-server-name", json_string(access->tls_name));
    if (access->ca_pem) {
        AUTO(mem) char *text = ca_in_base64(access->ca_pem);
        json_object_set_new(cluster, "certificate-authority-data", json_string(text));
    }
    if (access->proxy)
        json_object_set_new(cluster, "proxy-url", json_string(access->proxy));
    return cluster;
}

char *
exec_credential_info(const struct kube_access *access)
{
    json_auto_t *info =
        json_pack("{s:s, s:s, s:{s:b}}", "apiVersion", access->exec.api_version, "kind",
                  "ExecCredential", "spec", "interactive", 0);

    if (access->exec.wants_cluster)
        json_object_set_new(json_object_get(info, "spec"), "cluster",
                            cluster_of(access));
    return json_dumps(info, JSON_COMPACT);
}
