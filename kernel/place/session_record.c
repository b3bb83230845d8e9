#include "kernel/place/session_record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "common/digest_name.h"
#include "common/limits.h"
#include "common/paths.h"

#define LOG_COMPONENT "session"
#include "common/log.h"

enum {
    VERSION = 1,
    MOST_BYTES = 4096,
    SWEPT = 1000,          /* files that one start looks at */
    OLD_S = 8 * 24 * 3600, /* no claim lives for longer without its kernel */
};

/* --- the file --- */

static char *
make_folder(struct error *err)
{
    AUTO(mem) char *state = paths_state_dir(err);
    AUTO(mem) char *folder = state ? xasprintf("%s/sessions", state) : NULL;
    struct stat st;

    if (!folder)
        return NULL;
    if ((mkdir(folder, 0700) < 0 && errno != EEXIST) || lstat(folder, &st) < 0)
        return (void)error_sys(err, "make %s", folder), NULL;
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
        return (void)error_set(err, ERR_DENIED,
                               "%s must be a folder that only you can write to: remove "
                               "it",
                               folder),
               NULL;
    return TAKE(folder);
}

/* 1: locked; 0: another process has it; -1: not a file of ours, or it cannot be opened.
 */
static int
open_locked(const char *path, int flags, int *out, struct error *err)
{
    AUTO(fd)
    int fd = open(path, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                  0600);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return error_sys(err, "open %s", path);
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink > 1 ||
        st.st_mode & 077)
        return error_set(err, ERR_DENIED,
                         "%s must be a file that only you can read: remove it", path);
    const bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK)
        return error_sys(err, "lock %s", path);
    *out = take_fd(&fd);
    return is_locked;
}

/* One that is locked may have been removed a moment before. */
static bool
is_there(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static void
remove_if_old(const char *path, time_t before)
{
    AUTO(fd) int fd = -1;
    struct error err;
    struct stat st;

    if (lstat(path, &st) == 0 && st.st_mtim.tv_sec < before &&
        open_locked(path, 0, &fd, &err) > 0)
        unlink(path);
}

static void
sweep(const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;

    for (size_t i = 0; list && i < SWEPT && (entry = readdir(list)); i++) {
        AUTO(mem) char *path = xasprintf("%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            remove_if_old(path, time(NULL) - OLD_S);
    }
    if (list)
        closedir(list);
}

static char *
path_of(const char *folder, const char *notebook, const char *place, struct error *err)
{
    AUTO(mem) char *cwd = realpath(".", NULL);
    AUTO(mem) char *key =
        cwd ? xasprintf("%s%c%s%c%s", notebook, '\0', cwd, '\0', place) : NULL;

    if (!cwd)
        return (void)error_sys(err, "find this folder"), NULL;
    return digest_name_path(folder, (struct slice){key, strlen(notebook) + strlen(cwd) +
                                                            strlen(place) + 2});
}

/* --- its text --- */

static bool
is_task(const json_t *task)
{
    const size_t len = json_string_length(task);

    return json_is_string(task) && len && len <= LIMIT_REQUEST_ID;
}

static bool
are_tasks(const json_t *tasks)
{
    size_t i;
    json_t *task;

    json_array_foreach (tasks, i, task)
        if (!is_task(task))
            return false;
    return json_array_size(tasks) && json_array_size(tasks) <= LIMIT_CLAIM_TASKS;
}

static json_t *
load(int fd)
{
    char text[MOST_BYTES];
    const ssize_t len = pread(fd, text, sizeof(text), 0);

    return len > 0 ? json_loadb(text, (size_t)len, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static void
read_session(struct session_record *record)
{
    json_auto_t *tree = load(record->fd);
    const char *mark = json_string_value(json_object_get(tree, "mark"));
    json_t *tasks = json_object_get(tree, "tasks");

    if (json_integer_value(json_object_get(tree, "version")) != VERSION || !mark ||
        !are_tasks(tasks))
        return;
    record->mark = xstrdup(mark);
    record->tasks = json_deep_copy(tasks);
}

static int
write_session(struct session_record *record, struct error *err)
{
    json_auto_t *tree =
        json_pack("{s:i, s:i, s:s, s:O}", "version", VERSION, "pid", (int)getpid(),
                  "mark", record->mark, "tasks", record->tasks);
    AUTO(mem) char *text = json_dumps(tree, JSON_COMPACT);
    const size_t len = text ? strlen(text) : 0;

    if (!len || len > MOST_BYTES)
        return error_set(err, ERR_BAD_INPUT, "it has names that are too long");
    if (pwrite(record->fd, text, len, 0) != (ssize_t)len ||
        ftruncate(record->fd, (off_t)len) < 0)
        return error_sys(err, "write it");
    return 0;
}

static void
forget(struct session_record *record)
{
    free(TAKE(record->mark));
    json_decref(TAKE(record->tasks));
}

/* --- its life --- */

static int
open_or_ask(struct session_record *record, const char *path, struct error *err)
{
    AUTO(fd) int fd = -1;
    const int result = open_locked(path, O_CREAT, &fd, err);

    if (result == 0) {
        json_auto_t *tree = load(fd);
        record->elsewhere = (pid_t)json_integer_value(json_object_get(tree, "pid"));
    }
    if (result > 0 && is_there(fd))
        record->fd = take_fd(&fd);
    return result;
}

int
session_record_open(struct session_record *record, const char *notebook,
                    const char *place, struct error *err)
{
    AUTO(mem) char *folder = make_folder(err);
    AUTO(mem) char *path = folder ? path_of(folder, notebook, place, err) : NULL;
    int result = path ? 1 : -1;

    *record = SESSION_RECORD_INIT;
    if (path)
        sweep(folder);
    while (result > 0 && record->fd < 0)
        result = open_or_ask(record, path, err);
    if (record->fd >= 0)
        read_session(record);
    return result < 0 ? -1 : 0;
}

void
session_record_close(struct session_record *record)
{
    forget(record);
    if (record->fd >= 0)
        close(record->fd);
    *record = SESSION_RECORD_INIT;
}

int
session_record_add(struct session_record *record, const char *mark, const char *task,
                   struct error *err)
{
    free(record->mark);
    record->mark = xstrdup(mark);
    if (!record->tasks)
        record->tasks = json_array();
    json_array_insert_new(record->tasks, 0, json_string(task));
    while (json_array_size(record->tasks) > LIMIT_CLAIM_TASKS)
        json_array_remove(record->tasks, LIMIT_CLAIM_TASKS);
    return write_session(record, err);
}

void
session_record_settle(struct session_record *record)
{
    struct error err;

    if (record->fd < 0 || json_array_size(record->tasks) < 2)
        return;
    while (json_array_size(record->tasks) > 1)
        json_array_remove(record->tasks, 1);
    if (write_session(record, &err) < 0)
        log_error("%s", err.text);
}

void
session_record_clear(struct session_record *record)
{
    forget(record);
    if (record->fd >= 0 && ftruncate(record->fd, 0) < 0)
        log_error("cannot clear the record: %s", strerror(errno));
}
