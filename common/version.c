#include "common/version.h"

#include <stdio.h>

#ifndef CELLPOD_BUILD
#define CELLPOD_BUILD "unknown"
#endif
#ifndef CELLPOD_VERSION
#define CELLPOD_VERSION "0.0.0"
#endif

const char cellpod_version[] = CELLPOD_VERSION;
const char cellpod_build[] = CELLPOD_BUILD;
const char cellpod_user_agent[] = "cellpod/" CELLPOD_VERSION;

int
version_print(const char *program)
{
    return printf("%s %s (%s)\n", program, cellpod_version, cellpod_build) < 0;
}
