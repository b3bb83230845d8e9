/*
 * bundle: what runsc runs: a folder with an OCI configuration, for one sandboxd in pod
 * mode (isolation.md, "In a pod"). See https://github.com/opencontainers/runtime-spec
 * for the file's form.
 */
#pragma once

#include "common/error.h"

struct bundle_spec {
    const char *folder;    /* exists, is empty and ours alone; the bundle's place */
    const char *sockets;   /* a folder in it, where sandboxd makes its socket */
    const char *python;    /* absolute */
    const char *workspace; /* the user's folder, at /workspace; NULL: a private one */
    bool is_rootless;      /* runsc runs for an ordinary user */
    const char *notice;    /* for the first cell; NULL: none */
};

#define BUNDLE_SOCKETS "/run/cellpod" /* where spec.sockets is inside */

/* Writes FOLDER/config.json and what it names. ERR_BAD_INPUT when the Python or the
 * workspace is none. */
int bundle_write(const struct bundle_spec *spec, struct error *err) MUST_CHECK;
