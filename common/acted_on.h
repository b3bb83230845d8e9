/*
 * acted_on: names in a folder that programs of its owner act on by themselves.
 */
#pragma once

#include "common/base.h"

/* What acts on an entry of this name, in words; NULL: nothing does. Some names count
 * only as a folder's. */
const char *acted_on_reason(const char *name, bool may_be_folder);
