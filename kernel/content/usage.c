#include "kernel/content/usage.h"

#include <stdio.h>
#include <unistd.h>

#include "common/json_text.h"

/* /proc/meminfo's names, and psutil's, which the client expects. */
static const struct {
    const char *line, *name;
} memory_fields[] = {
    {"MemTotal:",     "total"    },
    {"MemAvailable:", "available"},
    {"MemFree:",      "free"     },
    {"Active:",       "active"   },
    {"Inactive:",     "inactive" },
    {"Buffers:",      "buffers"  },
    {"Cached:",       "cached"   },
    {"Shmem:",        "shared"   },
    {"Slab:",         "slab"     },
};

static void
read_memory_line(json_t *memory, const char *line)
{
    for (size_t i = 0; i < COUNT_OF(memory_fields); i++) {
        size_t len = strlen(memory_fields[i].line);
        if (strncmp(line, memory_fields[i].line, len) == 0)
            json_object_set_new(
                memory, memory_fields[i].name,
                json_integer((json_int_t)(strtoull(line + len, NULL, 10) << 10)));
    }
}

static json_int_t
integer_of(json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static json_t *
host_memory(void)
{
    json_t *memory = json_object();
    FILE *file = fopen("/proc/meminfo", "re");
    char line[256];

    while (file && fgets(line, sizeof(line), file))
        read_memory_line(memory, line);
    if (file)
        fclose(file);
    json_int_t total = integer_of(memory, "total");
    json_int_t used = total - integer_of(memory, "available");
    json_object_set_new(memory, "used", json_integer(used));
    json_object_set_new(memory, "percent",
                        json_real(total ? 100.0 * (double)used / (double)total : 0.0));
    return memory;
}

/* user nice system idle iowait irq softirq steal: since the last call, in percent. */
static double
host_cpu_percent(struct usage *last)
{
    struct usage now = {0, 0};
    FILE *file = fopen("/proc/stat", "re");
    char line[256];

    if (file && fgets(line, sizeof(line), file)) {
        char *at = line + strcspn(line, " ");
        for (int field = 0; field < 8; field++) {
            unsigned long long ticks = strtoull(at, &at, 10);
            now.total += ticks;
            now.busy += field == 3 || field == 4 ? 0 : ticks;
        }
    }
    if (file)
        fclose(file);
    unsigned long long total = now.total - last->total;
    double percent = last->total && total
                         ? 100.0 * (double)(now.busy - last->busy) / (double)total
                         : 0.0;
    *last = now;
    return percent;
}

static void
copy_field(json_t *to, const char *name, json_t *from, const char *from_name)
{
    json_t *value = json_object_get(from, from_name);

    if (value)
        json_object_set(to, name, value);
}

void
usage_append(struct buffer *content, struct usage *last, struct slice of_sandbox)
{
    json_t *reply = json_object();
    json_auto_t *usage =
        of_sandbox.len ? json_loadb(of_sandbox.data, of_sandbox.len, 0, NULL) : NULL;
    char hostname[256] = "";
    bool is_first = last->total == 0;
    double host_cpu = host_cpu_percent(last);

    gethostname(hostname, sizeof(hostname) - 1);
    json_object_set_new(reply, "hostname", json_string(hostname));
    json_object_set_new(reply, "pid", json_integer(getpid()));
    json_object_set_new(reply, "cpu_count",
                        json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(reply, "host_virtual_memory", host_memory());
    if (!is_first)
        json_object_set_new(reply, "host_cpu_percent", json_real(host_cpu));
    copy_field(reply, "hostname", usage, "hostname");
    copy_field(reply, "pid", usage, "pid");
    copy_field(reply, "cpu_count", usage, "cpu_count");
    copy_field(reply, "kernel_cpu", usage, "cpu_percent");
    copy_field(reply, "kernel_memory", usage, "memory_bytes");
    json_text_append(content, reply);
}
