#include "kernel/place/workspace_choice.h"

#include <errno.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "common/digest_name.h"
#include "common/paths.h"

#define LOG_COMPONENT "claim"
#include "common/log.h"

#define XFS_MAGIC 0x58465342 /* which linux/magic.h does not have */

/* Folders that are not a user's own, `with_all` below them included or not. */
static const struct {
    const char *path;
    bool with_all;
} system_folders[] = {
    {"/",        false},
    {"/bin",     true },
    {"/boot",    true },
    {"/dev",     true },
    {"/etc",     true },
    {"/home",    false},
    {"/lib",     true },
    {"/lib64",   true },
    {"/media",   false},
    {"/mnt",     false},
    {"/opt",     false},
    {"/proc",    true },
    {"/root",    false},
    {"/run",     false},
    {"/sbin",    true },
    {"/srv",     false},
    {"/sys",     true },
    {"/tmp",     false},
    {"/usr",     true },
    {"/var",     false},
    {"/var/tmp", false},
};

static bool
is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    if (len == 1) /* the root */
        return true;
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || !path[len]);
}

const char *
workspace_choice_refuses(const char *folder, const char *home)
{
    if (home && strcmp(folder, home) == 0)
        return "it is your home folder";
    if (home && is_within(home, folder))
        return "your home folder is in it";
    for (size_t i = 0; i < COUNT_OF(system_folders); i++)
        if (strcmp(folder, system_folders[i].path) == 0 ||
            (system_folders[i].with_all && is_within(folder, system_folders[i].path)))
            return "it belongs to the system";
    return NULL;
}

char *
workspace_choice_home(void)
{
    const char *home = getenv("HOME");

    if (!home || home[0] != '/') {
        struct passwd *user = getpwuid(geteuid());
        home = user ? user->pw_dir : NULL;
    }
    return home ? realpath(home, NULL) : NULL;
}

/* --- where files are kept instead --- */

/* For root a workspace is mounted with its owner mapped, which not every file system
 * can (docs/isolation.md): where this one may not, nothing is kept. */
static bool
can_be_mounted(const char *path)
{
    struct statfs system;

    if (geteuid() != 0)
        return true;
    return statfs(path, &system) == 0 &&
           (system.f_type == EXT4_SUPER_MAGIC || system.f_type == BTRFS_SUPER_MAGIC ||
            system.f_type == XFS_MAGIC);
}

char *
workspace_choice_kept(const char *folder, struct error *err)
{
    AUTO(mem) char *state = paths_state_dir(err);
    AUTO(mem) char *parent = state ? xasprintf("%s/folders", state) : NULL;

    return parent ? digest_name_path(parent, slice_of(folder)) : NULL;
}

static int
make_private_folder(const char *path, struct error *err)
{
    return mkdir(path, 0700) < 0 && errno != EEXIST ? error_sys(err, "make %s", path)
                                                    : 0;
}

/* NULL: they cannot be kept. */
static char *
keep_files_of(const char *folder)
{
    struct error err;
    AUTO(mem) char *state = paths_state_dir(&err);
    AUTO(mem) char *parent = state ? xasprintf("%s/folders", state) : NULL;
    AUTO(mem) char *path = parent ? digest_name_path(parent, slice_of(folder)) : NULL;

    if (!path || make_private_folder(parent, &err) < 0 ||
        make_private_folder(path, &err) < 0) {
        log_info("%s", err.text);
        return NULL;
    }
    return can_be_mounted(path) ? realpath(path, NULL) : NULL;
}

char *
workspace_choice_make(char **notice)
{
    AUTO(mem) char *folder = realpath(".", NULL);
    AUTO(mem) char *home = workspace_choice_home();
    const char *why =
        folder ? workspace_choice_refuses(folder, home) : "it no longer exists";

    *notice = NULL;
    if (!why)
        return TAKE(folder);
    AUTO(mem) char *kept = folder ? keep_files_of(folder) : NULL;
    AUTO(mem) char *instead =
        kept ? xasprintf("%s, where their files are kept (`cellpod cp` gets them out)",
                         kept)
             : xstrdup("an empty /workspace, whose files are lost with the sandbox");
    *notice = xasprintf("cellpod: cells cannot see %s (%s); they work in %s. Start the "
                        "notebook in a folder of its own, or name folders in "
                        "CELLPOD_MOUNTS.\n",
                        folder ? folder : "the notebook's folder", why, instead);
    return TAKE(kept);
}
