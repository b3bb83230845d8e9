/* cellpod cp: files of notebooks whose own folder is not handed to their cells: those
 * that cellpod keeps on this machine, and those in a pod. */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/copy_out.h"
#include "cli/cp_pod.h"
#include "kernel/carry/carry_path.h"
#include "kernel/place/workspace_choice.h"

enum {
    LISTED = 1000
};

struct request {
    bool overwrites;
    const char *from, *to; /* NULL to: list */
};

/* --- what is named --- */

/* The folder that a notebook, or the folder itself, is named by. */
static char *
notebook_folder(const char *given, struct error *err)
{
    AUTO(mem) char *copy = xstrdup(given);
    struct stat st;
    bool is_folder = stat(given, &st) == 0 && S_ISDIR(st.st_mode);
    char *folder = realpath(is_folder ? given : dirname(copy), NULL);

    if (!folder)
        (void)error_sys(err, "find the folder of %s", given);
    return folder;
}

/* The kept folder. */
static int
open_kept(const char *notebook, struct error *err)
{
    AUTO(mem) char *folder = notebook_folder(notebook, err);
    AUTO(mem) char *home = workspace_choice_home();

    if (!folder)
        return -1;
    if (!workspace_choice_refuses(folder, home))
        return error_set(err, ERR_BAD_INPUT,
                         "cells of notebooks in %s work in that folder itself: their "
                         "files are there",
                         folder);
    AUTO(mem) char *kept = workspace_choice_kept(folder, err);
    if (!kept)
        return -1;
    int root = open(kept, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return root >= 0
               ? root
               : error_set(err, ERR_NOT_FOUND,
                           "no files are kept of notebooks in %s: none has run there",
                           folder);
}

static int
open_path(int root, const char *path, struct error *err)
{
    if (!*path)
        return fcntl(root, F_DUPFD_CLOEXEC, 0);
    if (!carry_path_is_valid((struct slice){path, strlen(path)}))
        return error_set(err, ERR_BAD_INPUT,
                         "name a path below the cells' folder, without . and ..");
    int entry = carry_path_open(root, path, O_PATH, 0);
    return entry >= 0 ? entry
                      : error_sys(err, "find %s among the files of the cells", path);
}

/* NOTEBOOK:PATH. *notebook is the caller's, *path within what is given. */
static int
split(const char *given, char **notebook, const char **path, struct error *err)
{
    const char *colon = strchr(given, ':');

    if (!colon || colon == given)
        return error_set(err, ERR_BAD_INPUT,
                         "name the files as NOTEBOOK:PATH, such as "
                         "analysis.ipynb:result.csv");
    *notebook = xstrndup(given, (size_t)(colon - given));
    *path = colon + 1;
    return 0;
}

/* --- listing --- */

static void
print_entry(int folder, const char *name)
{
    struct stat st;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (S_ISREG(st.st_mode))
        printf("%14lld  ", (long long)st.st_size);
    else
        printf("%14s  ", S_ISDIR(st.st_mode) ? "folder" : "not a file");
    copy_out_print_name(stdout, name);
    putchar('\n');
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
list(int entry, struct error *err)
{
    int folder = openat(entry, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    char *names[LISTED];
    size_t count = 0;
    struct dirent *found = NULL;

    if (!entries)
        return error_sys(err, "list what is not a folder: name a folder, or where to "
                              "copy this");
    while (count < LISTED && (found = readdir(entries)))
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
            names[count++] = xstrdup(found->d_name);
    qsort(names, count, sizeof(*names), by_name);
    for (size_t i = 0; i < count; i++) {
        print_entry(folder, names[i]);
        free(names[i]);
    }
    if (found)
        printf("There may be more than these %d.\n", (int)LISTED);
    closedir(entries);
    return 0;
}

/* --- copying --- */

/* The folder for the copy, and its name there, which the caller frees. All of the
 * files have no name of their own, and need a folder for themselves. */
static int
open_target(const char *to, const char *path, char **name, struct error *err)
{
    const char *own = strrchr(path, '/');
    int folder = *path ? open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    AUTO(mem) char *above = xstrdup(to);
    AUTO(mem) char *last = xstrdup(to);

    if (folder >= 0) {
        *name = xstrdup(own ? own + 1 : path);
        return folder;
    }
    if (*path && to[strlen(to) - 1] == '/')
        return error_set(err, ERR_NOT_FOUND, "there is no folder %s", to);
    int parent = open(dirname(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return error_sys(err, "open the folder for %s", to);
    *name = xstrdup(basename(last));
    return parent;
}

static int
copy_to(int entry, const char *path, const struct request *request, struct error *err)
{
    struct copy_out copy = {.overwrites = request->overwrites};
    AUTO(mem) char *name = NULL;
    AUTO(fd) int into = open_target(request->to, path, &name, err);

    if (into < 0 || copy_out_run(&copy, entry, path, into, name, err) < 0)
        return -1;
    if (copy.hidden)
        fprintf(stderr,
                "cellpod: %zu names in folders are left out, since they are hidden or "
                "caches; name one to copy it\n",
                copy.hidden);
    if (copy.failed)
        return error_set(err, ERR_CONFLICT, "%zu copied, %zu left out", copy.copied,
                         copy.failed);
    return 0;
}

static int
read_words(char **words, struct request *out)
{
    *out = (struct request){0};
    for (; *words; words++)
        if (strcmp(*words, "--force") == 0)
            out->overwrites = true;
        else if ((*words)[0] == '-' || !(*words)[0] || out->to)
            return command_misused("cp: unexpected `%.60s'", *words);
        else if (out->from)
            out->to = *words;
        else
            out->from = *words;
    if (!out->from)
        return command_misused("cp: name the files as NOTEBOOK:PATH, and where to copy "
                               "them");
    return EXIT_FINE;
}

/* --- kept on this machine --- */

static int
copy_kept(const char *notebook, const char *path, const struct request *request,
          struct error *err)
{
    AUTO(fd) int root = open_kept(notebook, err);
    AUTO(fd) int entry = root < 0 ? -1 : open_path(root, path, err);

    if (entry < 0)
        return -1;
    return request->to ? copy_to(entry, path, request, err) : list(entry, err);
}

/* --- in a pod --- */

static int
copy_from_pod(const struct reached *reached, const char *path,
              const struct request *request, struct error *err)
{
    AUTO(mem) char *name = NULL;

    if (*path && !carry_path_is_valid(slice_of(path)))
        return error_set(err, ERR_BAD_INPUT,
                         "name a path below the cells' folder, without . and ..");
    if (!request->to)
        return cp_pod_list(reached, path, err);
    if (!*path)
        return error_set(err, ERR_BAD_INPUT,
                         "name one file: from a pod, files are copied one at a time");
    AUTO(fd) int into = open_target(request->to, path, &name, err);
    return into < 0 ? -1
                    : cp_pod_get(reached, path, into, name, request->overwrites, err);
}

static int
copy_to_pod(const char *notebook, const char *path, const struct request *request,
            struct error *err)
{
    AUTO(reached) struct reached reached = {0};
    int found = reached_find(notebook, &reached, err);

    if (found == 0)
        return error_set(err, ERR_NOT_FOUND,
                         "no kernel of yours runs cells of %s in a pod: start it, or "
                         "copy the file into the notebook's folder",
                         notebook);
    return found < 0
               ? -1
               : cp_pod_put(&reached, request->from, path, request->overwrites, err);
}

/* A file that is there, to NOTEBOOK:PATH. */
static bool
is_to_pod(const struct request *request)
{
    return request->to && strchr(request->to, ':') && access(request->from, F_OK) == 0;
}

static int
run(const struct request *request, struct error *err)
{
    const bool sends = is_to_pod(request);
    AUTO(reached) struct reached reached = {0};
    AUTO(mem) char *notebook = NULL;
    const char *path = NULL;

    if (split(sends ? request->to : request->from, &notebook, &path, err) < 0)
        return -1;
    if (sends)
        return copy_to_pod(notebook, path, request, err);
    int found = reached_find(notebook, &reached, err);
    if (found == 0)
        return copy_kept(notebook, path, request, err);
    return found < 0 ? -1 : copy_from_pod(&reached, path, request, err);
}

int
command_cp(char **arguments)
{
    struct request request;
    struct error err;
    int status = read_words(arguments + 1, &request);

    if (status != EXIT_FINE)
        return status;
    return run(&request, &err) < 0 ? command_fail(&err) : EXIT_FINE;
}
