/* cellpod: looks after the sandboxes of this machine, and after the machine. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/command.h"
#include "common/version.h"

#define LOG_COMPONENT "cellpod"
#include "common/log.h"

/* The text of `cellpod COMMAND --help` below its first two lines. */
static const char doctor_help[] =
    "Tests what a sandbox needs, layer by layer, with the code that sandboxes use; "
    "then\n"
    "starts a sandbox and runs a cell in it.\n"
    "\n"
    "  --json    one object: ok, checks (area, name, status, detail, remedy)\n"
    "  --walls   show what separates a cell from this machine; test nothing\n"
    "\n"
    "A check is ok, a note (worth knowing), failed, or skipped after a failure.\n"
    "Exit status: 0 if nothing failed, 1 if something did, 2 for wrong usage.\n";

static const char run_help[] =
    "The sandbox works in the current folder, as a notebook's does; the configuration\n"
    "and CELLPOD_… variables apply as they do to notebooks. FILE may be - for "
    "standard\n"
    "input.\n"
    "\n"
    "  --out DIR   save charts and other pictures there, as 001.png and so on, and\n"
    "              print their names instead of their text\n"
    "\n"
    "More options, before FILE, override the section \"sandbox\" of the "
    "configuration,\n"
    "such as --memory-mb 512; cellpod-kernel --help lists them.\n"
    "\n"
    "Exit status: that of python; 137 if the code was killed, 130 after an interrupt,\n"
    "1 if no sandbox could be made.\n";

static const char ps_help[] =
    "Shows each sandbox's ID, its owner's process, age, memory, what runs, and its\n"
    "folder.\n"
    "\n"
    "  --json   the answer of cellpod-sandboxd, unchanged\n";

static const char rm_help[] = "An ID may be shortened as long as it stays unique.\n";

static const char warm_help[] =
    "Starts cellpod-sandboxd unless it runs: it loads Python and what notebooks have\n"
    "imported, and ends when nobody has used it for CELLPOD_IDLE_EXIT_SECONDS (600).\n"
    "For a script of the session's, so that the first notebook waits for nothing.\n";

static const char cp_help[] =
    "For notebooks in a home folder, in /tmp or in a system folder, whose cells work "
    "in\na folder of their own: copies what they have written there to DEST.\n"
    "\n"
    "  cellpod cp analysis.ipynb:                  list it\n"
    "  cellpod cp analysis.ipynb:result.csv .      copy a file, or a folder\n"
    "  cellpod cp analysis.ipynb: results          copy all, into a new folder\n"
    "\n"
    "  --force   replace files that exist, and add to folders that do\n"
    "\n"
    "Links and devices are left out, and so are hidden names in a folder. Exit "
    "status:\n"
    "0 if all was copied, 1 if something was left out and said to be, 2 for wrong\n"
    "usage.\n";

static const char install_help[] =
    "Writes a kernelspec, named cellpod.\n"
    "\n"
    "  --user         for this user (default)\n"
    "  --sys-prefix   into the environment of that Python\n"
    "  --prefix DIR   into DIR/share/jupyter/kernels\n"
    "  --python PATH  the Python whose packages cells see; else CELLPOD_PYTHON,\n"
    "                 else the Python that cellpod was installed with, else python3\n";

static const char trust_help[] =
    "Of a folder in which code of a model has run: files that Python or Jupyter would\n"
    "load and that are new or changed since. Kernels reduce what is shown there until\n"
    "you have said this. Read the files first; it lists them.\n";

static const char run_usage[] = "[OPTION…] FILE [ARGUMENT…] | -c CODE [ARGUMENT…]",
                  install_usage[] =
                      "[--user | --sys-prefix | --prefix DIR] [--python PATH]";

static const struct command {
    const char *name;
    int (*run)(char **arguments);
    const char *help, *usage, *summary;
} commands[] = {
    {"doctor",  command_doctor,  doctor_help,  "[--json | --walls]",
     "check what this machine can do, and how to fix what it cannot"                                                },
    {"run",     command_run,     run_help,     run_usage,                          "run Python in a fresh sandbox"  },
    {"ps",      command_ps,      ps_help,      "[--json]",                         "list the sandboxes of this user"},
    {"rm",      command_rm,      rm_help,      "ID…",
     "end sandboxes and everything that runs in them"                                                               },
    {"cp",      command_cp,      cp_help,      "[--force] NOTEBOOK:[PATH] [DEST]",
     "list or copy what cells wrote that cannot see the notebook's folder"                                          },
    {"warm",    command_warm,    warm_help,    "",
     "load Python before the first notebook asks for it"                                                            },
    {"install", command_install, install_help, install_usage,
     "register the kernel with Jupyter"                                                                             },
    {"trust",   command_trust,   trust_help,   "[FOLDER]",
     "count what a model's code has left in a folder as yours"                                                      },
};

/* Parts of it may come from a pod, whose words are any cell's: none steers a terminal.
 */
int
command_fail(const struct error *err)
{
    fputs("cellpod: ", stderr);
    for (const char *at = err->text; *at; at++) {
        bool is_c1 = at[0] == '\xC2' && (unsigned char)at[1] >= 0x80 &&
                     (unsigned char)at[1] < 0xA0;
        if (is_c1)
            at++;
        putc(is_c1 || (iscntrl((unsigned char)*at) && *at != '\n') ? '?' : *at, stderr);
    }
    putc('\n', stderr);
    return EXIT_FAILED;
}

int
command_misused(const char *fmt, ...)
{
    va_list arguments;

    fputs("cellpod: ", stderr);
    va_start(arguments, fmt);
    vfprintf(stderr, fmt, arguments);
    va_end(arguments);
    fputs("\nTry `cellpod --help`.\n", stderr);
    return EXIT_USAGE;
}

static int
tell_all(void)
{
    puts("usage: cellpod COMMAND [ARGUMENT…]\n"
         "\n"
         "Sandboxes for Python, and the Jupyter kernel whose cells run in them.\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    puts("\n`cellpod COMMAND --help` explains a command; `cellpod --version` prints "
         "the version.");
    return EXIT_FINE;
}

static int
tell_one(const struct command *command)
{
    printf("usage: cellpod %s %s\n\n%c%s.\n\n%s", command->name, command->usage,
           command->summary[0] - 'a' + 'A', command->summary + 1, command->help);
    return EXIT_FINE;
}

static bool
is_help(const char *word)
{
    return word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
}

int
main(int argc UNUSED, char **argv)
{
    const char *word = argv[0] ? argv[1] : NULL;

    /* The libraries log only errors here; their other lines are for the kernel's log.
     */
    log_configure(getenv("CELLPOD_LOG") ? getenv("CELLPOD_LOG") : "error");
    if (!word || is_help(word))
        return word ? tell_all() : command_misused("give a command");
    if (strcmp(word, "--version") == 0)
        return version_print("cellpod");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(word, commands[i].name) == 0)
            return is_help(argv[2]) ? tell_one(&commands[i])
                                    : commands[i].run(argv + 1);
    return command_misused("unknown command `%.60s'", word);
}
