#include "sandbox/detach.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "common/base.h"

static void
close_all_but(int kept)
{
    int null = open("/dev/null", O_RDWR);

    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDOUT_FILENO; fd++)
        if (fd != kept)
            dup2(null, fd);
    if (kept <= STDERR_FILENO) {
        close_range(STDERR_FILENO + 1, ~0U, 0);
        return;
    }
    if (kept > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
    close_range((unsigned)kept + 1, ~0U, 0);
    fcntl(kept, F_SETFD, FD_CLOEXEC);
}

void
detach(int kept)
{
    struct rlimit files;

    setsid(); /* fails for a group's leader, who has a group of his own already */
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* of inits whose zygote has died */
    close_all_but(kept);
    if (chdir("/") == 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}
