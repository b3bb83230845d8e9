#include "sandbox/api/metrics.h"

#include <inttypes.h>

#include "common/version.h"

static void
head(struct buffer *out, const char *name, const char *type, const char *help)
{
    buffer_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
one(struct buffer *out, const char *name, const char *type, const char *help,
    uint64_t value)
{
    head(out, name, type, help);
    buffer_printf(out, "%s %" PRIu64 "\n", name, value);
}

static uint64_t
count_state(const json_t *sandboxes, const char *state)
{
    uint64_t count = 0;
    size_t index;
    json_t *sandbox;

    json_array_foreach (sandboxes, index, sandbox)
        count +=
            strcmp(json_string_value(json_object_get(sandbox, "state")), state) == 0;
    return count;
}

static uint64_t
sum_memory(const json_t *sandboxes)
{
    uint64_t bytes = 0;
    size_t index;
    json_t *sandbox;

    json_array_foreach (sandboxes, index, sandbox) {
        const json_t *usage = json_object_get(sandbox, "usage");
        bytes += (uint64_t)json_integer_value(json_object_get(usage, "memory_bytes"));
    }
    return bytes;
}

static void
ends(struct buffer *out, const char *name, const char *help,
     const struct tally_ends *counted)
{
    head(out, name, "counter", help);
    for (size_t i = 0; i < counted->used; i++)
        buffer_printf(out, "%s{reason=\"%s\"} %" PRIu64 "\n", name,
                      counted->rows[i].reason, counted->rows[i].count);
}

void
metrics_write(struct pool *pool, uint64_t requests, struct buffer *out)
{
    static const char *const states[] = {"starting", "ready", "failed"};
    json_auto_t *sandboxes = pool_describe(pool);
    const struct tally *tally = pool_tally(pool);

    head(out, "cellpod_build_info", "gauge", "The running build.");
    buffer_printf(out, "cellpod_build_info{version=\"%s\",build=\"%s\"} 1\n",
                  cellpod_version, cellpod_build);
    head(out, "cellpod_sandboxes", "gauge", "Sandboxes, by state.");
    for (size_t i = 0; i < COUNT_OF(states); i++)
        buffer_printf(out, "cellpod_sandboxes{state=\"%s\"} %" PRIu64 "\n", states[i],
                      count_state(sandboxes, states[i]));
    one(out, "cellpod_capacity", "gauge", "Largest number of sandboxes at once.",
        pool_capacity(pool));
    one(out, "cellpod_stopping", "gauge",
        "1 while what was asked to stop waits for its cells.", pool_is_closed(pool));
    one(out, "cellpod_memory_bytes", "gauge", "Memory of all sandboxes.",
        sum_memory(sandboxes));
    one(out, "cellpod_claims_total", "counter", "Claims that were granted.",
        pool_claims(pool));
    one(out, "cellpod_cells_total", "counter", "Cells that were begun.", tally->cells);
    one(out, "cellpod_memory_brakes_total", "counter",
        "MemoryError raised in a cell, near the limit.", tally->memory_brakes);
    ends(out, "cellpod_worker_ends_total", "Workers that ended, by reason.",
         &tally->workers);
    ends(out, "cellpod_sandbox_ends_total", "Sandboxes that ended, by reason.",
         &tally->sandboxes);
    one(out, "cellpod_http_requests_total", "counter", "HTTP requests.", requests);
}
