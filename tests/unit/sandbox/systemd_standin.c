/*
 * systemd_standin BUS FOLDER UID MANNER: a stand-in for the systemd of a user, on a
 * real bus, spoken to by the real busctl. It knows one call, StartTransientUnit, as
 * systemd's D-Bus interface documents it (org.freedesktop.systemd1(5)): a scope is a
 * new folder in FOLDER, a control group, that belongs to UID and has the process that
 * the call names. As systemd does, it answers with a job first and moves the process
 * then.
 *
 * MANNER: lends; refuses; keeps (it answers, and moves nobody); silent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static const char *folder, *manner;
static uid_t owner;

static int
write_to(const char *group, const char *file, uint32_t number)
{
    char path[8192];

    snprintf(path, sizeof(path), "%s/%s", group, file);
    FILE *out = fopen(path, "we");
    if (!out)
        return -1;
    fprintf(out, "%u\n", number);
    return fclose(out);
}

static void
give(const char *group, const char *file)
{
    char path[8192];

    snprintf(path, sizeof(path), "%s%s%s", group, *file ? "/" : "", file);
    if (chown(path, owner, owner) < 0)
        perror(path);
}

static void
lend(const char *name, uint32_t pid, int is_delegated)
{
    char group[4096];

    snprintf(group, sizeof(group), "%s/%s", folder, name);
    if (mkdir(group, 0755) < 0)
        perror(group);
    if (is_delegated) {
        give(group, "");
        give(group, "cgroup.procs");
    }
    if (write_to(group, "cgroup.procs", pid) < 0)
        perror(group);
}

/* a(sv): the two that matter here, and what is to be text. */
static int
read_property(sd_bus_message *message, uint32_t *pid, int *is_delegated)
{
    const char *key, *type;
    const uint32_t *pids = NULL;
    size_t size = 0;
    int r = sd_bus_message_read(message, "s", &key);

    if (r < 0 || (r = sd_bus_message_peek_type(message, NULL, &type)) < 0 ||
        (r = sd_bus_message_enter_container(message, 'v', type)) < 0)
        return r;
    if (strcmp(key, "PIDs") == 0 && strcmp(type, "au") == 0) {
        r = sd_bus_message_read_array(message, 'u', (const void **)&pids, &size);
        *pid = r >= 0 && size == sizeof(*pids) ? *pids : 0;
    } else if (strcmp(key, "Delegate") == 0 && strcmp(type, "b") == 0)
        r = sd_bus_message_read(message, "b", is_delegated);
    else if (strcmp(type, "s") == 0)
        r = sd_bus_message_skip(message, "s");
    else
        return -EINVAL;
    return r < 0 ? r : sd_bus_message_exit_container(message);
}

static int
read_properties(sd_bus_message *message, uint32_t *pid, int *is_delegated)
{
    int r = sd_bus_message_enter_container(message, 'a', "(sv)");

    while (r >= 0 && (r = sd_bus_message_enter_container(message, 'r', "sv")) > 0) {
        r = read_property(message, pid, is_delegated);
        if (r >= 0)
            r = sd_bus_message_exit_container(message);
    }
    return r < 0 ? r : sd_bus_message_exit_container(message);
}

static int
start_unit(sd_bus_message *message, void *context, sd_bus_error *error)
{
    const char *name, *mode;
    uint32_t pid = 0;
    int is_delegated = 0;
    int r = sd_bus_message_read(message, "ss", &name, &mode);

    (void)context;
    if (strcmp(manner, "silent") == 0)
        return 1;
    if (r < 0 || (r = read_properties(message, &pid, &is_delegated)) < 0)
        return r;
    if (strcmp(manner, "refuses") == 0 || strcmp(mode, "fail") != 0 || !pid)
        return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "Not for you");
    r = sd_bus_reply_method_return(message, "o", "/org/freedesktop/systemd1/job/1");
    sd_bus_flush(sd_bus_message_get_bus(message));
    if (strcmp(manner, "lends") == 0)
        lend(name, pid, is_delegated);
    return r;
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("StartTransientUnit", "ssa(sv)a(sa(sv))", "o", start_unit,
                  SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

int
main(int argc, char **argv)
{
    sd_bus *bus = NULL;

    if (argc != 5 || sd_bus_new(&bus) < 0)
        return 2;
    folder = argv[2];
    owner = (uid_t)strtoul(argv[3], NULL, 10);
    manner = argv[4];
    /* A bus takes its own user's connections only; the groups are root's. */
    if (seteuid(owner) < 0 || sd_bus_set_address(bus, argv[1]) < 0 ||
        sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_start(bus) < 0 ||
        sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/systemd1",
                                 "org.freedesktop.systemd1.Manager", methods,
                                 NULL) < 0 ||
        sd_bus_request_name(bus, "org.freedesktop.systemd1", 0) < 0 || seteuid(0) < 0) {
        perror("systemd_standin");
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while (sd_bus_wait(bus, UINT64_MAX) >= 0)
        while (sd_bus_process(bus, NULL) > 0)
            continue;
    return 0;
}
