#include "sandbox/gvisor/gofer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>

#include "sandbox/isolate/mount.h"
#include "sandbox/isolate/protect.h"
#include "sandbox/isolate/users.h"

static int
enter_namespaces(struct isolate_failure *failure)
{
    AUTO(fd) int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (geteuid() != 0 && users_enter_namespace(proc, 0, 0, failure) < 0)
        return -1;
    if (unshare(CLONE_NEWNS) < 0 || mount_make_private("/") < 0)
        return failed(failure, "make a mount namespace");
    return 0;
}

/* With the file that sockets and pipes are covered with. */
static int
open_scratch(const char *path, struct isolate_failure *failure)
{
    AUTO(fd) int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO(fd) int file =
        openat(folder, "empty-file", O_WRONLY | O_CREAT | O_CLOEXEC, 0444);

    return file < 0 ? failed(failure, "make a file in %s", path) : take_fd(&folder);
}

/* Over itself: as a mount, it can hold others. */
static int
cover(const char *workspace, const char *scratch, struct isolate_failure *failure)
{
    AUTO(fd) int folder = open_scratch(scratch, failure);
    AUTO(fd) int place = folder < 0 ? -1 : mount_open_exact(AT_FDCWD, workspace, 0);
    AUTO(fd) int mount = place < 0 ? -1 : mount_copy(place);

    if (folder < 0)
        return -1;
    if (mount < 0)
        return failed(failure, "open %s", workspace);
    if (mount_restrict(mount, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) < 0 ||
        mount_attach(mount, place) < 0)
        return failed(failure, "mount %s", workspace);
    return protect(mount, true, folder, failure);
}

/* It goes through JSON and an environment; of the name in it a part may be no UTF-8. */
static char *
notice_of(const struct isolate_failure *failure)
{
    char *notice = *failure->notice ? xstrdup(failure->notice) : NULL;

    for (char *at = notice; at && *at; at++)
        if ((unsigned char)*at >= 0x7F)
            *at = '?';
    return notice;
}

int
gofer_hold(const char *workspace, const char *scratch, char **notice, struct error *err)
{
    struct isolate_failure failure = {0};

    *notice = NULL;
    if (enter_namespaces(&failure) == 0 &&
        (!workspace || cover(workspace, scratch, &failure) == 0)) {
        *notice = notice_of(&failure);
        return 0;
    }
    failure_explain(&failure, ISOLATE_FILES, "protect the workspace");
    return error_set(err, ERR_ISOLATION, "%s%s%s", failure.message,
                     *failure.remedy ? ": " : "", failure.remedy);
}

/* A hard link may be one of a symbolic link, which leads elsewhere from another folder.
 */
static const int refused[] = {SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(link),
                              SCMP_SYS(linkat)};

static int
fill_filter(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), refused[i], 0) < 0)
            return -1;
    if (seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(bind), 0) < 0)
        return -1;
    return seccomp_load(filter);
}

int
gofer_filter(int *questions, struct error *err)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int result = filter ? fill_filter(filter) : -1;
    int fd = result < 0 ? -1 : seccomp_notify_fd(filter);

    if (filter)
        seccomp_release(filter);
    if (fd < 0)
        return error_set(
            err, ERR_ISOLATION,
            "this kernel does not support seccomp user notification (Linux 5.5)");
    *questions = fd;
    return 0;
}

void
gofer_answer(int questions, bool may_make_it)
{
    struct seccomp_notif *question = NULL;
    struct seccomp_notif_resp *answer = NULL;

    if (seccomp_notify_alloc(&question, &answer) == 0 &&
        seccomp_notify_receive(questions, question) == 0) {
        answer->id = question->id;
        if (may_make_it)
            answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else
            answer->error = -EACCES;
        seccomp_notify_respond(questions, answer); /* or it has died meanwhile */
    }
    seccomp_notify_free(question, answer);
}
