#include "kernel/output/folder_trust.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/paths.h"
#include "kernel/output/loadable_files.h"

#define LOG_COMPONENT "trust"
#include "common/log.h"

enum {
    MAX_NAMED = 5
};

/* --- the record: {"folder":"/…","open":{"PID":SINCE},"files":["seaborn.py"]} --- */

static char *
record_path(const char *folder, const char *suffix, struct error *err)
{
    AUTO(mem) char *state = paths_state_dir(err);
    unsigned char digest[SHA256_DIGEST_LENGTH];
    char name[2 * 16 + 1];

    if (!state)
        return NULL;
    SHA256((const unsigned char *)folder, strlen(folder), digest);
    for (size_t i = 0; i < 16; i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
    AUTO(mem) char *place = xasprintf("%s/untrusted", state);
    if (mkdir(place, 0700) < 0 && errno != EEXIST)
        return (void)error_sys(err, "make %s", place), NULL;
    return xasprintf("%s/%s%s", place, name, suffix);
}

/* Until the descriptor is closed. */
static int
lock(const char *folder, struct error *err)
{
    AUTO(mem) char *path = record_path(folder, ".lock", err);
    AUTO(fd) int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;

    if (!path)
        return -1;
    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        return error_sys(err, "lock %s", path);
    return take_fd(&fd);
}

static json_t *
load(const char *path, const char *folder)
{
    json_t *record = json_load_file(path, 0, NULL), *open, *files;

    if (json_unpack(record, "{s:o, s:o}", "open", &open, "files", &files) == 0 &&
        json_is_object(open) && json_is_array(files))
        return record;
    json_decref(record);
    return json_pack("{s:s, s:{}, s:[]}", "folder", folder, "open", "files");
}

/* Nothing to remember: no file. */
static int
store(const char *path, const json_t *record, struct error *err)
{
    AUTO(mem) char *temporary = xasprintf("%s.new", path);

    if (!json_object_size(json_object_get(record, "open")) &&
        !json_array_size(json_object_get(record, "files")))
        return unlink(path) == 0 || errno == ENOENT ? 0
                                                    : error_sys(err, "remove %s", path);
    if (json_dump_file(record, temporary, JSON_INDENT(1)) < 0 ||
        rename(temporary, path) < 0)
        return error_sys(err, "write %s", path);
    return 0;
}

static bool
holds(const json_t *names, const char *name)
{
    size_t i;
    json_t *value;

    json_array_foreach (names, i, value)
        if (strcmp(json_string_value(value) ? json_string_value(value) : "", name) == 0)
            return true;
    return false;
}

static void
add_all(json_t *names, const json_t *more)
{
    size_t i;
    json_t *value;

    json_array_foreach (more, i, value)
        if (json_is_string(value) && !holds(names, json_string_value(value)))
            json_array_append(names, value);
}

/* What is gone does no harm any more. */
static void
drop_missing(json_t *names, const char *folder)
{
    struct stat status;

    for (size_t i = json_array_size(names); i-- > 0;) {
        const char *name = json_string_value(json_array_get(names, i));
        AUTO(mem) char *path = xasprintf("%s/%s", folder, name ? name : "");
        if (!name || (lstat(path, &status) < 0 && errno == ENOENT))
            json_array_remove(names, i);
    }
}

static bool
is_alive(const char *pid)
{
    return kill((pid_t)strtol(pid, NULL, 10), 0) == 0 || errno != ESRCH;
}

/* From those in whose sandboxes a model's code runs, or ran when they were killed. */
static void
gather(json_t *record, const char *folder)
{
    json_t *open = json_object_get(record, "open"), *since;
    json_t *files = json_object_get(record, "files");
    const char *pid;
    void *next;

    json_object_foreach_safe(open, next, pid, since)
    {
        json_auto_t *found =
            loadable_files_since(folder, (time_t)json_integer_value(since));
        add_all(files, found);
        if (!is_alive(pid))
            json_object_del(open, pid);
    }
    drop_missing(files, folder);
}

typedef void change_fn(json_t *record, const char *pid);

/* Under the lock. The files that are not trusted, a new reference; NULL on failure. */
static json_t *
change(const char *folder, change_fn *before, change_fn *after, struct error *err)
{
    AUTO(fd) int held = lock(folder, err);
    AUTO(mem) char *path = held < 0 ? NULL : record_path(folder, ".json", err);
    char pid[16];

    if (!path)
        return NULL;
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    json_auto_t *record = load(path, folder);
    if (before)
        before(record, pid);
    gather(record, folder);
    json_t *files = json_incref(json_object_get(record, "files"));
    if (after)
        after(record, pid);
    if (store(path, record, err) == 0)
        return files;
    json_decref(files);
    return NULL;
}

static void
open_record(json_t *record, const char *pid)
{
    json_t *open = json_object_get(record, "open");

    /* The clock of files is behind by a tick. */
    if (!json_object_get(open, pid))
        json_object_set_new(open, pid, json_integer((json_int_t)time(NULL) - 1));
}

static void
close_record(json_t *record, const char *pid)
{
    json_object_del(json_object_get(record, "open"), pid);
}

static void
empty_record(json_t *record, const char *pid UNUSED)
{
    json_object_set_new(record, "files", json_array());
    json_object_set_new(record, "open", json_object());
}

/* --- of a kernel --- */

void
folder_trust_init(struct folder_trust *trust, const char *folder)
{
    *trust = (struct folder_trust){.folder = folder ? xstrdup(folder) : NULL,
                                   .told = json_array()};
}

void
folder_trust_release(struct folder_trust *trust)
{
    folder_trust_end(trust);
    free(trust->folder);
    json_decref(trust->files);
    json_decref(trust->told);
    *trust = (struct folder_trust){0};
}

static void
change_ours(struct folder_trust *trust, change_fn *before, change_fn *after)
{
    struct error err;
    json_t *files = change(trust->folder, before, after, &err);

    if (!files) {
        log_error("%s", err.text);
        return;
    }
    json_decref(trust->files);
    trust->files = files;
}

void
folder_trust_begin(struct folder_trust *trust)
{
    if (!trust->folder)
        return;
    trust->is_open = true;
    change_ours(trust, open_record, NULL);
}

void
folder_trust_end(struct folder_trust *trust)
{
    if (trust->is_open)
        change_ours(trust, NULL, close_record);
    trust->is_open = false;
}

static void
append_name(struct buffer *text, const char *name)
{
    for (; *name; name++)
        buffer_append(text, (unsigned char)*name < 0x20 || *name == 0x7F ? "?" : name,
                      1);
}

static unsigned
append_untold(struct folder_trust *trust, struct buffer *text)
{
    unsigned count = 0;
    size_t i;
    json_t *value;

    json_array_foreach (trust->files, i, value) {
        const char *name = json_string_value(value);
        if (holds(trust->told, name))
            continue;
        json_array_append(trust->told, value);
        if (++count > MAX_NAMED)
            continue;
        buffer_append_text(text, count > 1 ? ", " : "");
        append_name(text, strcmp(name, ".") == 0 ? "(the whole folder)" : name);
    }
    if (count > MAX_NAMED)
        buffer_printf(text, " and %u more", count - MAX_NAMED);
    return count;
}

static bool
has_record(const struct folder_trust *trust)
{
    struct error err;
    AUTO(mem) char *path = record_path(trust->folder, ".json", &err);

    return path && access(path, F_OK) == 0;
}

char *
folder_trust_look(struct folder_trust *trust)
{
    AUTO(buffer) struct buffer names = BUFFER_INIT(SIZE_MAX);

    if (!trust->folder)
        return NULL;
    if (has_record(trust))
        change_ours(trust, trust->is_open ? open_record : NULL, NULL);
    else if (trust->files)
        json_array_clear(trust->files);
    if (!append_untold(trust, &names))
        return NULL;
    return xasprintf("cellpod: new or changed since a model's code ran in this folder: "
                     "%s. Python or Jupyter may load such files, so what is shown here "
                     "is reduced as a model's, also after a restart. Read them; then "
                     "say in a terminal: cellpod trust '%s'\n",
                     names.data, trust->folder);
}

bool
folder_trust_is_untrusted(const struct folder_trust *trust)
{
    return json_array_size(trust->files) > 0;
}

int
folder_trust_forget(const char *folder, json_t **files, struct error *err)
{
    *files = change(folder, NULL, empty_record, err);
    return *files ? 0 : -1;
}
