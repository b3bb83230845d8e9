#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/isolate/seccomp_filter.h"
#include "sandbox/isolate/seccomp_policy.h"

struct attempt {
    const char *name;
    long arguments[5];
    int expected; /* errno, 0 for a call that the kernel gets to see */
};

/* Arguments that do nothing, so that what is let through does no harm. */
static const struct attempt refused[] = {
    {"ptrace",            {0},                                         EPERM },
    {"bpf",               {0},                                         EPERM },
    {"keyctl",            {0},                                         EPERM },
    {"mount",             {0},                                         EPERM },
    {"umount2",           {0},                                         EPERM },
    {"open_tree",         {0},                                         EPERM },
    {"userfaultfd",       {0},                                         EPERM },
    {"perf_event_open",   {0},                                         EPERM },
    {"io_uring_setup",    {0},                                         EPERM },
    {"kexec_load",        {0},                                         EPERM },
    {"init_module",       {0},                                         EPERM },
    {"open_by_handle_at", {-1},                                        EPERM },
    {"setns",             {-1},                                        EPERM },
    {"unshare",           {CLONE_NEWUSER},                             EPERM },
    {"process_vm_readv",  {0},                                         EPERM },
    {"process_vm_writev", {0},                                         EPERM },
    {"seccomp",           {0},                                         EPERM },
    {"memfd_create",      {0},                                         EPERM },
    {"chroot",            {0},                                         EPERM },
    {"setuid",            {0},                                         EPERM },
    {"personality",       {0x40000},                                   EPERM },
    {"socket",            {AF_NETLINK, SOCK_RAW},                      EPERM },
    {"socket",            {AF_VSOCK, SOCK_STREAM},                     EPERM },
    {"socket",            {AF_ALG, SOCK_SEQPACKET},                    EPERM },
    {"socketpair",        {AF_INET, SOCK_STREAM},                      EPERM },
    {"clone",             {CLONE_NEWUSER | SIGCHLD},                   EPERM },
    {"clone",             {CLONE_NEWNS | SIGCHLD},                     EPERM },
    {"clone",             {CLONE_NEWNET | CLONE_VM},                   EPERM },
    {"clone3",            {0},                                         ENOSYS},
    {"ioctl",             {0, TIOCSTI},                                EPERM },
    {"ioctl",             {0, TIOCSTI | 1L << 32},                     EPERM },
    {"ioctl",             {0, TIOCLINUX},                              EPERM },
    {"mknodat",           {AT_FDCWD, 0, S_IFBLK | 0600},               EPERM },
    {"mknodat",           {AT_FDCWD, 0, S_IFCHR | 0600},               EPERM },
    {"mknodat",           {AT_FDCWD, 0, S_IFREG | 04755},              EPERM },
    {"mknod",             {0, S_IFREG | 04755},                        EPERM },
    {"chmod",             {0, 04755},                                  EPERM },
    {"fchmod",            {-1, 06755},                                 EPERM },
    {"fchmodat",          {AT_FDCWD, 0, 04000},                        EPERM },
    {"open",              {0, O_CREAT, 04755},                         EPERM },
    {"openat",            {AT_FDCWD, 0, O_CREAT, 04755},               EPERM },
    {"creat",             {0, 04755},                                  EPERM },
    {"openat2",           {AT_FDCWD, 0},                               ENOSYS},
    {"fcntl",             {-1, F_SETLEASE, F_RDLCK},                   EPERM },
    {"fcntl",             {-1, F_GETLEASE},                            EPERM },
    {"fcntl",             {-1, F_NOTIFY},                              EPERM },
    {"fcntl",             {-1, F_SETSIG},                              EPERM },
    {"fcntl",             {-1, F_SETOWN},                              EPERM },
    {"fcntl",             {-1, F_SETLEASE | 1L << 32},                 EPERM },
    {"renameat2",         {AT_FDCWD, 0, AT_FDCWD, 0, RENAME_WHITEOUT}, EPERM },
    {"ioctl",             {-1, TIOCSETD},                              EPERM },
    {"ioctl",             {-1, TIOCCONS},                              EPERM },
    {"ioctl",             {-1, SIOCSIFFLAGS},                          EPERM },
    {"ioctl",             {-1, 0x12345678},                            EPERM },
    {"prctl",             {PR_SET_SECCOMP, 1},                         EPERM },
    {"prctl",             {PR_SET_MM},                                 EPERM },
    {"prctl",             {PR_SET_SECUREBITS},                         EPERM },
    {"prctl",             {PR_SET_NAME | 1L << 20},                    EPERM },
    {"setsockopt",        {-1, SOL_SOCKET, SO_ATTACH_FILTER},          EPERM },
    {"setsockopt",        {-1, SOL_SOCKET, SO_ATTACH_BPF},             EPERM },
    {"setsockopt",        {-1, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF},  EPERM },
    {"setsockopt",        {-1, SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF},  EPERM },
    {"setsockopt",        {-1, IPPROTO_TCP, TCP_ULP},                  EPERM },
    {"socket",            {AF_INET, SOCK_STREAM, 262},                 EPERM }, /* IPPROTO_MPTCP */
    {"socket",            {AF_INET, SOCK_STREAM, IPPROTO_SCTP},        EPERM },
    {"socket",            {AF_INET, SOCK_DGRAM, IPPROTO_ICMP},         EPERM },
    {"socket",            {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6},      EPERM },
    {"acct",              {0},                                         EPERM },
    {"add_key",           {0},                                         EPERM },
    {"finit_module",      {0},                                         EPERM },
    {"iopl",              {0},                                         EPERM },
    {"kcmp",              {0},                                         EPERM },
    {"kexec_file_load",   {0},                                         EPERM },
    {"modify_ldt",        {0},                                         EPERM },
    {"name_to_handle_at", {0},                                         EPERM },
    {"pidfd_getfd",       {0},                                         EPERM },
    {"pivot_root",        {0},                                         EPERM },
    {"quotactl",          {0},                                         EPERM },
    {"reboot",            {0},                                         EPERM },
    {"settimeofday",      {0},                                         EPERM },
    {"swapon",            {0},                                         EPERM },
    {"syslog",            {0},                                         EPERM },
    {"vmsplice",          {0},                                         EPERM },
};

