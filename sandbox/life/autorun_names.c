#include "sandbox/life/autorun_names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "common/buffer.h"

/* Nobody has to name these for them to run something: being in the folder, or opening
 * it, is enough. At most 32. */
static const char *const names[] = {
    ".devcontainer",
    ".env",
    ".envrc",
    ".gdbinit",
    ".git",
    ".hg",
    ".idea",
    ".jj",
    ".mise.toml",
    ".pdbrc",
    ".tool-versions",
    ".vscode",
    "jupyter_config.json",
    "jupyter_config.py",
    "jupyter_lab_config.json",
    "jupyter_lab_config.py",
    "jupyter_notebook_config.json",
    "jupyter_notebook_config.py",
    "jupyter_server_config.json",
    "jupyter_server_config.py",
    "sitecustomize.py",
    "usercustomize.py",
};

static uint32_t
those_in(int folder)
{
    struct stat status;
    uint32_t found = 0;

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (fstatat(folder, names[i], &status, AT_SYMLINK_NOFOLLOW) == 0)
            found |= 1U << i;
    return found;
}

void
autorun_names_begin(struct autorun_names *traps, int folder)
{
    traps->seen = those_in(folder);
}

char *
autorun_names_look(struct autorun_names *traps, int folder)
{
    AUTO(buffer) struct buffer text = BUFFER_INIT(SIZE_MAX);
    uint32_t there = those_in(folder), news = there & ~traps->seen;

    traps->seen = there;
    if (!news)
        return NULL;
    buffer_append_text(&text, "New in the notebook's folder: ");
    for (uint32_t rest = news; rest; rest &= rest - 1)
        buffer_printf(&text, "%s%s", rest == news ? "" : ", ",
                      names[__builtin_ctz(rest)]);
    buffer_append_text(&text, ". Some programs act on such names by themselves: "
                              "inspect it before you use a shell or an editor there.");
    return TAKE(text.data);
}
