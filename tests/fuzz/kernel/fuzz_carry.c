/* Input: what a sandbox answers for a list of its files, and a file of patterns. Every
 * path that is taken stays in the folder, and none comes twice. */
#include <stdlib.h>

#include "kernel/carry/carry_ignore.h"
#include "kernel/carry/carry_path.h"
#include "kernel/carry/carry_store.h"
#include "kernel/carry/carry_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_path(const char *path)
{
    if (*path == '/' || !*path || strlen(path) > CARRY_PATH_BYTES)
        abort();
    for (const char *at = path;; at++) {
        size_t len = strcspn(at, "/");
        if (len == 0 || len > 255 || *at == '.')
            abort();
        at += len;
        if (!*at)
            return;
    }
}

static void
check_tree(const struct carry_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        AUTO(mem) char *encoded = carry_path_encode(tree->entries[i].path);
        AUTO(mem) char *copy UNUSED = carry_store_copy_path(tree->entries[i].path, 2);
        check_path(tree->entries[i].path);
        if (strpbrk(encoded, "?#& \n") ||
            (i && strcmp(tree->entries[i - 1].path, tree->entries[i].path) >= 0))
            abort();
        carry_store_refuses(tree->entries[i].path);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = {size ? (const char *)data : "", size};
    struct carry_ignore *ignore = carry_ignore_parse(text);
    char state[CARRY_STATE_SIZE];
    struct carry_tree tree;
    struct error err;

    carry_ignore_has(ignore, "some/folder/file.csv", false);
    carry_ignore_free(ignore);
    carry_tree_read_state(text, state);
    if (carry_tree_parse(text, &tree, &err) == 0) {
        check_tree(&tree);
        carry_tree_release(&tree);
    }
    return 0;
}