static const struct attempt allowed[] = {
    {"getpid",      {0},                                          0     },
    {"openat",      {AT_FDCWD, 0},                                EFAULT},
    {"read",        {-1},                                         EBADF },
    {"fchmod",      {-1, 02775},                                  EBADF },
    {"chmod",       {0, 0777},                                    EFAULT},
    {"ioctl",       {-1, TIOCGWINSZ},                             EBADF },
    {"socket",      {AF_UNIX, SOCK_STREAM},                       0     },
    {"socket",      {AF_INET, SOCK_STREAM},                       0     },
    {"socketpair",  {AF_UNIX, SOCK_STREAM},                       EFAULT},
    {"mknodat",     {AT_FDCWD, 0, S_IFIFO | 0600},                EFAULT},
    {"personality", {0xffffffff},                                 0     },
    {"fcntl",       {-1, F_GETFL},                                EBADF },
    {"fcntl",       {-1, F_SETLK},                                EBADF },
    {"renameat2",   {AT_FDCWD, 0, AT_FDCWD, 0, RENAME_NOREPLACE}, EFAULT},
    {"ioctl",       {-1, FIONREAD},                               EBADF },
    {"ioctl",       {-1, FICLONE},                                EBADF },
    {"prctl",       {PR_GET_DUMPABLE},                            0     },
    {"prctl",       {PR_SET_NAME},                                EFAULT},
    {"setsockopt",  {-1, SOL_SOCKET, SO_REUSEADDR},               EBADF },
    {"setsockopt",  {-1, IPPROTO_TCP, TCP_NODELAY},               EBADF },
    {"socket",      {AF_INET, SOCK_DGRAM, IPPROTO_UDP},           0     },
    {"socket",      {AF_INET6, SOCK_STREAM, IPPROTO_TCP},         0     },
    {"execve",      {0},                                          EFAULT},
    {"pidfd_open",  {-1},                                         EINVAL},
    {"kill",        {1L << 30, 0},                                ESRCH },
};

/* Where memory is metered: SO_SNDBUF succeeds without being seen by the kernel. */
static const struct attempt metered[] = {
    {"mmap",       {0, 4096, 0, MAP_SHARED | MAP_ANONYMOUS, -1},  EPERM},
    {"mmap",       {0, 4096, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1}, 0    },
    {"mmap",       {0, 4096, 0, MAP_SHARED, -1},                  EBADF},
    {"setsockopt", {-1, SOL_SOCKET, SO_SNDBUF},                   0    },
    {"setsockopt", {-1, SOL_SOCKET, SO_RCVBUF},                   0    },
    {"setsockopt", {-1, SOL_SOCKET, SO_REUSEADDR},                EBADF},
};

