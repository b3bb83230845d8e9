#include "kernel/content/kernel_info.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>

#include "common/json_text.h"
#include "common/version.h"
#include "kernel/jupyter/session.h"

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
    AUTO(mem) char *path =
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

bool
kernel_info_guess_debugger(const char *python)
{
    const char *bin_end = strrchr(python, '/');
    AUTO(mem) char *pattern =
        xasprintf("%.*s/../lib/python3*/{site,dist}-packages/debugpy",
                  bin_end ? (int)(bin_end - python) : 0, python);
    glob_t found = {0};
    bool is_there = glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found) == 0;

    globfree(&found);
    return is_there;
}

static json_t *
features(bool has_debugger)
{
    json_t *list = json_pack("[s]", "kernel subshells");

    if (has_debugger)
        json_array_append_new(list, json_string("debugger"));
    return list;
}

static json_t *
banner(const char *python)
{
    const char *waived = getenv("CELLPOD_WAIVE");
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);

    buffer_printf(&text, "cellpod %s -- Python %s, each cell in an isolated sandbox",
                  cellpod_version, python);
    if (waived && *waived)
        buffer_printf(&text, ", WITHOUT these layers of isolation: %s", waived);
    return json_text_string(buffer_slice(&text));
}

static json_t *
language_info(const char *python)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:{s:s, s:i}, s:s, s:o}", "name", "python",
                     "mimetype", "text/x-python", "file_extension", ".py",
                     "pygments_lexer", "ipython3", "codemirror_mode", "name", "ipython",
                     "version", 3, "nbconvert_exporter", "python", "version",
                     json_text_string(slice_of(python)));
}

static json_t *
help_links(void)
{
    static const struct {
        const char *text, *url;
    } links[] = {
        {"Python Reference",     "https://docs.python.org/3/"               },
        {"IPython Reference",    "https://ipython.readthedocs.io/en/stable/"},
        {"pandas Reference",     "https://pandas.pydata.org/docs/"          },
        {"Matplotlib Reference", "https://matplotlib.org/stable/"           },
    };
    json_t *list = json_array();

    for (size_t i = 0; i < COUNT_OF(links); i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "text", links[i].text, "url", links[i].url));
    return list;
}

void
kernel_info_append(struct buffer *content, const char *python_version,
                   bool has_debugger)
{
    json_text_append(
        content, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "status", "ok",
                           "protocol_version", SESSION_PROTOCOL, "implementation",
                           "cellpod", "implementation_version", cellpod_version,
                           "language_info", language_info(python_version), "banner",
                           banner(python_version), "help_links", help_links(),
                           "supported_features", features(has_debugger)));
}
