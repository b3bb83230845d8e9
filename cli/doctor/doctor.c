/* cellpod doctor: what this machine can and cannot do. */
#include <fcntl.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/doctor/probe.h"
#include "cli/doctor/walls.h"

static const struct {
    const char *name;
    void (*probe)(struct report *report);
} areas[] = {
    {"machine",   probe_machine  },
    {"isolation", probe_isolation},
    {"resources", probe_resources},
    {"files",     probe_files    },
    {"models",    probe_models   },
    {"jupyter",   probe_jupyter  },
    {"sandbox",   probe_sandbox  },
};

char *
probe_read_line(const char *path)
{
    char text[256];
    AUTO(fd) int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

    if (len < 0)
        return NULL;
    text[len] = '\0';
    return xstrndup(text, strcspn(text, "\n"));
}

int
command_doctor(char **arguments)
{
    struct report report = {0};

    if (arguments[1] && strcmp(arguments[1], "--walls") == 0 && !arguments[2]) {
        walls_print();
        return EXIT_FINE;
    }
    report.checks = json_array();
    for (char **word = arguments + 1; *word; word++) {
        if (strcmp(*word, "--json") != 0)
            return command_misused("doctor: unknown option `%.60s'", *word);
        report.is_json = true;
    }
    for (size_t i = 0; i < COUNT_OF(areas); i++) {
        report_area(&report, areas[i].name);
        areas[i].probe(&report);
    }
    report_finish(&report);
    json_decref(report.checks);
    return report.has_failed ? EXIT_FAILED : EXIT_FINE;
}
