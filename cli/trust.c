/* cellpod trust: files that a model's code may have made count as the user's own. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "kernel/output/folder_trust.h"

static void
print_name(const char *name)
{
    fputs("  ", stdout);
    for (; *name; name++)
        putchar((unsigned char)*name < 0x20 || *name == 0x7F ? '?' : *name);
    putchar('\n');
}

int
command_trust(char **arguments)
{
    const char *given = arguments[1] ? arguments[1] : ".";
    struct error err;
    size_t i;
    json_t *name;

    if (arguments[1] && (arguments[1][0] == '-' || arguments[2]))
        return command_misused("trust: give one folder, or none for this one");
    AUTO(mem) char *folder = realpath(given, NULL);
    json_auto_t *files = NULL;
    if (!folder)
        (void)error_sys(&err, "find %s", given);
    if (!folder || folder_trust_forget(folder, &files, &err) < 0)
        return command_fail(&err);
    if (!json_array_size(files)) {
        printf("%s: there is nothing that a model's code has left.\n", folder);
        return EXIT_FINE;
    }
    printf("%s: these files count as yours from now on:\n", folder);
    json_array_foreach (files, i, name)
        print_name(json_string_value(name));
    return EXIT_FINE;
}
