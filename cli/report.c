#include "cli/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/json_text.h"
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
    json_array_append_new(
        report->checks, json_pack("{s:o, s:o, s:s, s:s, s:s}", "detail",
                                  json_text_string(slice_of(detail)), "remedy",
                                  json_text_string(slice_of(remedy)), "area",
                                  report->area, "name", name, "status", names[status]));
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
