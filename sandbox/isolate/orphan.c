#include "sandbox/isolate/orphan.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

/* Of glibc, from 2.35 on: where the kernel writes on which processor a thread is. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));

enum {
    RSEQ_CPU_ID_AT = 4,
    RSEQ_NOT_REGISTERED = -2,
};

/* Where the C library keeps the main thread's id; NULL: not known. Asked before there
 * are walls, which would not let us. */
static int *thread_id;

__attribute__((constructor)) static void
find_thread_id(void)
{
    int *address = NULL;

    if (prctl(PR_GET_TID_ADDRESS, &address) == 0 && address &&
        *address == (int)syscall(SYS_gettid))
        thread_id = address;
}

/* The one costs a copy of the page tables, and their end. */
static void
fork_and_leave(void)
{
    pid_t pid = fork();

    if (pid)
        _exit(pid < 0);
}

#ifdef __x86_64__

/* Both processes run on one stack: the one that exits touches nothing of it any more.
 */
static long
clone_and_exit(void)
{
    const long flags = CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
    register long tid __asm__("r10") = (long)thread_id;
    long result;

    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jle 1f\n\t"
                     "xor %%edi, %%edi\n\t"
                     "mov %[exit], %%eax\n\t"
                     "syscall\n\t"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(0L), "d"(0L),
                       "r"(tid), [exit] "i"(SYS_exit_group)
                     : "rcx", "r11", "memory");
    return result;
}

static void
move_on(void)
{
    struct robust_list_head *locks = NULL;
    size_t size = sizeof(*locks);
    sigset_t all, before;

    syscall(SYS_get_robust_list, 0, &locks, &size);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* a handler would need the stack */
    syscall(SYS_set_tid_address, NULL);      /* our end is not the thread's */
    if (clone_and_exit() != 0)
        _exit(1);
    syscall(SYS_set_robust_list, locks, size);
    if (&__rseq_offset && __rseq_offset)
        *(int32_t *)((char *)__builtin_thread_pointer() + __rseq_offset +
                     RSEQ_CPU_ID_AT) = RSEQ_NOT_REGISTERED;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void
orphan_move_on(void)
{
    if (thread_id)
        move_on();
    else
        fork_and_leave();
}

#else

void
orphan_move_on(void)
{
    fork_and_leave();
}

#endif
