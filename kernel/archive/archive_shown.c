#include "kernel/archive/archive_shown.h"

#include "kernel/jupyter/json_scan.h"

static struct slice
copy_of(struct slice bytes)
{
    return (struct slice){xstrndup(bytes.data, bytes.len), bytes.len};
}

static void
release_item(struct archive_item *item)
{
    free(item->type);
    free((char *)item->content.data);
    free((char *)item->metadata.data);
}

static void
clear(struct archive_shown *shown)
{
    for (size_t i = 0; i < shown->count; i++)
        release_item(&shown->items[i]);
    shown->count = 0;
    shown->is_to_clear = false;
}

void
archive_shown_release(struct archive_shown *shown)
{
    clear(shown);
    free(TAKE(shown->items));
    shown->capacity = 0;
}

static void
fill(struct archive_item *item, const char *type, const struct archive_record *record)
{
    *item = (struct archive_item){xstrdup(type), copy_of(record->parts[1]),
                                  copy_of(record->parts[2])};
}

/* --- what becomes of a record --- */

typedef void take_fn(struct archive_shown *shown, const char *type,
                     const struct archive_record *record);

static void
add(struct archive_shown *shown, const char *type, const struct archive_record *record)
{
    if (shown->is_to_clear)
        clear(shown);
    if (shown->count == shown->capacity) {
        shown->capacity = shown->capacity ? 2 * shown->capacity : 16;
        shown->items = xrealloc(shown->items, shown->capacity * sizeof(*shown->items));
    }
    fill(&shown->items[shown->count++], type, record);
}

static struct slice
display_id(struct slice content)
{
    return json_scan_field(json_scan_field(content, "transient"), "display_id");
}

static void
update(struct archive_shown *shown, const char *type UNUSED,
       const struct archive_record *record)
{
    const struct slice id = display_id(record->parts[1]);

    for (size_t i = 0; id.len && i < shown->count; i++) {
        struct archive_item *item = &shown->items[i];
        if (strcmp(item->type, "display_data") != 0 ||
            !slice_equals(display_id(item->content), id))
            continue;
        release_item(item);
        fill(item, "display_data", record);
    }
}

static void
take_clear(struct archive_shown *shown, const char *type UNUSED,
           const struct archive_record *record)
{
    if (json_scan_is_true(record->parts[1], "wait", false))
        shown->is_to_clear = true;
    else
        clear(shown);
}

static void
pass_over(struct archive_shown *shown UNUSED, const char *type UNUSED,
          const struct archive_record *record UNUSED)
{
}

static const struct {
    const char *type;
    take_fn *take;
    bool of_others; /* also in records of other cells */
} types[] = {
    {"stream",              add,        false},
    {"display_data",        add,        false},
    {"execute_result",      add,        false},
    {"error",               add,        false},
    {"update_display_data", update,     true },
    {"clear_output",        take_clear, false},
    {"execute_input",       pass_over,  false},
};

static bool
is_readable(const struct archive_record *record)
{
    struct error err;

    return json_scan_check(record->parts[1], &err) == 0 &&
           (!record->parts[2].len || json_scan_check(record->parts[2], &err) == 0);
}

void
archive_shown_take(struct archive_shown *shown, const struct archive_record *record,
                   bool is_own)
{
    if (record->kind != ARCHIVE_OUTPUT)
        return;
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (slice_equals(record->parts[0], slice_of(types[i].type)) &&
            (is_own || types[i].of_others) && is_readable(record)) {
            types[i].take(shown, types[i].type, record);
            return;
        }
}

void
archive_shown_add(struct archive_shown *shown, const struct archive_record *record)
{
    AUTO(mem) char *type = xstrndup(record->parts[0].data, record->parts[0].len);

    add(shown, type, record);
}
