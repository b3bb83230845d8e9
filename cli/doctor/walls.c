#include "cli/doctor/walls.h"

#include <stdio.h>

#include "cli/doctor/layers.h"
#include "cli/doctor/probe_groups.h"
#include "sandbox/isolate/seccomp_policy.h"

/* --- layers --- */

static void
print_layers(void)
{
    printf("Layers\n");
    for (size_t i = 0; i < ISOLATE_LAYER_COUNT; i++)
        printf("  %-11s takes away %s%s\n", layers[i].name, layers[i].takes,
               layers[i].waivable ? "" : "; cannot be waived");
}

/* --- what is soft --- */

static void
print_limit(const struct probed_groups *groups, enum cgroup_resource resource,
            const char *name, const char *instead)
{
    int version = groups->versions[resource];

    if (version)
        printf("  %-11s hard: control groups, version %d%s\n", name, version,
               groups->is_lent ? ", in a scope of your systemd" : "");
    else
        printf("  %-11s soft: %s\n", name, instead);
}

static void
print_limits(void)
{
    struct probed_groups groups;

    probe_groups(&groups);
    printf("\nLimits on this machine\n");
    print_limit(&groups, CGROUP_MEMORY, "memory",
                "no control groups here; a meter looks every few milliseconds, and "
                "estimates what sockets, pipes and mappings hold");
    print_limit(&groups, CGROUP_CPU, "processors",
                "no control groups here; a claim that limits them is refused");
    if (*groups.not_lent)
        printf("  no scope was lent: %s\n", groups.not_lent);
}

/* --- system calls --- */

/* Reasons are literals of one table, but two literals may be one text. */
static bool
is_first_with_reason(const struct allowed_call *calls, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(calls[i].reason, calls[at].reason) == 0)
            return false;
    return true;
}

static void
print_calls(void)
{
    const struct allowed_call *calls = seccomp_allowed;

    printf("\n%zu system calls are allowed\n", seccomp_allowed_count);
    for (size_t i = 0; i < seccomp_allowed_count; i++) {
        if (!is_first_with_reason(calls, i))
            continue;
        printf("  %s:\n   ", calls[i].reason);
        for (size_t j = i; j < seccomp_allowed_count; j++)
            if (strcmp(calls[j].reason, calls[i].reason) == 0)
                printf(" %s", calls[j].name);
        printf("\n");
    }
}

static void
print_rule(const struct argument_rule *rule)
{
    printf("  %s: argument %u", rule->name, rule->argument);
    if (rule->mask < 0xffffffff)
        printf(" & %#llx", (unsigned long long)rule->mask);
    printf(" = %#llx", (unsigned long long)rule->value);
    if (rule->has_second)
        printf(", argument %u = %#llx", rule->second,
               (unsigned long long)rule->second_value);
    printf(" (%s)\n", rule->reason);
}

static void
print_rules(const char *title, const struct argument_rule *rules, size_t count)
{
    printf("\n%s\n", title);
    for (size_t i = 0; i < count; i++)
        print_rule(&rules[i]);
}

static void
print_values(void)
{
    print_rules("Allowed with these arguments alone, counted from 0",
                seccomp_allowed_values, seccomp_allowed_value_count);
    print_rules("Refused with these arguments", seccomp_refused_values,
                seccomp_refused_value_count);
    print_rules("Refused with these arguments where the memory limit is soft",
                seccomp_metered_values, seccomp_metered_value_count);
    print_rules("Ignored with these arguments where the memory limit is soft",
                seccomp_ignored_values, seccomp_ignored_value_count);
    printf("\nEverything else answers EPERM; ");
    for (const char *const *name = seccomp_absent; *name; name++)
        printf("%s, ", *name);
    printf("and calls newer than number %d answer ENOSYS.\n", SECCOMP_NEWEST_CALL);
}

void
walls_print(void)
{
    print_layers();
    print_limits();
    print_calls();
    print_values();
}
