/*
 * sandbox_owner: what news from the sandbox means for the request that waits for it or
 * runs in it.
 */
#pragma once

#include "kernel/client/sandbox.h"

struct kernel;

/* The sandbox's callbacks; context is the kernel. */
struct sandbox_owner sandbox_owner_make(struct kernel *kernel);
