#include "sandbox/isolate/seccomp_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "sandbox/isolate/seccomp_policy.h"

#define ANSWER(number) SCMP_ACT_ERRNO(number)

struct program {
    struct sock_filter code[BPF_MAXINSNS];
    unsigned short len;
};

static struct program allow_list, refuse_list, metered_list;

static void
auto_filter(scmp_filter_ctx *filter)
{
    if (*filter)
        seccomp_release(*filter);
}

/* -1 with errno, as libseccomp has it the other way round. */
static int
result_of(int negative_errno)
{
    if (negative_errno >= 0)
        return 0;
    errno = -negative_errno;
    return -1;
}

/* Calls that this processor does not have are left out by libseccomp. */
static int
add_call(scmp_filter_ctx filter, uint32_t action, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);

    if (number == __NR_SCMP_ERROR) {
        errno = EINVAL;
        return -1;
    }
    return result_of(seccomp_rule_add(filter, action, number, 0));
}

static int
add_value(scmp_filter_ctx filter, uint32_t action, const struct argument_rule *rule)
{
    const struct scmp_arg_cmp compare[] = {
        {rule->argument, SCMP_CMP_MASKED_EQ, rule->mask, rule->value       },
        {rule->second,   SCMP_CMP_MASKED_EQ, 0xffffffff, rule->second_value},
    };
    int number = seccomp_syscall_resolve_name(rule->name);

    if (number == __NR_SCMP_ERROR) {
        errno = EINVAL;
        return -1;
    }
    return result_of(seccomp_rule_add_array(filter, action, number,
                                            rule->has_second ? 2 : 1, compare));
}

static int
fill_allow_list(scmp_filter_ctx filter, struct isolate_failure *failure)
{
    for (size_t i = 0; i < seccomp_allowed_count; i++)
        if (add_call(filter, SCMP_ACT_ALLOW, seccomp_allowed[i].name) < 0)
            return failed(failure, "allow %s", seccomp_allowed[i].name);
    for (size_t i = 0; i < seccomp_allowed_value_count; i++)
        if (add_value(filter, SCMP_ACT_ALLOW, &seccomp_allowed_values[i]) < 0)
            return failed(failure, "allow %s", seccomp_allowed_values[i].name);
    for (const char *const *name = seccomp_absent; *name; name++)
        if (add_call(filter, ANSWER(ENOSYS), *name) < 0)
            return failed(failure, "leave out %s", *name);
    return 0;
}

static int
fill_refuse_list(scmp_filter_ctx filter, struct isolate_failure *failure)
{
    for (size_t i = 0; i < seccomp_refused_value_count; i++)
        if (add_value(filter, ANSWER(EPERM), &seccomp_refused_values[i]) < 0)
            return failed(failure, "refuse %s", seccomp_refused_values[i].name);
    return 0;
}

static int
fill_metered_list(scmp_filter_ctx filter, struct isolate_failure *failure)
{
    for (size_t i = 0; i < seccomp_metered_value_count; i++)
        if (add_value(filter, ANSWER(EPERM), &seccomp_metered_values[i]) < 0)
            return failed(failure, "refuse %s", seccomp_metered_values[i].name);
    for (size_t i = 0; i < seccomp_ignored_value_count; i++)
        if (add_value(filter, ANSWER(0), &seccomp_ignored_values[i]) < 0)
            return failed(failure, "ignore %s", seccomp_ignored_values[i].name);
    return 0;
}

/* libseccomp writes programs to descriptors only. */
static int
export_program(scmp_filter_ctx filter, struct program *out)
{
    AUTO(fd) int file = (int)syscall(SYS_memfd_create, "filter", MFD_CLOEXEC);
    size_t room = sizeof(out->code) - out->len * sizeof(out->code[0]);

    if (file < 0 || result_of(seccomp_export_bpf(filter, file)) < 0)
        return -1;
    ssize_t len = pread(file, out->code + out->len, room, 0);
    if (len <= 0 || (size_t)len == room) {
        errno = E2BIG;
        return -1;
    }
    out->len += (unsigned short)((size_t)len / sizeof(out->code[0]));
    return 0;
}

/* Runs before what libseccomp makes: calls newer than the policy do not exist, and nor
 * do those of x32, whose numbers are larger still. */
static void
put_newest_call_check(struct program *out)
{
    static const struct sock_filter check[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SECCOMP_NEWEST_CALL, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };

    memcpy(out->code, check, sizeof(check));
    out->len = COUNT_OF(check);
}

/* Another architecture's calls have other numbers: whoever makes one, dies. By a signal
 * that a worker catches to say which it was; the call is not made, whatever the handler
 * does. gVisor, which could kill no more than the thread, has this too. */
static int
forbid_other_architectures(scmp_filter_ctx filter)
{
    return result_of(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_TRAP));
}

typedef int (*fill_fn)(scmp_filter_ctx filter, struct isolate_failure *failure);

static int
compile(struct program *out, uint32_t otherwise, fill_fn fill,
        struct isolate_failure *failure)
{
    __attribute__((cleanup(auto_filter))) scmp_filter_ctx filter =
        seccomp_init(otherwise);

    if (!filter) {
        errno = ENOMEM;
        return -1;
    }
    if (forbid_other_architectures(filter) < 0 ||
        result_of(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2)) < 0 ||
        fill(filter, failure) < 0)
        return -1;
    put_newest_call_check(out);
    return export_program(filter, out);
}

int
seccomp_filter_compile(struct isolate_failure *failure)
{
    if (compile(&allow_list, ANSWER(EPERM), fill_allow_list, failure) < 0 ||
        compile(&metered_list, SCMP_ACT_ALLOW, fill_metered_list, failure) < 0)
        return -1;
    return compile(&refuse_list, SCMP_ACT_ALLOW, fill_refuse_list, failure);
}

static int
install(struct program *program)
{
    struct sock_fprog filter = {program->len, program->code};

    if (program->len == 0) { /* never compiled */
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

int
seccomp_filter_install(bool is_metered, struct isolate_failure *failure)
{
    /* The list that leaves everything else alone goes first. */
    if (is_metered && install(&metered_list) < 0)
        return failed(failure, "refuse memory that cannot be metered");
    if (install(&refuse_list) < 0)
        return failed(failure, "refuse argument values");
    if (install(&allow_list) < 0) /* seccomp(2) is not on the list, nor needed again */
        return failed(failure, "allow the listed calls alone");
    return 0;
}
