#include "sandbox/isolate/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sandbox/isolate/tree_contents.h"

/* Rights and scopes that are newer than the oldest headers we build with. */
enum {
    RIGHT_REFER = 1 << 13,
    RIGHT_TRUNCATE = 1 << 14,
    RIGHT_IOCTL_DEV = 1 << 15,
    SCOPE_ABSTRACT_SOCKETS = 1 << 0,
    SCOPE_SIGNALS = 1 << 1,
};

#define RIGHTS_READ                                              \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | \
     LANDLOCK_ACCESS_FS_READ_DIR)
#define RIGHTS_FIRST ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1) /* all of ABI 1 */
#define RIGHTS_DEVICE \
    (RIGHTS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)
#define RIGHTS_WRITE                                 \
    ((RIGHTS_FIRST | RIGHT_REFER | RIGHT_TRUNCATE) & \
     ~(uint64_t)(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK))
/* In the user's own folders no links, pipes or sockets are made: programs outside
 * follow the ones and wait at the others. */
#define RIGHTS_USERS                                                          \
    (RIGHTS_WRITE &                                                           \
     ~(uint64_t)(LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_FIFO | \
                 LANDLOCK_ACCESS_FS_MAKE_SOCK))
#define RIGHTS_FILE                                              \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | \
     LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)

/* struct landlock_ruleset_attr, with fields newer than the headers: kernels take a
 * longer one as long as what they do not know is zero. */
struct ruleset {
    uint64_t files, network, scopes;
};

/* What each ABI added. */
static const struct {
    int abi;
    uint64_t files, scopes;
} additions[] = {
    {1, RIGHTS_FIRST,    0                                     },
    {2, RIGHT_REFER,     0                                     },
    {3, RIGHT_TRUNCATE,  0                                     },
    {5, RIGHT_IOCTL_DEV, 0                                     },
    {6, 0,               SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS},
};

static const struct {
    const char *path;
    uint64_t rights;
} rules[] = {
    {"/",    RIGHTS_READ  },
    {"/dev", RIGHTS_DEVICE},
};

static struct ruleset
ruleset_for(long abi)
{
    struct ruleset ruleset = {0, 0, 0};

    for (size_t i = 0; i < COUNT_OF(additions); i++)
        if (additions[i].abi <= abi) {
            ruleset.files |= additions[i].files;
            ruleset.scopes |= additions[i].scopes;
        }
    return ruleset;
}

static int
add_rule(int ruleset, const char *path, uint64_t rights)
{
    AUTO(fd) int place = open(path, O_PATH | O_CLOEXEC);
    struct landlock_path_beneath_attr rule = {.allowed_access = rights,
                                              .parent_fd = place};
    struct stat status;

    if (place < 0 || fstat(place, &status) < 0)
        return -1;
    if (!S_ISDIR(status.st_mode))
        rule.allowed_access &= RIGHTS_FILE;
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
                        &rule, 0);
}

static bool
lies_in(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* What a rule gives holds for all below, mounts too: a scratch folder in which a folder
 * of the user's lies gives no more than that. */
static uint64_t
scratch_rights(const char *scratch, const struct isolate_plan *plan)
{
    for (uint32_t i = 0; i < plan->bind_count; i++) {
        uint32_t flags = plan->binds[i].flags;
        if ((flags & BIND_USERS) && (flags & BIND_WRITABLE) && !(flags & BIND_STATE) &&
            lies_in(plan->binds[i].target, scratch))
            return RIGHTS_USERS;
    }
    return RIGHTS_WRITE;
}

/* In a pod some of the folders may be missing. */
static int
add_scratch(int ruleset, uint64_t handled, const char *folder,
            const struct isolate_plan *plan)
{
    if (isolate_mode() == ISOLATE_POD && access(folder, W_OK) < 0)
        return 0;
    return add_rule(ruleset, folder, scratch_rights(folder, plan) & handled);
}

static int
add_rules(int ruleset, uint64_t handled, const struct isolate_plan *plan,
          struct isolate_failure *failure)
{
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (add_rule(ruleset, rules[i].path, rules[i].rights & handled) < 0)
            return failed(failure, "allow reading %s", rules[i].path);
    for (size_t i = 0; tree_scratch_folders[i]; i++)
        if (add_scratch(ruleset, handled, tree_scratch_folders[i], plan) < 0)
            return failed(failure, "allow writing %s", tree_scratch_folders[i]);
    for (uint32_t i = 0; i < plan->bind_count; i++)
        if ((plan->binds[i].flags & BIND_WRITABLE) &&
            add_rule(ruleset, plan->binds[i].target, RIGHTS_USERS & handled) < 0)
            return failed(failure, "allow writing %s", plan->binds[i].target);
    return 0;
}

static long
ask_abi(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0,
                   LANDLOCK_CREATE_RULESET_VERSION);
}

bool
landlock_is_there(void)
{
    return ask_abi() > 0;
}

int
landlock_enter(const struct isolate_plan *plan, struct isolate_failure *failure)
{
    long abi = ask_abi();

    if (abi < 0)
        return failed(failure, "ask for Landlock");
    struct ruleset attributes = ruleset_for(abi);
    AUTO(fd) int ruleset =
        (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);
    if (ruleset < 0)
        return failed(failure, "make a Landlock ruleset");
    if (add_rules(ruleset, attributes.files, plan, failure) < 0)
        return -1;
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}