static bool is_metered;

static void
install_or_exit(void)
{
    struct isolate_failure failure = {0};

    if (seccomp_filter_install(is_metered, &failure) < 0)
        _exit(255);
}

enum {
    SEEN = 200 /* no errno of the kernel's */
};

/* A filter below ours that answers for the kernel: of two refusals the one of the newer
 * filter counts, so SEEN comes out only of a call that ours lets through. What is
 * refused is then refused by it, whatever privileges this process has. */
static void
answer_for_the_kernel(long number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | SEEN),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {COUNT_OF(code), code};

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
        _exit(254);
}

static int
errno_of(long number, const long arguments[5])
{
    long result = syscall(number, arguments[0], arguments[1], arguments[2],
                          arguments[3], arguments[4], 0);
    return result < 0 ? errno : 0;
}

/* What the call answers in a process behind the filter; SEEN if the kernel would answer
 * it. */
static int
answer_in_child(long number, const long arguments[5], bool is_seen_only)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
            _exit(253);
        if (is_seen_only)
            answer_for_the_kernel(number);
        install_or_exit();
        _exit(errno_of(number, arguments));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
check(const struct attempt *attempts, size_t count, bool is_seen_only, int expected)
{
    for (size_t i = 0; i < count; i++) {
        long number = seccomp_syscall_resolve_name(attempts[i].name);
        if (number < 0) /* not of this architecture */
            continue;
        if (is_seen_only && strcmp(attempts[i].name, "seccomp") == 0)
            continue; /* installs ours */
        int wanted = expected ? expected : attempts[i].expected;
        int answer = answer_in_child(number, attempts[i].arguments, is_seen_only);
        if (answer != wanted)
            print_error("%s answers %d\n", attempts[i].name, answer);
        assert_int_equal(answer, wanted);
    }
}

static void
refuses_what_is_not_listed(void **state UNUSED)
{
    check(refused, COUNT_OF(refused), false, 0);
}

static void
refuses_it_before_the_kernel_asks_for_privileges(void **state UNUSED)
{
    check(refused, COUNT_OF(refused), true, 0);
    check(allowed, COUNT_OF(allowed), true, SEEN);
}

static void
lets_through_what_is_listed(void **state UNUSED)
{
    check(allowed, COUNT_OF(allowed), false, 0);
}

static void
refuses_memory_that_a_meter_would_not_see(void **state UNUSED)
{
    is_metered = true;
    check(metered, COUNT_OF(metered), false, 0);
    check(refused, COUNT_OF(refused), false, 0);
    is_metered = false;
}

static void
calls_newer_than_the_policy_do_not_exist(void **state UNUSED)
{
    static const long none[5];

    for (long number = SECCOMP_NEWEST_CALL + 1; number < SECCOMP_NEWEST_CALL + 40;
         number++)
        assert_int_equal(answer_in_child(number, none, false), ENOSYS);
    assert_int_equal(answer_in_child(0x40000000, none, false), ENOSYS); /* x32 */
}

static void
every_row_is_a_call_with_a_reason(void **state UNUSED)
{
    for (size_t i = 0; i < seccomp_allowed_count; i++) {
        assert_int_not_equal(seccomp_syscall_resolve_name(seccomp_allowed[i].name),
                             __NR_SCMP_ERROR);
        assert_true(strlen(seccomp_allowed[i].reason) > 3);
    }
    for (size_t i = 0; i < seccomp_refused_value_count; i++)
        assert_true(strlen(seccomp_refused_values[i].reason) > 3);
}

static void
no_row_is_there_twice(void **state UNUSED)
{
    for (size_t i = 0; i < seccomp_allowed_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(seccomp_allowed[i].name, seccomp_allowed[j].name);
}

static int
compile_once(void **state UNUSED)
{
    struct isolate_failure failure;

    return isolate_compile(&failure);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_listed),
        cmocka_unit_test(refuses_it_before_the_kernel_asks_for_privileges),
        cmocka_unit_test(lets_through_what_is_listed),
        cmocka_unit_test(refuses_memory_that_a_meter_would_not_see),
        cmocka_unit_test(calls_newer_than_the_policy_do_not_exist),
        cmocka_unit_test(every_row_is_a_call_with_a_reason),
        cmocka_unit_test(no_row_is_there_twice),
    };

    return cmocka_run_group_tests(tests, compile_once, NULL);
}
