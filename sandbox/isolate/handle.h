/*
 * handle: a descriptor for a process, to be handed to sandboxd
 * (sandbox/resources/process.h): a pidfd, or its folder in /proc where the kernel has
 * none (gVisor).
 */
#pragma once

#include <sys/types.h>

int handle_open(pid_t pid); /* -1 with errno */
