/*
 * version: which cellpod this is.
 *
 * The build tag differs whenever the sources differ. It is part of the name of
 * sandboxd's socket, so that a kernel never talks to a daemon of another build.
 */
#pragma once

#define CELLPOD_VERSION "0.1.0"

extern const char cellpod_build[];
