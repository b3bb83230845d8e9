/*
 * workspace: the files of a sandbox, from outside.
 *
 * Everything is done with the rights of the sandbox's user, on the sandbox's own
 * mounts: what a cell may not read or write, this may not either. The sandbox is
 * hostile and may change anything at any time; nothing here leaves the workspace, waits
 * for a FIFO or opens a device. Paths are those of uri_path.
 */
#pragma once

#include <jansson.h>
#include <sys/stat.h>

#include "common/error.h"

struct workspace {
    int root;      /* owned; -1: none */
    int64_t owner; /* uid and gid to act as; -1: our own */
};

#define WORKSPACE_INIT \
    {                  \
        -1, -1         \
    }

void workspace_release(struct workspace *workspace);
/* Takes root. ERR_BAD_INPUT when it is not a folder. */
int workspace_set(struct workspace *workspace, int root, int64_t owner,
                  struct error *err) MUST_CHECK;
/* The same folder, for who may live longer. */
int workspace_copy(const struct workspace *workspace, struct workspace *out,
                   struct error *err) MUST_CHECK;

/* A regular file to read, or *st of a folder and -2. */
int workspace_open(const struct workspace *workspace, const char *path, struct stat *st,
                   struct error *err) MUST_CHECK;

/* Regular files and folders in it, as `{"name","size","type","mtime","mode"}`, by name;
 * symbolic links as what they lead to. A new reference, or NULL. */
json_t *workspace_list(const struct workspace *workspace, const char *path,
                       struct error *err) MUST_CHECK;

int workspace_stat(const struct workspace *workspace, const char *path, struct stat *st,
                   struct error *err) MUST_CHECK;
int workspace_remove(const struct workspace *workspace, const char *path,
                     bool recursive, struct error *err) MUST_CHECK;

/* A file under way: nobody sees it before it is whole. */
struct upload {
    struct workspace workspace; /* owned, like what follows */
    int file, folder;           /* where the file lies for now; -1: none */
    char *path, *temporary;
    mode_t mode;
    uint64_t size;
    const char *unless; /* the only state that may be replaced; NULL: any. Borrowed */
};

#define UPLOAD_INIT                                    \
    {                                                  \
        WORKSPACE_INIT, -1, -1, NULL, NULL, 0, 0, NULL \
    }

int upload_begin(struct upload *upload, const struct workspace *workspace,
                 const char *path, mode_t mode, struct error *err) MUST_CHECK;
int upload_write(struct upload *upload, const char *data, size_t len,
                 struct error *err) MUST_CHECK;
/* Makes the folders above it, and takes the place of what was there. ERR_CONFLICT: that
 * is in another state than `unless`. */
int upload_end(struct upload *upload, struct error *err) MUST_CHECK;
void upload_release(struct upload *upload); /* without an end: as if it had not been */
