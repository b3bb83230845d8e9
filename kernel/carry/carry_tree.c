#include "kernel/carry/carry_tree.h"

#include <jansson.h>
#include <stdio.h>

#include "common/limits.h"
#include "kernel/carry/carry_path.h"
#include "kernel/jupyter/json_scan.h"

enum {
    VALUES_OF_ENTRY = 4, /* its array, and what is in it */
    OTHER_VALUES = 16,
};

/* Counted before there is a tree of it: an empty array of three bytes takes a hundred.
 */
static json_t *
load(struct slice text, size_t entries)
{
    struct error ignored;

    if (json_scan_check_values(text, entries * VALUES_OF_ENTRY + OTHER_VALUES,
                               &ignored) < 0)
        return NULL;
    return json_loadb(text.data, text.len, 0, NULL);
}

static bool
copy_state(char out[CARRY_STATE_SIZE], const json_t *text)
{
    const size_t len = json_string_length(text);

    if (len == 0 || len >= CARRY_STATE_SIZE ||
        strspn(json_string_value(text), "0123456789abcdef.-") != len)
        return false;
    memcpy(out, json_string_value(text), len + 1);
    return true;
}

static bool
read_entry(const json_t *given, struct carry_entry *out)
{
    const json_t *path = json_array_get(given, 0), *size = json_array_get(given, 1);
    const struct slice name = {json_string_value(path), json_string_length(path)};

    *out = (struct carry_entry){0};
    if (!name.data || !carry_path_is_valid(name) || carry_path_has_left(name.data) ||
        !json_is_integer(size) || json_integer_value(size) < 0 ||
        !copy_state(out->state, json_array_get(given, 2)))
        return false;
    out->size = (uint64_t)json_integer_value(size);
    out->path = xstrndup(name.data, name.len);
    return true;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(((const struct carry_entry *)a)->path,
                  ((const struct carry_entry *)b)->path);
}

static void
sort(struct carry_tree *tree)
{
    size_t kept = 0;

    if (!tree->count)
        return;
    qsort(tree->entries, tree->count, sizeof(*tree->entries), compare);
    for (size_t i = 0; i < tree->count; i++) {
        if (kept && strcmp(tree->entries[kept - 1].path, tree->entries[i].path) == 0) {
            free(tree->entries[i].path);
            tree->refused++;
        } else {
            tree->entries[kept++] = tree->entries[i];
        }
    }
    tree->count = kept;
}

int
carry_tree_parse(struct slice text, struct carry_tree *out, struct error *err)
{
    json_auto_t *root = load(text, LIMIT_TREE_NAMES);
    const json_t *files = json_object_get(root, "files");
    size_t i;
    json_t *given;

    if (!json_is_array(files) || json_array_size(files) > LIMIT_TREE_NAMES)
        return error_set(err, ERR_BAD_INPUT, "it is not a list of files");
    *out = (struct carry_tree){
        .entries = xcalloc(json_array_size(files) + 1, sizeof(*out->entries)),
        .is_cut = !json_is_false(json_object_get(root, "is_cut")),
    };
    json_array_foreach (files, i, given) {
        if (read_entry(given, &out->entries[out->count]))
            out->count++;
        else
            out->refused++;
    }
    sort(out);
    return 0;
}

void
carry_tree_release(struct carry_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free(tree->entries[i].path);
    free(tree->entries);
    *tree = (struct carry_tree){0};
}

bool
carry_tree_read_state(struct slice answer, char out[CARRY_STATE_SIZE])
{
    json_auto_t *root = load(answer, 0);

    return copy_state(out, json_object_get(root, "state"));
}
