#include "sandbox/start/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"

#define LOG_COMPONENT "preload"
#include "common/log.h"

enum {
    VERSION = 1,
    NAME_PARTS = 3,
};

struct preload {
    char *path;
    json_t *pythons; /* as in the file */
    unsigned memory_mb;
};

static int64_t
today(void)
{
    return time(NULL) / (24 * 60 * 60);
}

/* --- names --- */

static bool
is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *
skip_identifier(const char *text)
{
    if (!is_letter(*text))
        return NULL;
    while (is_letter(*text) || (*text >= '0' && *text <= '9'))
        text++;
    return text;
}

bool
preload_is_name(const char *text)
{
    const char *at = text;

    if (!text || strlen(text) > PRELOAD_NAME_BYTES)
        return false;
    for (int part = 1; (at = skip_identifier(at)) && *at == '.'; part++, at++)
        if (part == NAME_PARTS)
            return false;
    return at && !*at;
}

static const char *
name_of(const json_t *row)
{
    return json_string_value(json_object_get(row, "name"));
}

static int64_t
day_of(const json_t *row)
{
    return json_integer_value(json_object_get(row, "day"));
}

/* Returns an index, or the size. */
static size_t
find(const json_t *rows, const char *name)
{
    size_t i = 0;

    while (i < json_array_size(rows) &&
           strcmp(name_of(json_array_get(rows, i)), name) != 0)
        i++;
    return i;
}

/* --- the file --- */

static json_t *
read_file(const char *path)
{
    AUTO(fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        st.st_uid != geteuid() || (st.st_mode & 022) || st.st_size > PRELOAD_FILE_BYTES)
        return NULL;
    return json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
}

static json_t *
rows_from(const json_t *said, int64_t day)
{
    json_t *rows = json_array(), *row;
    size_t i;

    json_array_foreach (said, i, row) {
        const char *name = name_of(row);
        if (preload_is_name(name) && day_of(row) > day - PRELOAD_DAYS &&
            day_of(row) <= day && json_array_size(rows) < PRELOAD_NAMES &&
            find(rows, name) == json_array_size(rows))
            json_array_append_new(
                rows, json_pack("{s:s, s:I}", "name", name, "day", day_of(row)));
    }
    return rows;
}

static void
load(struct preload *preload, int64_t day)
{
    json_auto_t *file = read_file(preload->path);
    const char *python;
    json_t *rows;

    if (json_integer_value(json_object_get(file, "version")) != VERSION)
        return;
    json_object_foreach (json_object_get(file, "pythons"), python, rows) {
        if (json_object_size(preload->pythons) < PRELOAD_PYTHONS)
            json_object_set_new(preload->pythons, python, rows_from(rows, day));
    }
}

static int
write_file(const json_t *file, const char *path)
{
    AUTO(fd)
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    return fd < 0 ? -1 : json_dumpfd(file, fd, JSON_COMPACT);
}

/* Without it the next zygote is slower, and nothing else. */
static void
store(const struct preload *preload)
{
    AUTO(mem) char *temporary = xasprintf("%s.new", preload->path);
    json_auto_t *file =
        json_pack("{s:i, s:O}", "version", VERSION, "pythons", preload->pythons);

    unlink(temporary);
    if (write_file(file, temporary) < 0 || rename(temporary, preload->path) < 0)
        log_info("cannot write %s: %s", preload->path, strerror(errno));
}

/* --- what is known --- */

struct preload *
preload_new(const char *state_dir, unsigned memory_mb)
{
    struct preload *preload = xcalloc(1, sizeof(*preload));

    preload->path = xasprintf("%s/preload.json", state_dir);
    preload->pythons = json_object();
    preload->memory_mb = memory_mb;
    load(preload, today());
    return preload;
}

void
preload_free(struct preload *preload)
{
    if (!preload)
        return;
    json_decref(preload->pythons);
    free(preload->path);
    free(preload);
}

static json_t *
rows_of(struct preload *preload, const char *python)
{
    json_t *rows = json_object_get(preload->pythons, python);

    if (rows)
        return rows;
    if (json_object_size(preload->pythons) >= PRELOAD_PYTHONS)
        json_object_clear(preload->pythons);
    json_object_set_new(preload->pythons, python, rows = json_array());
    return rows;
}

bool
preload_learn(struct preload *preload, const char *python, const json_t *names)
{
    const int64_t day = today();
    json_t *rows = rows_of(preload, python), *value;
    bool is_new = false, is_older = false;
    size_t i;

    json_array_foreach (names, i, value) {
        const char *name = json_string_value(value);
        if (!preload_is_name(name))
            continue;
        size_t at = find(rows, name);
        is_new |= at == json_array_size(rows);
        is_older |= day_of(json_array_get(rows, at)) != day;
        json_array_remove(rows, at);
        json_array_insert_new(rows, 0,
                              json_pack("{s:s, s:I}", "name", name, "day", day));
    }
    while (json_array_size(rows) > PRELOAD_NAMES)
        json_array_remove(rows, json_array_size(rows) - 1);
    if (is_new || is_older)
        store(preload);
    return is_new;
}

json_t *
preload_order(const struct preload *preload, const char *python)
{
    const json_t *rows = json_object_get(preload->pythons, python);
    json_t *names, *row;
    size_t i;

    if (json_array_size(rows) == 0)
        return NULL;
    names = json_array();
    json_array_foreach (rows, i, row)
        json_array_append(names, json_object_get(row, "name"));
    return json_pack("{s:s, s:o, s:i}", "type", "preload", "names", names, "memory_mb",
                     (int)preload->memory_mb);
}
