/*
 * replay: run a fuzz target over files, so that its corpus is a test with any compiler.
 * Folders are walked; no input at all is an error, because it would prove nothing.
 */
#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
replay(const char *path, size_t size)
{
    AUTO(mem) uint8_t *input = xcalloc(size, 1);
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        return false;
    }
    size_t got = fread(input, 1, size, file);
    fclose(file);
    LLVMFuzzerTestOneInput(input, got);
    return true;
}

int
main(int argc UNUSED, char **argv)
{
    FTS *tree = fts_open(argv + 1, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    int count = 0;

    while (tree && (entry = fts_read(tree)))
        if (entry->fts_info == FTS_F &&
            replay(entry->fts_path, (size_t)entry->fts_statp->st_size))
            count++;
    if (tree)
        fts_close(tree);
    printf("%s: replayed %d inputs\n", argv[0], count);
    return count ? 0 : 1;
}
