#include "bridge/asking/asking.h"
#include "bridge/asking/extract.h"

static struct asking_next
ran_well(struct bridge_ask *ask, const struct bridge_ran *ran)
{
    const struct report_spec spec = asking_report_spec(ask);

    if (!ran->showed && !ask->magic.fix && ask->silent++ == 0 &&
        (int)ask->attempt_count < ask->attempts_max) {
        char *report = report_silence(&spec);
        asking_record(ask, "silent");
        return asking_correct(ask, &report, "silent", "its code shows nothing");
    }
    AUTO(mem) char *findings = report_findings(ran->findings);
    if (findings && !ask->endpoint->api->is_local && ask->poor_charts++ == 0 &&
        (int)ask->attempt_count < ask->attempts_max) {
        char *report = report_charts(&spec, findings);
        asking_record(ask, "chart");
        return asking_correct(ask, &report, "chart", "its chart is not good");
    }
    free(ask->findings);
    ask->findings = TAKE(findings);
    asking_record(ask, "ok");
    return (struct asking_next){MOVE_END, BRIDGE_ANSWERED, "", NULL};
}

static bool
failed_before(const struct bridge_ask *ask, const char *failed_line)
{
    for (size_t i = 0; i + 1 < ask->attempt_count; i++)
        if (ask->attempts[i].failed_line &&
            strcmp(ask->attempts[i].failed_line, failed_line) == 0)
            return true;
    return false;
}

static char *
failed_line(const struct bridge_ask *ask, const struct bridge_ran *ran, int line)
{
    struct slice text = report_code_line(asking_last_code(ask), line);
    AUTO(mem) char *copy = xstrndup(text.data, text.len);
    AUTO(mem) char *normal = extract_normalize(copy);

    /* Without a line the message must tell two errors of a kind apart. */
    return xasprintf("%s\n%s", ran->ename, line ? normal : ran->evalue);
}

static void
record_error(struct bridge_ask *ask, const struct bridge_ran *ran, int line)
{
    json_t *out = asking_current(ask)->record;

    asking_record(ask, ran->death ? "died" : "error");
    if (ran->death)
        json_object_set_new(out, "death", json_string(ran->death));
    if (ran->ename)
        json_object_set_new(out, "ename", json_string(ran->ename));
    if (ran->evalue)
        json_object_set_new(out, "evalue", json_string(ran->evalue));
    if (line)
        json_object_set_new(out, "line", json_integer(line));
}

struct asking_next
asking_take_run(struct bridge_ask *ask, const struct bridge_ran *ran)
{
    if (!ran->ename && !ran->death)
        return ran_well(ask, ran);

    const struct report_spec spec = asking_report_spec(ask);
    const struct report_run run = {
        .ename = ran->ename,
        .evalue = ran->evalue,
        .traceback = ran->traceback,
        .printed = ran->printed,
        .death = ran->death,
    };
    int line = report_line(ran->traceback, asking_current(ask)->code);
    record_error(ask, ran, line);
    if (ask->magic.fix && json_is_object(ran->failure)) {
        json_decref(ask->failed);
        ask->failed = json_incref((json_t *)ran->failure);
    }
    if (ran->death && ask->died++ > 0)
        return asking_give_up(ask, "died",
                              "wrote code that ends its Python process, twice");
    if (!ran->death) {
        asking_current(ask)->failed_line = failed_line(ask, ran, line);
        if (failed_before(ask, asking_current(ask)->failed_line)) {
            return asking_give_up(ask, "same_error", "ran into the same error again");
        }
    }
    char *report = report_error(&spec, &run);
    AUTO(mem) char *sentence = xasprintf(
        "its code %s%s", ran->death ? "ended its Python process" : "fails with ",
        ran->death ? "" : ran->ename);
    return asking_correct(ask, &report, ran->death ? "died" : "code_error", sentence);
}
