#include "bridge/models/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "common/limits.h"
#include "common/paths.h"

void
cache_key(char key[CACHE_KEY_SIZE], const char *api, const char *url, struct slice body)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    EVP_MD_CTX *hash = EVP_MD_CTX_new();

    if (!hash || EVP_DigestInit_ex(hash, EVP_sha256(), NULL) != 1)
        abort();
    EVP_DigestUpdate(hash, api, strlen(api) + 1); /* with the NUL between them */
    EVP_DigestUpdate(hash, url, strlen(url) + 1);
    EVP_DigestUpdate(hash, body.data, body.len);
    EVP_DigestFinal_ex(hash, digest, &len);
    EVP_MD_CTX_free(hash);
    for (unsigned i = 0; i < len; i++)
        snprintf(key + 2 * i, 3, "%02x", digest[i]);
}

static char *
folder(struct error *err)
{
    AUTO(mem) char *base = paths_cache_dir(err);

    if (!base)
        return NULL;
    AUTO(mem) char *path = xasprintf("%s/ask", base);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return (void)error_sys(err, "make %s", path), NULL;
    return TAKE(path);
}

static bool
is_fresh(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && (st.st_mode & 077) == 0 && st.st_uid == geteuid() &&
           time(NULL) - st.st_mtime < CACHE_DAYS * 86400L;
}

static bool
is_blank(const json_t *text)
{
    const char *at = json_string_value(text);

    return !at || at[strspn(at, " \t\r\n")] == '\0';
}

bool
cache_find(const char *key, struct reply *reply)
{
    struct error err;
    AUTO(mem) char *base = folder(&err);

    if (!base)
        return false;
    AUTO(mem) char *path = xasprintf("%s/%s.json", base, key);
    json_auto_t *entry = is_fresh(path) ? json_load_file(path, 0, NULL) : NULL;
    const json_t *text = json_object_get(entry, "text");
    if (is_blank(text))
        return false;
    reply_add_text(reply, text);
    reply_set_model(reply, json_object_get(entry, "model"));
    reply_set_tokens(&reply->usage.prompt, json_object_get(entry, "prompt_tokens"));
    reply_set_tokens(&reply->usage.completion,
                     json_object_get(entry, "completion_tokens"));
    reply->stop = STOP_END;
    reply_complete(reply);
    return !reply->has_failed;
}

/* --- storing --- */

struct file {
    char name[CACHE_KEY_SIZE + 16];
    time_t at;
};

static int
newest_first(const void *a, const void *b)
{
    time_t x = ((const struct file *)a)->at, y = ((const struct file *)b)->at;

    return (x < y) - (x > y);
}

static void
drop_old(const char *base)
{
    DIR *folder = opendir(base);
    AUTO(mem) struct file *files = NULL;
    size_t count = 0;
    struct dirent *entry;
    struct stat st;

    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof(files->name) ||
            fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        files = xrealloc(files, (count + 1) * sizeof(*files));
        strcpy(files[count].name, entry->d_name);
        files[count++].at = st.st_mtime;
    }
    if (count)
        qsort(files, count, sizeof(*files), newest_first);
    for (size_t i = 0; i < count; i++)
        if (i >= CACHE_ENTRIES || time(NULL) - files[i].at > CACHE_DAYS * 86400L)
            unlinkat(dirfd(folder), files[i].name, 0);
    if (folder)
        closedir(folder);
}

static json_t *
entry_of(const struct reply *reply)
{
    return json_pack("{s:i, s:s%, s:s, s:I, s:I}", "version", 1, "text",
                     reply->text.data ? reply->text.data : "", reply->text.len, "model",
                     reply->model, "prompt_tokens", (json_int_t)reply->usage.prompt,
                     "completion_tokens", (json_int_t)reply->usage.completion);
}

int
cache_store(const char *key, const struct reply *reply, struct error *err)
{
    AUTO(mem) char *base = folder(err);
    json_auto_t *entry = entry_of(reply);

    if (!base)
        return -1;
    if (!entry)
        return error_set(err, ERR_BAD_INPUT, "an answer that is not text");
    AUTO(mem) char *path = xasprintf("%s/%s.json", base, key);
    AUTO(mem) char *partial = xasprintf("%s/.%s.%d", base, key, (int)getpid());
    AUTO(fd) int fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_sys(err, "write %s", partial);
    if (json_dumpfd(entry, fd, JSON_COMPACT) < 0 || rename(partial, path) < 0) {
        (void)error_sys(err, "write %s", path);
        unlink(partial);
        return -1;
    }
    drop_old(base);
    return 0;
}
