#include "kube/access/kubeconfig.h"

#include <errno.h>

#include "common/base64.h"
#include "common/limits.h"
#include "kube/access/text_file.h"
#include "kube/access/yaml.h"

/* One entry of contexts, clusters or users, and the file that it is in. */
struct entry {
    const json_t *value;
    const char *path;
};

/* --- files --- */

int
kubeconfig_add(struct kubeconfig *config, const char *path, struct slice text,
               struct error *err)
{
    json_auto_t *root = NULL;

    if (config->count == KUBECONFIG_FILES)
        return error_set(err, ERR_TOO_LARGE, "KUBECONFIG lists more than %d files",
                         KUBECONFIG_FILES);
    if (yaml_read(text, &root, err) < 0)
        return error_wrap(err, "%.300s", path);
    if (!json_is_object(root) && !json_is_null(root))
        return error_set(err, ERR_BAD_INPUT, "%.300s: not a kubeconfig", path);
    config->files[config->count].path = xstrdup(path);
    config->files[config->count++].root = TAKE(root);
    return 0;
}

static int
load_one(struct kubeconfig *config, const char *path, struct error *err)
{
    AUTO(secret_text) char *text = text_file_read(path, LIMIT_KUBECONFIG, err);

    if (!text && err->sys == ENOENT)
        return 0;
    return text ? kubeconfig_add(config, path, slice_of(text), err) : -1;
}

int
kubeconfig_load(struct kubeconfig *config, const char *paths, struct error *err)
{
    for (const char *at = paths; *at;) {
        size_t len = strcspn(at, ":");
        AUTO(mem) char *path = xstrndup(at, len);
        if (len && load_one(config, path, err) < 0)
            return -1;
        at += len;
        at += *at == ':';
    }
    return config->count > 0 ? 0
                             : error_set(err, ERR_NOT_FOUND,
                                         "KUBECONFIG=%.300s: no such file", paths);
}

void
kubeconfig_release(struct kubeconfig *config)
{
    for (size_t i = 0; i < config->count; i++) {
        free(config->files[i].path);
        json_decref(config->files[i].root);
    }
    config->count = 0;
}

/* --- looking things up --- */

/* NULL also for "" and for a value that is not a string. */
static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text && *text ? text : NULL;
}

/* `list` is contexts, clusters or users, `inner` what their entries hold. */
static bool
find_entry(const struct kubeconfig *config, const char *list, const char *inner,
           const char *name, struct entry *out)
{
    const json_t *item;
    size_t at;

    for (size_t i = 0; i < config->count; i++)
        json_array_foreach (json_object_get(config->files[i].root, list), at, item) {
            const char *its_name = text_of(item, "name");
            if (!its_name || strcmp(its_name, name) != 0)
                continue;
            *out = (struct entry){json_object_get(item, inner), config->files[i].path};
            return true;
        }
    return false;
}

static const char *
current_context(const struct kubeconfig *config)
{
    for (size_t i = 0; i < config->count; i++) {
        const char *name = text_of(config->files[i].root, "current-context");
        if (name)
            return name;
    }
    return NULL;
}

static int
refuse_context(const struct kubeconfig *config, const char *context, struct error *err)
{
    AUTO(buffer) struct buffer names = BUFFER_INIT(300);
    const json_t *item;
    size_t at;

    for (size_t i = 0; i < config->count; i++)
        json_array_foreach (json_object_get(config->files[i].root, "contexts"), at,
                            item) {
            const char *name = text_of(item, "name");
            if (name)
                (void)buffer_printf(&names, "%s`%s'", names.len ? ", " : "", name);
        }
    return error_set(err, ERR_NOT_FOUND,
                     "kubeconfig %.150s has no context `%.60s'; it has %s (`kubectl "
                     "config get-contexts')",
                     config->files[0].path, context, names.len ? names.data : "none");
}

/* --- values --- */

static char *
beside(const char *config_path, const char *path)
{
    const char *slash = strrchr(config_path, '/');

    if (path[0] == '/' || !slash)
        return xstrdup(path);
    return xasprintf("%.*s/%s", (int)(slash - config_path), config_path, path);
}

static char *
decode_pem(const char *text, const char *key, struct error *err)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(LIMIT_KUBE_PEM);
    struct error why;

    if (base64_decode(slice_of(text), &bytes, &why) < 0 || bytes.len == 0 ||
        memchr(bytes.data, '\0', bytes.len))
        return (void)error_set(err, ERR_BAD_INPUT, "%s is not PEM in base64", key),
               NULL;
    char *pem = xstrndup(bytes.data, bytes.len);
    explicit_bzero(bytes.data, bytes.len);
    return pem;
}

