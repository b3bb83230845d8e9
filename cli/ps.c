/* cellpod ps, cellpod rm: the sandboxes of this user. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/daemon.h"

/* No daemon, no sandboxes: *list is empty then, and *daemon NULL. */
static int
list_sandboxes(struct daemon **daemon, json_t **list, struct error *err)
{
    json_auto_t *answer = NULL;
    struct daemon_request request = {.method = "GET", .path = "/v1/sandboxes"};

    if (daemon_open(daemon, false, err) < 0) {
        *list = json_array();
        return err->kind == ERR_NOT_FOUND ? 0 : -1;
    }
    if (daemon_call(*daemon, &request, &answer, err) < 0)
        return -1;
    *list = json_incref(json_object_get(answer, "sandboxes"));
    return json_is_array(*list) ? 0
                                : error_set(err, ERR_UNAVAILABLE,
                                            "cellpod-sandboxd did not send a list");
}

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "-";
}

static void
print_age(json_int_t ms)
{
    json_int_t s = ms / 1000;

    if (s < 60)
        printf("%5llds ", s);
    else if (s < 3600)
        printf("%3lldm%02lld ", s / 60, s % 60);
    else
        printf("%3lldh%02lld ", s / 3600, s / 60 % 60);
}

static void
print_sandbox(const json_t *sandbox)
{
    const json_t *running = json_object_get(sandbox, "running");
    const json_t *memory =
        json_object_get(json_object_get(sandbox, "usage"), "memory_bytes");
    const json_t *owner = json_object_get(json_object_get(sandbox, "owner"), "pid");
    const json_t *kept = json_object_get(sandbox, "kept");
    const char *state = text_of(sandbox, "state");

    if (kept)
        printf("%-12.12s %7s ", text_of(sandbox, "id"), "kept");
    else
        printf("%-12.12s %7lld ", text_of(sandbox, "id"), json_integer_value(owner));
    print_age(json_integer_value(json_object_get(sandbox, "age_ms")));
    printf("%6.0fM  %-16.16s %s\n", json_number_value(memory) / (1 << 20),
           running                       ? text_of(running, "type")
           : strcmp(state, "ready") == 0 ? "idle"
                                         : state,
           text_of(sandbox, "workspace"));
}

static int
print_json(json_t *list)
{
    json_auto_t *all = json_pack("{s:O}", "sandboxes", list);

    json_dumpf(all, stdout, JSON_INDENT(2));
    puts("");
    return EXIT_FINE;
}

int
command_ps(char **arguments)
{
    AUTO(daemon) struct daemon *daemon = NULL;
    json_auto_t *list = NULL;
    bool wants_json = arguments[1] && strcmp(arguments[1], "--json") == 0;
    struct error err;
    size_t i;
    json_t *sandbox;

    if (arguments[1] && (!wants_json || arguments[2]))
        return command_misused("ps: unknown option `%.60s'",
                               arguments[wants_json ? 2 : 1]);
    if (list_sandboxes(&daemon, &list, &err) < 0)
        return command_fail(&err);
    if (wants_json)
        return print_json(list);
    puts("ID             OWNER    AGE  MEMORY  RUNS             FOLDER");
    json_array_foreach (list, i, sandbox)
        print_sandbox(sandbox);
    return EXIT_FINE;
}

/* The one whose id begins so. */
static const char *
find(const json_t *list, const char *beginning, struct error *err)
{
    const char *found = NULL;
    size_t i;
    json_t *sandbox;

    json_array_foreach (list, i, sandbox) {
        const char *id = text_of(sandbox, "id");
        if (strncmp(id, beginning, strlen(beginning)) != 0)
            continue;
        if (found) {
            error_format(err, ERR_BAD_INPUT, "several sandboxes begin with `%.60s'",
                         beginning);
            return NULL;
        }
        found = id;
    }
    if (!found)
        error_format(err, ERR_NOT_FOUND, "no sandbox begins with `%.60s'", beginning);
    return found;
}

static int
end(struct daemon *daemon, const json_t *list, const char *beginning, struct error *err)
{
    const char *id = find(list, beginning, err);
    json_auto_t *answer = NULL;

    if (!id)
        return -1;
    AUTO(mem) char *path = xasprintf("/v1/sandboxes/%s", id);
    return daemon_call(daemon,
                       &(struct daemon_request){.method = "DELETE", .path = path},
                       &answer, err);
}

int
command_rm(char **arguments)
{
    AUTO(daemon) struct daemon *daemon = NULL;
    json_auto_t *list = NULL;
    struct error err;
    int status = EXIT_FINE;

    if (!arguments[1])
        return command_misused("rm: give the ID of a sandbox");
    for (char **id = arguments + 1; *id; id++)
        if ((*id)[0] == '-' || !(*id)[0])
            return command_misused("rm: `%.60s' is not the ID of a sandbox", *id);
    if (list_sandboxes(&daemon, &list, &err) < 0)
        return command_fail(&err);
    for (char **id = arguments + 1; *id; id++)
        if (end(daemon, list, *id, &err) < 0)
            status = command_fail(&err);
    return status;
}
