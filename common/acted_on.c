#include "common/acted_on.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>

/* Patterns of fnmatch(3), and what acts on them. sandbox/isolate/protect.c has what of
 * this is there when a sandbox starts. A slash at the end: as a folder only. */
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

static bool
matches(const char *pattern, const char *name, bool may_be_folder)
{
    char folder[NAME_MAX + 2];

    if (fnmatch(pattern, name, 0) == 0)
        return true;
    (void)snprintf(folder, sizeof(folder), "%s/", name);
    return may_be_folder && fnmatch(pattern, folder, 0) == 0;
}

const char *
acted_on_reason(const char *name, bool may_be_folder)
{
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (matches(names[i].pattern, name, may_be_folder))
            return names[i].reason;
    return NULL;
}
