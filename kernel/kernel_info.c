#include "kernel/kernel_info.h"

#include <limits.h>
#include <stdio.h>

#include "common/version.h"
#include "kernel/kernel.h"

static size_t
version_len(const char *text)
{
    return strspn(text, "0123456789.");
}

/* "version = 3.11.2" of the folder above python's; empty if there is none. */
static char *
version_of_venv(const char *python)
{
    const char *bin_end = strrchr(python, '/');
    AUTO(mem)
    char *path =
        xasprintf("%.*s/../pyvenv.cfg", bin_end ? (int)(bin_end - python) : 0, python);
    FILE *file = fopen(path, "re");
    char line[512];
    char *found = NULL;

    while (file && !found && fgets(line, sizeof(line), file)) {
        const char *value = strchr(line, '=');
        if (value && strncmp(line, "version", 7) == 0)
            value += 1 + strspn(value + 1, " ");
        else
            value = NULL;
        if (value && version_len(value))
            found = xstrndup(value, version_len(value));
    }
    if (file)
        fclose(file);
    return found;
}

/* …/python3.11, behind all symbolic links */
static char *
version_of_name(const char *python)
{
    AUTO(mem) char *real = realpath(python, NULL);
    const char *name = real ? strrchr(real, '/') : NULL;

    if (!name || strncmp(name, "/python", 7) != 0 || !version_len(name + 7))
        return NULL;
    return xstrndup(name + 7, version_len(name + 7));
}

char *
kernel_info_guess_python(const char *python)
{
    char *version = version_of_venv(python);

    if (!version)
        version = version_of_name(python);
    return version ? version : xstrdup("3");
}

static void
append_banner(struct buffer *out, const char *python)
{
    const char *waived = getenv("CELLPOD_WAIVE");
    AUTO(buffer) struct buffer banner = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&banner, "cellpod %s -- Python %s, each cell in an isolated sandbox",
                  cellpod_version, python);
    if (waived && *waived)
        buffer_printf(&banner, ", WITHOUT these layers of isolation: %s", waived);
    buffer_append_json_string(out, buffer_slice(&banner));
}

int
kernel_info_handle(struct kernel *kernel, struct request *request,
                   struct error *err UNUSED)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(
        &content, "{\"status\":\"ok\",\"protocol_version\":\"" SESSION_PROTOCOL "\","
                  "\"implementation\":\"cellpod\","
                  "\"implementation_version\":\"");
    buffer_append_text(&content, cellpod_version);
    buffer_append_text(
        &content,
        "\",\"language_info\":{\"name\":\"python\",\"mimetype\":\"text/x-python\","
        "\"file_extension\":\".py\",\"pygments_lexer\":\"ipython3\","
        "\"codemirror_mode\":{\"name\":\"ipython\",\"version\":3},"
        "\"nbconvert_exporter\":\"python\",\"version\":");
    buffer_append_json_string(&content, slice_of(kernel->python_version));
    buffer_append_text(&content, "},\"banner\":");
    append_banner(&content, kernel->python_version);
    buffer_append_text(
        &content,
        ",\"help_links\":["
        "{\"text\":\"Python Reference\",\"url\":\"https://docs.python.org/3/\"},"
        "{\"text\":\"IPython Reference\","
        "\"url\":\"https://ipython.readthedocs.io/en/stable/\"},"
        "{\"text\":\"pandas Reference\","
        "\"url\":\"https://pandas.pydata.org/docs/\"},"
        "{\"text\":\"Matplotlib Reference\","
        "\"url\":\"https://matplotlib.org/stable/\"}],"
        "\"supported_features\":[]}");
    dispatch_reply(kernel, request, buffer_slice(&content), SLICE(""));
    return 0;
}
