#include "cli/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/version.h"

static const char *const names[] = {
    [CHECK_OK] = "ok",
    [CHECK_NOTE] = "note",
    [CHECK_FAILED] = "failed",
    [CHECK_SKIPPED] = "skipped",
};

static void
print(enum check_status status, const char *name, const char *detail,
      const char *remedy)
{
    static const char *const shown[] = {
        [CHECK_OK] = "ok",
        [CHECK_NOTE] = "note",
        [CHECK_FAILED] = "FAILED",
        [CHECK_SKIPPED] = "-",
    };

    printf("  %-7s %-18s %s\n", shown[status], name, detail);
    if (*remedy)
        printf("          %-18s > %s\n", "", remedy);
    fflush(stdout);
}

void
report_area(struct report *report, const char *area)
{
    report->area = area;
    if (!report->is_json)
        printf("%s\n", area);
}

void
report_add(struct report *report, const char *name, enum check_status status,
           const char *remedy, const char *fmt, ...)
{
    char detail[1024];
    va_list arguments;

    va_start(arguments, fmt);
    vsnprintf(detail, sizeof(detail), fmt, arguments);
    va_end(arguments);
    remedy = remedy ? remedy : "";
    report->has_failed = report->has_failed || status == CHECK_FAILED;
    if (!report->is_json)
        print(status, name, detail, remedy);
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    buffer_append_text(&text, "{\"detail\":");
    buffer_append_json_string(&text, slice_of(detail));
    buffer_append_text(&text, ",\"remedy\":");
    buffer_append_json_string(&text, slice_of(remedy));
    buffer_append_text(&text, "}");
    json_t *check = json_loadb(text.data, text.len, 0, NULL);
    json_object_set_new(check, "area", json_string(report->area));
    json_object_set_new(check, "name", json_string(name));
    json_object_set_new(check, "status", json_string(names[status]));
    json_array_append_new(report->checks, check);
}

static void
print_json(const struct report *report)
{
    json_auto_t *all =
        json_pack("{s:b, s:s, s:s, s:O}", "ok", !report->has_failed, "version",
                  cellpod_version, "build", cellpod_build, "checks", report->checks);

    json_dumpf(all, stdout, JSON_INDENT(2));
    puts("");
}

void
report_finish(struct report *report)
{
    if (report->is_json)
        print_json(report);
    else
        puts(report->has_failed ? "\nSomething that sandboxes need has failed; its "
                                  "remedy is shown below it."
                                : "\nEverything that sandboxes need works.");
}
