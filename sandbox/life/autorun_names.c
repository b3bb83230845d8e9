#include "sandbox/life/autorun_names.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <unistd.h>

enum {
    SLICE = 2000, /* entries of the folder that are looked at in one go: some ms */
    MAX_SLICES = 2000,
    MAX_SEEN = 1000, /* names that are remembered */
    MAX_TOLD = 6,
};

/* Patterns of fnmatch(3), and what acts on them. isolate/protect.c has what of this is
 * there at the start. A slash at the end: as a folder only. */
static const struct {
    const char *pattern, *reason;
} names[] = {
    {".devcontainer",        "editors build and run it"                 },
    {".env",                 "programs take their environment from it"  },
    {".envrc",               "direnv runs it in a shell's prompt"       },
    {".gdbinit",             "gdb runs it"                              },
    {".git",                 "git and prompts run what its settings say"},
    {".hg",                  "hg runs its hooks"                        },
    {".idea",                "PyCharm runs its configurations"          },
    {".jj",                  "jj runs what its settings say"            },
    {".mise.toml",           "mise runs it in a shell's prompt"         },
    {".pdbrc",               "pdb runs it"                              },
    {".tool-versions",       "asdf chooses programs by it"              },
    {".vscode",              "VS Code runs its tasks and settings"      },
    {".~*.ipynb/",           "Jupyter cannot save while it is there"    },
    {"*.code-workspace",     "VS Code runs its tasks and settings"      },
    {"*.desktop",            "file managers start what it names"        },
    {"*.pth",                "Python runs its lines at a start"         },
    {"GNUmakefile",          "make runs it"                             },
    {"Makefile",             "make runs it"                             },
    {"makefile",             "make runs it"                             },
    {"Justfile",             "just runs it"                             },
    {"justfile",             "just runs it"                             },
    {"conftest.py",          "pytest runs it"                           },
    {"noxfile.py",           "nox runs it"                              },
    {"setup.py",             "pip runs it"                              },
    {"pyvenv.cfg",           "Python takes the folder for its own"      },
    {"sitecustomize.py",     "Python runs it at its start"              },
    {"usercustomize.py",     "Python runs it at its start"              },
    {"jupyter_*config.py",   "Jupyter runs it when started here"        },
    {"jupyter_*config.json", "Jupyter reads it when started here"       },
    {"ipython_*config.py",   "IPython runs it when started here"        },
};

/* Whether a pattern is of this entry; a type that is not known may be a folder's. */
static bool
matches(const char *pattern, const struct dirent *entry)
{
    char folder[sizeof(entry->d_name) + 1];

    if (fnmatch(pattern, entry->d_name, 0) == 0)
        return true;
    (void)snprintf(folder, sizeof(folder), "%s/", entry->d_name);
    return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
           fnmatch(pattern, folder, 0) == 0;
}

/* What makes an entry one of these, in words; NULL: nothing does. */
static const char *
reason_for(const struct dirent *entry)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (matches(names[i].pattern, entry))
            return names[i].reason;
    return NULL;
}

/* Of a pattern's name a part is the cell's own choice. */
static void
append_name(struct buffer *text, const char *name)
{
    for (size_t i = 0; name[i] && i < 60; i++) {
        const unsigned char c = (unsigned char)name[i];
        buffer_append(text, c < 0x20 || c >= 0x7F ? "?" : name + i, 1);
    }
}

static void
append_news(struct buffer *text, const char *name, const char *reason, unsigned count)
{
    if (count > MAX_TOLD)
        return;
    buffer_append_text(text, count > 1 ? ", " : "New in the notebook's folder: ");
    if (count == MAX_TOLD) {
        buffer_append_text(text, "and more");
        return;
    }
    append_name(text, name);
    buffer_printf(text, " (%s)", reason);
}

/* True if this name has not been here before. */
static bool
is_new(struct autorun_names *state, const char *name)
{
    if (json_object_get(state->seen, name) || json_object_size(state->seen) >= MAX_SEEN)
        return false;
    return json_object_set_new(state->seen, name, json_true()) == 0;
}

/* A folder that has not changed has no new names. */
static bool
has_changed(struct autorun_names *state, int fd)
{
    struct stat status;

    if (fstat(fd, &status) < 0 || (status.st_ctim.tv_sec == state->changed.tv_sec &&
                                   status.st_ctim.tv_nsec == state->changed.tv_nsec))
        return false;
    state->changed = status.st_ctim;
    return true;
}

bool
autorun_names_look(struct autorun_names *state, int folder)
{
    AUTO(fd) int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (!state->seen || state->listing || fd < 0 || !has_changed(state, fd) ||
        !(state->listing = fdopendir(fd)))
        return false;
    fd = -1; /* the listing's */
    state->slices = state->count = 0;
    return true;
}

bool
autorun_names_go_on(struct autorun_names *state)
{
    const struct dirent *entry = NULL;

    if (!state->listing)
        return false;
    for (int i = 0; i < SLICE && (entry = readdir(state->listing)); i++) {
        const char *reason = reason_for(entry);
        if (reason && is_new(state, entry->d_name))
            append_news(&state->text, entry->d_name, reason, ++state->count);
    }
    if (entry && ++state->slices < MAX_SLICES)
        return true;
    closedir(TAKE(state->listing));
    return false;
}

bool
autorun_names_is_looking(const struct autorun_names *state)
{
    return state->listing != NULL;
}

void
autorun_names_begin(struct autorun_names *state, int folder)
{
    autorun_names_release(state);
    state->text = (struct buffer)BUFFER_INIT(SIZE_MAX);
    state->seen = json_object();
    autorun_names_look(state, folder);
}

char *
autorun_names_news(struct autorun_names *state)
{
    AUTO(buffer) struct buffer text = state->text;

    state->text = (struct buffer)BUFFER_INIT(SIZE_MAX);
    if (!text.len)
        return NULL;
    buffer_append_text(&text,
                       ". Look at what a cell has put there before you use a shell, an "
                       "editor, Python or Jupyter in that folder.");
    return TAKE(text.data);
}

void
autorun_names_release(struct autorun_names *state)
{
    if (state->listing)
        closedir(state->listing);
    buffer_release(&state->text);
    json_decref(state->seen);
    *state = (struct autorun_names){0};
}
