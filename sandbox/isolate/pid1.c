#include "sandbox/isolate/pid1.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "sandbox/isolate/handle.h"
#include "sandbox/isolate/isolate.h"
#include "sandbox/isolate/offspring.h"

static int child_signals = -1;
static pid_t current_worker = -1;

enum {
    SUCCESSORS = 32, /* a power of two */
};

/* What a worker says to init; shared memory, written by anybody inside. */
static struct shared {
    _Atomic pid_t successors[SUCCESSORS]; /* below `named`, modulo: the newest last */
    _Atomic unsigned named;
    _Atomic int call; /* refused: it dies of that; -1: none */
    _Atomic unsigned architecture;
} * shared;

static void
reset_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        if (number != SIGKILL && number != SIGSTOP)
            signal(number, SIG_DFL); /* process 1 is not reached by defaults */
}

int
pid1_prepare(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? -1 : 0;
}

int
pid1_begin(void)
{
    sigset_t set;

    if (isolate_mode() == ISOLATE_POD && offspring_adopt() < 0)
        return -1;
    reset_signals();
    prctl(PR_SET_NAME, "cellpod-init", 0, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
        return -1;
    child_signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return child_signals < 0 ? -1 : 0;
}

/* One datagram, perhaps with a descriptor beside it. A peer that is gone ends us. */
static int
send_message(int socket, const char *text, int fd)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec bytes = {(char *)text, strlen(text)};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

    if (fd >= 0) {
        message.msg_control = control.space;
        message.msg_controllen = sizeof(control.space);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
    }
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return -1;
    return 0;
}

static void
forget_successors(void)
{
    for (unsigned i = 0; i < SUCCESSORS; i++)
        atomic_store(&shared->successors[i], 0);
}

/* `,"syscall":"NAME"`, or nothing. */
static void
describe_call(int status, char *text, size_t size)
{
    int call = atomic_load(&shared->call);
    char *name =
        WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && call >= 0
            ? seccomp_syscall_resolve_num_arch(atomic_load(&shared->architecture), call)
            : NULL;

    *text = '\0';
    if (name)
        snprintf(text, size, ",\"syscall\":\"%.32s\"", name);
    free(name);
}

static void
describe_exit(const char *type, int status, const struct rusage *usage, char *text,
              size_t size)
{
    char call[64];

    describe_call(status, call, sizeof(call));
    snprintf(text, size, "{\"type\":\"%s\",\"pid\":%d,\"status\":%d,\"peak_kb\":%ld%s}",
             type, current_worker, status, usage->ru_maxrss, call);
}

static void
report_exit(int socket, int status, const struct rusage *usage)
{
    char text[192];

    describe_exit("exited", status, usage, text, sizeof(text));
    current_worker = -1;
    /* What the worker started is of no use without it, and the next one starts clean.
     * As process 1 we are spared ourselves. */
    if (getpid() == 1)
        kill(-1, SIGKILL);
    else if (isolate_mode() == ISOLATE_POD)
        offspring_end();
    forget_successors(); /* before there is a next worker, which may name one at once */
    if (send_message(socket, text, -1) < 0)
        _exit(0);
}

void
pid1_name_successor(pid_t pid)
{
    unsigned place = pid ? atomic_fetch_add(&shared->named, 1)
                         : atomic_fetch_sub(&shared->named, 1) - 1;

    atomic_store(&shared->successors[place % SUCCESSORS], pid);
}

/* A successor is init's child from the beginning. */
static bool
is_own_child(pid_t pid)
{
    siginfo_t end = {.si_pid = 0};

    return pid > 1 &&
           waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0;
}

/* The one that was named last and lives; 0: none. Its name, and those of newer ones,
 * are forgotten. */
static pid_t
take_successor(void)
{
    for (unsigned left = SUCCESSORS; left > 0; left--) {
        unsigned last = atomic_fetch_sub(&shared->named, 1) - 1;
        pid_t pid = atomic_exchange(&shared->successors[last % SUCCESSORS], 0);
        if (is_own_child(pid))
            return pid;
    }
    return 0;
}

/* Returns false when the worker that was just reaped has left no successor. */
static bool
report_succession(int socket, int status, const struct rusage *usage)
{
    char text[192];
    /* Before it is woken, and names one at once. */
    pid_t pid = take_successor();
    AUTO(fd) int pidfd = pid ? handle_open(pid) : -1;

    if (pidfd < 0)
        return false;
    current_worker = pid;
    describe_exit("succeeded", status, usage, text, sizeof(text));
    atomic_store(&shared->call, -1);
    if (send_message(socket, text, pidfd) < 0)
        _exit(0);
    return true;
}

static void
reap(int socket)
{
    struct signalfd_siginfo ignored;
    struct rusage usage;
    int status;
    pid_t pid;

    while (read(child_signals, &ignored, sizeof(ignored)) > 0)
        ;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
        if (pid == current_worker && !report_succession(socket, status, &usage))
            report_exit(socket, status, &usage);
}

static int
received_fd(struct msghdr *message)
{
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int fd = -1;

    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    return fd;
}

static ssize_t
receive_message(int socket, char *text, size_t size, int *fd)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec bytes = {text, size};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.space,
                             .msg_controllen = sizeof(control.space)};
    ssize_t len = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

    *fd = len > 0 ? received_fd(&message) : -1;
    return len;
}

ssize_t
pid1_await(int socket, char *message, size_t size, int *channel)
{
    struct pollfd events[] = {
        {child_signals, POLLIN, 0},
        {socket,        POLLIN, 0},
    };

    for (;;) {
        if (poll(events, COUNT_OF(events), -1) < 0 && errno != EINTR)
            _exit(1);
        if (events[0].revents)
            reap(socket);
        if (!events[1].revents)
            continue;
        ssize_t len = receive_message(socket, message, size, channel);
        if (len > 0)
            return len;
        if (len == 0 || errno != EINTR)
            _exit(0); /* and the kernel ends all that runs here */
    }
}

int
pid1_report_start(int socket, pid_t worker)
{
    AUTO(fd) int pidfd = handle_open(worker);
    char text[64];

    if (pidfd < 0)
        return -1;
    current_worker = worker;
    snprintf(text, sizeof(text), "{\"type\":\"started\",\"pid\":%d}", worker);
    return send_message(socket, text, pidfd);
}

/* A call that no answer is given to: say which it was, then die of it. */
static void
on_refused_call(int number, siginfo_t *info, void *context UNUSED)
{
    atomic_store(&shared->architecture, info->si_arch);
    atomic_store(&shared->call, info->si_syscall);
    signal(number, SIG_DFL);
    raise(number); /* blocked until this returns */
}

int
pid1_begin_worker(int channel)
{
    struct sigaction refused = {.sa_sigaction = on_refused_call,
                                .sa_flags = SA_SIGINFO};
    sigset_t none;

    sigaction(SIGSYS, &refused, NULL);

    sigemptyset(&none);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN); /* as Python starts */
    prctl(PR_SET_NAME, "cellpod-worker", 0, 0, 0);
    if (setsid() < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0 ||
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return -1;
    if (channel > 3 && syscall(SYS_close_range, 3, channel - 1, 0) < 0)
        return -1;
    return (int)syscall(SYS_close_range, channel + 1, INT32_MAX, 0);
}
