#include "cli/reached.h"

#include <libgen.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "common/reach_name.h"

enum {
    MAX_KERNELS = 1000,
    MAX_TOLD = 16 << 10,
    PATIENCE_S = 5,
};

/* What is looked for: a folder, and in it one notebook or any. */
struct wish {
    char *folder, *notebook;
};

static void
auto_wish(struct wish *wish)
{
    free(wish->folder);
    free(wish->notebook);
}

static void
make_wish(const char *given, struct wish *out)
{
    AUTO(mem) char *above = xstrdup(given);
    AUTO(mem) char *last = xstrdup(given);
    struct stat st;
    bool is_folder = stat(given, &st) == 0 && S_ISDIR(st.st_mode);

    out->folder = realpath(is_folder ? given : dirname(above), NULL);
    out->notebook = is_folder ? NULL : xstrdup(basename(last));
}

/* --- asking --- */

static int
connect_to(pid_t kernel)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un address;
    const socklen_t len = reach_address(&address, geteuid(), kernel);
    AUTO(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, len) < 0 ||
        !reach_is_ours(fd))
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return take_fd(&fd);
}

/* NULL: nobody is there, or says nothing that can be read. */
static json_t *
ask(pid_t kernel)
{
    AUTO(fd) int fd = connect_to(kernel);
    AUTO(mem) char *text = xcalloc(1, MAX_TOLD);
    size_t len = 0;
    ssize_t got = 1;

    while (fd >= 0 && got > 0 && len < MAX_TOLD)
        if ((got = read(fd, text + len, MAX_TOLD - len)) > 0)
            len += (size_t)got;
    return len && got == 0 ? json_loadb(text, len, 0, NULL) : NULL;
}

/* A kernel that was not told its notebook's name may be that of any in its folder. */
static bool
fits(const struct wish *wish, const json_t *told)
{
    const char *folder = json_string_value(json_object_get(told, "folder"));
    const char *notebook = json_string_value(json_object_get(told, "notebook"));

    if (!folder || strcmp(folder, wish->folder) != 0)
        return false;
    return !wish->notebook || !notebook || strcmp(notebook, wish->notebook) == 0;
}

/* --- all of them --- */

/* The kernel that a line of /proc/net/unix is about; 0: none of this user's. */
static pid_t
kernel_of(const char *line)
{
    AUTO(mem) char *prefix = xasprintf(" @" REACH_PREFIX, geteuid());
    const char *at = strstr(line, prefix);

    return at ? (pid_t)strtol(at + strlen(prefix), NULL, 10) : 0;
}

/* An array of what fits. */
static json_t *
ask_all(const struct wish *wish)
{
    json_t *found = json_array();
    FILE *sockets = fopen("/proc/net/unix", "re");
    char line[512];

    for (size_t asked = 0;
         sockets && asked < MAX_KERNELS && fgets(line, sizeof(line), sockets);) {
        const pid_t kernel = kernel_of(line);
        json_auto_t *told = kernel > 0 ? ask(kernel) : NULL;
        asked += kernel > 0;
        if (told && fits(wish, told))
            json_array_append(found, told);
    }
    if (sockets)
        fclose(sockets);
    return found;
}

static int
take(const json_t *told, const char *given, struct reached *out, struct error *err)
{
    const char *url = json_string_value(json_object_get(told, "url"));

    if (!url)
        return error_set(err, ERR_UNAVAILABLE,
                         "the cells of %s have no sandbox yet: run one first", given);
    *out = (struct reached){.url = xstrdup(url),
                            .headers = json_incref(json_object_get(told, "headers")),
                            .name = xstrdup(given)};
    return 1;
}

int
reached_find(const char *notebook, struct reached *out, struct error *err)
{
    AUTO(wish) struct wish wish = {0};

    *out = (struct reached){0};
    make_wish(notebook, &wish);
    if (!wish.folder)
        return 0;
    json_auto_t *found = ask_all(&wish);
    if (json_array_size(found) > 1)
        return error_set(
            err, ERR_CONFLICT,
            "%zu kernels run notebooks of %s: name the notebook, or end the "
            "others",
            json_array_size(found), notebook);
    return json_array_size(found) ? take(json_array_get(found, 0), notebook, out, err)
                                  : 0;
}

void
reached_release(struct reached *reached)
{
    free(reached->url);
    json_decref(reached->headers);
    free(reached->name);
    *reached = (struct reached){0};
}
