#include "common/version.h"

#ifndef CELLPOD_BUILD
#define CELLPOD_BUILD "unknown"
#endif

const char cellpod_build[] = CELLPOD_BUILD;
