#include "kernel/carry/carry_missing.h"

#include <ctype.h>
#include <fcntl.h>

#include "kernel/carry/carry_ignore.h"
#include "kernel/carry/carry_path.h"

enum {
    MAX_SAID = 4096,
    MAX_NAMES = 8, /* tried of one error */
};

static const char workspace[] = "/workspace/";

char *
carry_missing_said(const char *ename, const char *evalue)
{
    static const char *const phrases[] = {"No such file", "No files found",
                                          "does not exist", "not find"};
    bool is_it = ename && strcmp(ename, "FileNotFoundError") == 0;

    for (size_t i = 0; evalue && i < COUNT_OF(phrases); i++)
        is_it = is_it || strstr(evalue, phrases[i]);
    return is_it && evalue ? xstrndup(evalue, MAX_SAID) : NULL;
}

/* --- the names in it --- */

/* Between the next pair of quotes; else, once, what follows the last colon, as polars
 * has it. NULL: there is no further one. */
static char *
next_name(const char **at)
{
    const char *from = strpbrk(*at, "'\""), *end;
    const char *colon = strrchr(*at, ':');

    if (from && (end = strchr(from + 1, *from))) {
        *at = end + 1;
        return xstrndup(from + 1, (size_t)(end - from) - 1);
    }
    *at += strlen(*at);
    return colon && colon[1] == ' ' ? xstrdup(colon + 2) : NULL;
}

/* Below the folder in which cells work. */
static const char *
below(const char *name)
{
    if (strncmp(name, workspace, strlen(workspace)) == 0)
        name += strlen(workspace);
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return name;
}

/* --- why --- */

static bool
is_ignored(int root, const char *path)
{
    struct carry_ignore *ignore = carry_ignore_read(root);
    bool is_it = false;

    for (size_t len = 0; path[len] && !is_it;) {
        len += 1 + strcspn(path + len + 1, "/");
        AUTO(mem) char *part = xstrndup(path, len);
        is_it = carry_ignore_has(ignore, part, path[len]);
    }
    carry_ignore_free(ignore);
    return is_it;
}

/* By the rules of a scan, which are not written down a second time. */
static enum carry_left_reason
judge_by_scan(struct carry_missing *missing)
{
    struct carry_scan scan;
    enum carry_left_reason why = CARRY_LEFT_OUT;

    missing->spec.wanted = missing->path;
    carry_scan_run(&missing->spec, &scan);
    if (scan.is_wanted_left)
        why = scan.wanted_why;
    else if (scan.left.of[CARRY_LEFT_DEEP].count)
        why = CARRY_LEFT_DEEP;
    for (size_t i = 0; i < scan.count; i++)
        if (strcmp(scan.files[i].path, missing->path) == 0)
            why = CARRY_LEFT_COUNTED;
    carry_scan_release(&scan);
    return why;
}

/* What is there of this path: the file, or the first of its folders that is a link. */
static char *
existing(int root, const char *path, struct stat *st)
{
    for (size_t len = strcspn(path, "/");; len += 1 + strcspn(path + len + 1, "/")) {
        AUTO(mem) char *part = xstrndup(path, len);
        AUTO(fd) int file = carry_path_open(root, part, O_PATH, 0);
        if (file < 0 || fstat(file, st) < 0)
            return NULL;
        if (!S_ISDIR(st->st_mode))
            return path[len] && !S_ISLNK(st->st_mode) ? NULL : TAKE(part);
        if (!path[len])
            return NULL;
    }
}

static bool
find(struct carry_missing *missing, const char *name)
{
    const int root = missing->spec.root;
    const char *path = below(name);
    struct stat st;

    if (!carry_path_is_valid(slice_of(path)))
        return false;
    missing->path = existing(root, path, &st);
    if (!missing->path)
        return false;
    missing->bytes = (uint64_t)st.st_size;
    missing->why =
        is_ignored(root, missing->path) ? CARRY_LEFT_IGNORED : judge_by_scan(missing);
    return true;
}

void
carry_missing_run(struct carry_missing *missing)
{
    const char *at = missing->said;

    for (size_t i = 0; i < MAX_NAMES && !missing->path; i++) {
        AUTO(mem) char *name = next_name(&at);
        if (!name || find(missing, name))
            return;
    }
}

void
carry_missing_release(struct carry_missing *missing)
{
    free(missing->said);
    free(missing->path);
    *missing = (struct carry_missing){0};
}

/* --- what is told --- */

/* As a shell reads one word. */
static void
append_word(struct buffer *text, const char *word)
{
    bool is_plain = *word;

    for (const char *at = word; *at; at++)
        is_plain = is_plain && (isalnum((unsigned char)*at) || strchr("._/:-", *at));
    if (is_plain) {
        buffer_append_text(text, word);
        return;
    }
    buffer_append_text(text, "'");
    for (const char *at = word; *at; at++)
        buffer_append_text(text, *at == '\'' ? "'\\''" : (char[]){*at, '\0'});
    buffer_append_text(text, "'");
}

char *
carry_missing_tell(const struct carry_missing *missing, const char *notebook)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    AUTO(mem) char *there = xasprintf("%s:%s", notebook, missing->path);
    struct carry_left left = {0};

    if (missing->why == CARRY_LEFT_COUNTED) {
        buffer_printf(
            &text,
            "cellpod: %s is beside the notebook now. Run the cell again: each "
            "cell begins with what is there.\n",
            missing->path);
        return TAKE(text.data);
    }
    carry_left_note(&left, missing->why, missing->path, missing->bytes);
    buffer_append_text(&text, "cellpod: beside the notebook, and not sent: ");
    carry_left_append(&text, &left);
    buffer_append_text(&text, ". To send it now, run `cellpod cp ");
    append_word(&text, missing->path);
    buffer_append_text(&text, " ");
    append_word(&text, there);
    buffer_append_text(&text, "' in this folder. For other ways, see docs/cluster.md, "
                              "\"Files\".\n");
    return TAKE(text.data);
}
