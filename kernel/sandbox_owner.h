/*
 * sandbox_owner: what the sandbox says, and what it means to the request that waits for
 * it or runs in it.
 */
#pragma once

#include "kernel/client/sandbox.h"

struct kernel;

/* The sandbox's callbacks; context is the kernel. */
struct sandbox_owner sandbox_owner_make(struct kernel *kernel);
