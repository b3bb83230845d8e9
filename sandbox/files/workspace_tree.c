#include "sandbox/files/workspace_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include "common/limits.h"
#include "sandbox/files/beneath.h"
#include "sandbox/files/identity.h"

struct tree {
    const struct workspace *workspace;
    json_t *files;
    json_t *folders; /* to look into: paths */
    dev_t device;    /* of the workspace itself */
    size_t names, bytes;
    bool is_cut;
};

void
workspace_state(const struct stat *st, char out[WORKSPACE_STATE_SIZE])
{
    (void)snprintf(
        out, WORKSPACE_STATE_SIZE, "%llx-%llx-%llx.%lx-%llx.%lx",
        (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
        (unsigned long long)st->st_mtim.tv_sec, (unsigned long)st->st_mtim.tv_nsec,
        (unsigned long long)st->st_ctim.tv_sec, (unsigned long)st->st_ctim.tv_nsec);
}

static bool
is_left_out(const char *name)
{
    return name[0] == '.' || strcmp(name, "__pycache__") == 0 ||
           strcmp(name, "node_modules") == 0;
}

static size_t
depth_of(const char *path)
{
    size_t depth = 0;

    while ((path = strchr(path, '/'))) {
        path++;
        depth++;
    }
    return depth;
}

static void
add_file(struct tree *tree, json_t *path, const struct stat *st)
{
    char state[WORKSPACE_STATE_SIZE];

    workspace_state(st, state);
    json_array_append_new(tree->files,
                          json_pack("[O, I, s]", path, (json_int_t)st->st_size, state));
}

static void
add(struct tree *tree, int folder, const char *above, const char *name)
{
    AUTO(mem) char *path = xasprintf("%s%s%s", above, *above ? "/" : "", name);
    json_auto_t *text = json_string(path); /* NULL: not UTF-8 */
    struct stat st;

    if (!text || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    tree->bytes += strlen(path) + WORKSPACE_STATE_SIZE;
    if (tree->bytes > LIMIT_TREE_BYTES || depth_of(path) > LIMIT_TREE_DEPTH)
        tree->is_cut = true;
    else if (S_ISREG(st.st_mode))
        add_file(tree, text, &st);
    else if (S_ISDIR(st.st_mode) && st.st_dev == tree->device)
        json_array_append(tree->folders, text);
}

static void
look_into(struct tree *tree, const char *path)
{
    struct error ignored;
    int fd = beneath_open(tree->workspace->root, *path ? path : ".",
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, &ignored);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!listing) {
        auto_fd(&fd);
        return;
    }
    while (!tree->is_cut && (entry = readdir(listing))) {
        if (is_left_out(entry->d_name))
            continue;
        if (++tree->names > LIMIT_TREE_NAMES)
            tree->is_cut = true;
        else
            add(tree, dirfd(listing), path, entry->d_name);
    }
    closedir(listing);
}

json_t *
workspace_tree(const struct workspace *workspace, struct error *err)
{
    AUTO(identity) struct identity as UNUSED = identity_take(workspace->owner);
    struct tree tree = {
        .workspace = workspace, .files = json_array(), .folders = json_array()};
    struct stat st;

    if (workspace->root < 0 || fstat(workspace->root, &st) < 0) {
        (void)error_set(err, ERR_UNAVAILABLE, "the sandbox has no workspace right now");
        json_decref(tree.files);
        json_decref(tree.folders);
        return NULL;
    }
    tree.device = st.st_dev;
    look_into(&tree, "");
    for (size_t i = 0; i < json_array_size(tree.folders) && !tree.is_cut; i++)
        look_into(&tree, json_string_value(json_array_get(tree.folders, i)));
    json_decref(tree.folders);
    return json_pack("{s:o, s:b}", "files", tree.files, "is_cut", (int)tree.is_cut);
}
