#include <signal.h>

#include "sandbox/running/exit_report.h"
#include "tests/unit/unit.h"

static void
names_cause_signal_and_code(void **state UNUSED)
{
    static const struct {
        struct worker_death death;
        const char *cause, *signal, *said;
    } cases[] = {
        {{.status = SIGSEGV},                                                        "signal",  "SIGSEGV", "memory that it does not own"},
        {{.status = SIGKILL},                                                        "signal",  "SIGKILL", "memory ran out"             },
        {{.status = SIGSYS},                                                         "syscall", "SIGSYS",  "system call"                },
        {{.status = 3 << 8},                                                         "exit",    NULL,      "exit code 3"                },
        {{.status = SIGKILL, .memory = {true, 1ULL << 30, 2ULL << 30}},
         "memory",                                                                              "SIGKILL",
         "at 1.00 of 2.00 GiB"                                                                                                          },
        {{.status = SIGKILL, .end = END_MEMORY, .memory = {true, 1 << 30, 1 << 30}},
         "memory",                                                                              "SIGKILL",
         "at 1.00 of 1.00 GiB"                                                                                                          },
        {{.status = SIGKILL, .memory = {false, 1 << 30, 1 << 30}},
         "signal",                                                                              "SIGKILL",
         "SIGKILL"                                                                                                                      },
        {{.status = SIGSEGV, .memory = {true, 1 << 30, 1 << 30}},
         "signal",                                                                              "SIGSEGV",
         "SIGSEGV"                                                                                                                      },
        {{.status = SIGKILL, .end = END_WRITES},                                     "writes",  "SIGKILL", "cell_write_mb"              },
        {{.status = SIGKILL, .end = END_TIME},
         "time",                                                                                "SIGKILL",
         "after its time limit"                                                                                                         },
        {{.status = SIGKILL, .end = END_RESTART},                                    "restart", "SIGKILL", "restarted"                  },
        {{.status = SIGKILL, .end = END_INTERRUPT},
         "interrupt",                                                                           "SIGKILL",
         "interrupt"                                                                                                                    },
        {{.status = SIGKILL, .end = END_PROTOCOL, .violation = "it lied"},
         "protocol",                                                                            "SIGKILL",
         "it lied"                                                                                                                      },
        {{.status = 40},                                                             "signal",  "SIG?",    "SIG?"                       },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *report = exit_report_make(&cases[i].death);
        const char *message = json_string_value(json_object_get(report, "message"));
        const char *signal = json_string_value(json_object_get(report, "signal"));
        print_message("  %s\n", message);
        assert_string_equal(json_string_value(json_object_get(report, "cause")),
                            cases[i].cause);
        assert_non_null(strstr(message, cases[i].said));
        if (cases[i].signal)
            assert_string_equal(signal, cases[i].signal);
        else
            assert_null(signal);
        assert_int_equal(json_integer_value(json_object_get(report, "peak_bytes")),
                         strcmp(cases[i].cause, "memory") == 0
                             ? cases[i].death.memory.peak
                             : cases[i].death.peak_bytes);
    }
}

static void
says_what_is_gone(void **state UNUSED)
{
    static const struct {
        const char *variables, *gone;
    } cases[] = {
        {"{\"count\":0,\"largest\":[]}",                                 NULL                                             },
        {"{\"count\":3,\"largest\":[]}",                                 "Its 3 variables are lost."                      },
        {"{\"count\":3,\"largest\":[{\"name\":\"a\",\"type\":\"list\",\"bytes\":1536}]"
         "}",                                                   "Its 3 variables are lost; at the last check, the largest were a "
         "(list, 1.5 "
         "KiB)."                                                                                    },
        {"{\"count\":9,\"largest\":[{\"name\":\"a\",\"type\":\"x\",\"bytes\":"
         "4294967296},"
         "{\"name\":\"b\",\"type\":\"y\",\"bytes\":33554432},"
         "{\"name\":\"c\",\"type\":\"z\",\"bytes\":1048576}]}", "Its 9 variables are lost; at the last check, the largest were a (x, "
         "4.0 "
         "GiB), b (y, 32 MiB) and c (z, 1.0 MiB)."},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_auto_t *variables = json_loads(cases[i].variables, 0, NULL);
        const struct worker_death death = {.status = SIGKILL, .variables = variables};
        json_auto_t *report = exit_report_make(&death);
        const char *gone = json_string_value(json_object_get(report, "gone"));
        if (cases[i].gone)
            assert_string_equal(gone, cases[i].gone);
        else
            assert_null(gone);
    }
}

static void
names_the_call(void **state UNUSED)
{
    const struct worker_death death = {.status = SIGSYS, .refused_call = "mount"};
    json_auto_t *report = exit_report_make(&death);

    assert_string_equal(json_string_value(json_object_get(report, "syscall")), "mount");
    assert_non_null(strstr(json_string_value(json_object_get(report, "message")),
                           "does not allow: mount."));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_cause_signal_and_code),
        cmocka_unit_test(says_what_is_gone),
        cmocka_unit_test(names_the_call),
    };

    return cmocka_run_group_tests_name("exit_report", tests, NULL, NULL);
}