/* KEY-data holds it, else KEY names a file. *out stays NULL where neither is given. */
static int
read_pem(const struct entry *entry, const char *key, char **out, struct error *err)
{
    AUTO(mem) char *data_key = xasprintf("%s-data", key);
    const char *data = text_of(entry->value, data_key);
    const char *name = text_of(entry->value, key);
    AUTO(mem) char *path = name ? beside(entry->path, name) : NULL;

    if (!data && !name)
        return 0;
    *out = data ? decode_pem(data, data_key, err)
                : text_file_read(path, LIMIT_KUBE_PEM, err);
    return *out ? 0 : -1;
}

static bool
is_url(const char *text, const char *scheme)
{
    size_t len = strlen(scheme);

    if (strncmp(text, scheme, len) != 0 || !text[len] || text[len] == '/')
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text == 0x7f)
            return false;
    return true;
}

static bool
is_loopback(const char *server)
{
    static const char *const names[] = {"http://127.0.0.1", "http://localhost",
                                        "http://[::1]"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t len = strlen(names[i]);
        if (strncmp(server, names[i], len) == 0 &&
            (!server[len] || server[len] == ':' || server[len] == '/'))
            return true;
    }
    return false;
}

static int
read_server(const struct entry *cluster, struct kube_access *access, struct error *err)
{
    const char *server = text_of(cluster->value, "server");
    size_t len = server ? strlen(server) : 0;

    if (!server)
        return error_set(err, ERR_BAD_INPUT, "the cluster has no server");
    if (!is_url(server, "https://") &&
        !(is_url(server, "http://") && is_loopback(server)))
        return error_set(err, ERR_BAD_INPUT,
                         "server must begin with https:// (or be a `kubectl proxy' on "
                         "this machine)");
    while (server[len - 1] == '/')
        len--;
    access->server = xstrndup(server, len);
    return 0;
}

static int
read_cluster(const struct entry *cluster, struct kube_access *access, struct error *err)
{
    const char *proxy = text_of(cluster->value, "proxy-url");
    const char *tls_name = text_of(cluster->value, "tls-server-name");

    if (json_is_true(json_object_get(cluster->value, "insecure-skip-tls-verify")))
        return error_set(err, ERR_DENIED,
                         "insecure-skip-tls-verify is refused: whoever answers would "
                         "get your token; set the cluster's certificate-authority");
    if (read_server(cluster, access, err) < 0)
        return -1;
    if (proxy && !is_url(proxy, "http://") && !is_url(proxy, "https://") &&
        !is_url(proxy, "socks5://"))
        return error_set(err, ERR_BAD_INPUT,
                         "proxy-url must begin with http://, https:// or socks5://");
    access->proxy = proxy ? xstrdup(proxy) : NULL;
    access->tls_name = tls_name ? xstrdup(tls_name) : NULL;
    return read_pem(cluster, "certificate-authority", &access->ca_pem, err);
}

/* --- users --- */

static const struct {
    const char *key, *remedy;
} refused_of_users[] = {
    {"auth-provider", "it was removed from Kubernetes; use an exec plugin, for GKE "
                      "gke-gcloud-auth-plugin"              },
    {"as",            "impersonation is not supported; use a context of your own"},
    {"username",      "passwords were removed from Kubernetes; use a token"      },
};

static int
refuse_user(const struct entry *user, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(refused_of_users); i++)
        if (json_object_get(user->value, refused_of_users[i].key))
            return error_set(err, ERR_BAD_INPUT, "its user has `%s': %s",
                             refused_of_users[i].key, refused_of_users[i].remedy);
    return 0;
}

static bool
is_list_of_texts(const json_t *list)
{
    const json_t *item;
    size_t at;

    json_array_foreach (list, at, item)
        if (!json_is_string(item))
            return false;
    return !list || json_is_null(list) || json_is_array(list);
}

static bool
is_list_of_variables(const json_t *list)
{
    const json_t *item;
    size_t at;

    json_array_foreach (list, at, item) {
        const char *name = text_of(item, "name");
        if (!name || strchr(name, '=') ||
            !json_is_string(json_object_get(item, "value")))
            return false;
    }
    return !list || json_is_null(list) || json_is_array(list);
}

static json_t *
array_or_null(json_t *list)
{
    return json_is_array(list) ? json_incref(list) : NULL;
}

