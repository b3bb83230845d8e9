#include "cli/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base.h"

struct new_file
new_file_make(int into)
{
    struct new_file file = {.into = into};

    snprintf(file.temporary, sizeof(file.temporary), ".cellpod-cp-%d", (int)getpid());
    file.fd = openat(into, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (file.fd < 0) {
        file.fd =
            openat(into, file.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        file.has_name = file.fd >= 0;
    }
    return file;
}

static int
link_as(const struct new_file *file, const char *name)
{
    AUTO(mem) char *path = xasprintf("/proc/self/fd/%d", file->fd);

    return linkat(AT_FDCWD, path, file->into, name, AT_SYMLINK_FOLLOW);
}

/* Not every file system can rename without a replacement; those that cannot have links.
 */
static int
move(struct new_file *file, const char *name, bool replaces)
{
    if (renameat2(file->into, file->temporary, file->into, name,
                  replaces ? 0 : RENAME_NOREPLACE) == 0) {
        file->has_name = false;
        return 0;
    }
    return replaces || errno != EINVAL
               ? -1
               : linkat(file->into, file->temporary, file->into, name, 0);
}

/* A name cannot be taken from another file without one of its own before. */
int
new_file_name(struct new_file *file, const char *name, bool replaces)
{
    if (!file->has_name && !replaces)
        return link_as(file, name);
    if (!file->has_name) {
        if (link_as(file, file->temporary) < 0)
            return -1;
        file->has_name = true;
    }
    return move(file, name, replaces);
}

void
auto_new_file(struct new_file *file)
{
    if (file->has_name)
        (void)unlinkat(file->into, file->temporary, 0);
    if (file->fd >= 0)
        close(file->fd);
}