static int
read_exec(const struct entry *user, struct kube_exec *exec, struct error *err)
{
    const json_t *spec = json_object_get(user->value, "exec");
    const char *command = text_of(spec, "command");
    const char *version = text_of(spec, "apiVersion");
    const char *hint = text_of(spec, "installHint");
    json_t *args = json_object_get(spec, "args");
    json_t *env = json_object_get(spec, "env");

    if (!json_is_object(spec))
        return 0;
    if (!command || !is_list_of_texts(args) || !is_list_of_variables(env))
        return error_set(err, ERR_BAD_INPUT,
                         "its user's exec has no command, or its args or env are not "
                         "lists of strings");
    if (!version || (strcmp(version, "client.authentication.k8s.io/v1") != 0 &&
                     strcmp(version, "client.authentication.k8s.io/v1beta1") != 0))
        return error_set(err, ERR_BAD_INPUT,
                         "its user's exec must be of apiVersion "
                         "client.authentication.k8s.io/v1 or v1beta1");
    *exec = (struct kube_exec){
        .command =
            strchr(command, '/') ? beside(user->path, command) : xstrdup(command),
        .args = array_or_null(args),
        .env = array_or_null(env),
        .api_version = xstrdup(version),
        .install_hint = hint ? xstrdup(hint) : NULL,
        .wants_cluster = json_is_true(json_object_get(spec, "provideClusterInfo")),
    };
    return 0;
}

static int
read_tokens(const struct entry *user, struct kube_access *access, struct error *err)
{
    const char *token = text_of(user->value, "token");
    const char *path = text_of(user->value, "tokenFile");

    if (path) {
        access->token_path = beside(user->path, path);
        AUTO(secret_text) char *now = kube_access_read_token(access->token_path, err);
        return now ? 0 : -1;
    }
    for (const char *at = token; at && *at; at++)
        if (*at <= ' ' || *at == 0x7f)
            return error_set(err, ERR_BAD_INPUT, "its user's token is not a token");
    access->token = token ? xstrdup(token) : NULL;
    return 0;
}

static int
read_user(const struct entry *user, struct kube_access *access, struct error *err)
{
    if (refuse_user(user, err) < 0 || read_tokens(user, access, err) < 0 ||
        read_pem(user, "client-certificate", &access->cert_pem, err) < 0 ||
        read_pem(user, "client-key", &access->key_pem, err) < 0 ||
        read_exec(user, &access->exec, err) < 0)
        return -1;
    if (!access->cert_pem != !access->key_pem)
        return error_set(err, ERR_BAD_INPUT,
                         "its user has only one of client-certificate and client-key");
    return 0;
}

/* --- a context --- */

static int
read_context(const struct kubeconfig *config, const char *name,
             struct kube_access *access, struct error *err)
{
    struct entry context, cluster, user;

    if (!find_entry(config, "contexts", "context", name, &context))
        return refuse_context(config, name, err);
    const char *cluster_name = text_of(context.value, "cluster");
    const char *user_name = text_of(context.value, "user");
    const char *namespace = text_of(context.value, "namespace");
    access->namespace = namespace ? xstrdup(namespace) : NULL;
    access->origin = xasprintf("context `%s' of %s", name, context.path);
    access->kubectl = xasprintf("kubectl --context %s", name);
    if (!cluster_name ||
        !find_entry(config, "clusters", "cluster", cluster_name, &cluster))
        return error_set(err, ERR_NOT_FOUND, "the cluster `%.80s' is not defined",
                         cluster_name ? cluster_name : "");
    if (read_cluster(&cluster, access, err) < 0)
        return -1;
    if (!user_name) /* no credentials: kubectl proxy */
        return 0;
    if (!find_entry(config, "users", "user", user_name, &user))
        return error_set(err, ERR_NOT_FOUND, "the user `%.80s' is not defined",
                         user_name);
    return read_user(&user, access, err);
}

int
kubeconfig_select(const struct kubeconfig *config, const char *context,
                  struct kube_access *out, struct error *err)
{
    AUTO(kube_access) struct kube_access access = {0};
    const char *name = context && *context ? context : current_context(config);

    if (!name)
        return error_set(err, ERR_NOT_FOUND,
                         "kubeconfig %.200s has no current context: `kubectl config "
                         "use-context NAME' sets one",
                         config->count ? config->files[0].path : "");
    if (read_context(config, name, &access, err) < 0)
        return access.origin ? error_wrap(err, "%.200s", access.origin) : -1;
    *out = access;
    access = (struct kube_access){0};
    return 0;
}
