/*
 * limits: every maximum of the project, on one page.
 *
 * What a peer may send, what we keep for it, how long we wait. Tests send exactly the
 * limit and one more.
 */
#pragma once

#include "common/base.h"

enum {
    /* Jupyter messages (kernel/wire). Widgets send one buffer for each binary trait. */
    LIMIT_WIRE_FRAMES = 1024,
    LIMIT_WIRE_BYTES = 512 << 20, /* all frames of one message */
    LIMIT_WIRE_HEADER =
        64 << 10, /* kept, as the parent header of all that the request shows */

    /* What may wait in the kernel. Above the limit, the shell socket or the sandbox is
     * not read.
     */
    LIMIT_SHELL_QUEUE_BYTES = 512 << 20,
    LIMIT_IOPUB_QUEUE_BYTES = 64 << 20, /* for subscribers that are slow to read */

    LIMIT_ARCHIVE_QUEUE_BYTES = 64 << 20, /* outputs on their way to files */

    LIMIT_CONNECTION_FILE = 64 << 10,

    /* Envelopes (common/envelope), on the worker's channel and in the event stream. */
    LIMIT_ENVELOPE_LINE = 64 << 10,
    LIMIT_ENVELOPE_BUFFERS = 1024,
    LIMIT_ENVELOPE_METADATA = 1 << 20,
    LIMIT_ENVELOPE_BYTES = 256 << 20, /* content, metadata and buffers together */
    LIMIT_REQUEST_ID = 256,           /* bytes of a request's or a comm's id */

    LIMIT_JSON_DEPTH = 512,
    LIMIT_JSON_BYTES = 512 << 20, /* as long as any message */

    /* Events that sandboxd keeps for a client that reconnects. */
    LIMIT_EVENT_LOG_BYTES = 16 << 20,

    /* What a sandbox says to the kernel. Binary buffers of widgets may be larger. */
    LIMIT_OUTPUT_BYTES = 24 << 20,  /* of a content: a longer one is not even read */
    LIMIT_OUTPUT_VALUES = 1000000,  /* JSON values in a content */
    LIMIT_REDUCED_BYTES = 8 << 20,  /* of a content that is taken apart and reduced */
    LIMIT_REDUCED_VALUES = 100000,  /* likewise */
    LIMIT_IMAGE_PIXELS = 100 << 20, /* of one image that a cell shows */
    LIMIT_IMAGE_BYTES = 256 << 20,  /* of one image, decoded */
    LIMIT_CELL_IMAGES_MB = 2048,    /* of all images of a cell, decoded */
    LIMIT_HTML_BYTES = 2 << 20,     /* of one output that is reduced to tables */
    LIMIT_SANDBOXES = 1024,         /* that one sandboxd looks after */
    LIMIT_HTTP_BODY = 1 << 20,      /* of a JSON request to sandboxd's API */

    LIMIT_QUEUED_REQUESTS = 10000, /* that wait for one sandbox's worker */
    LIMIT_QUEUED_BYTES = 256 << 20,
    LIMIT_ASIDES = 64,            /* debug requests that are open at once */
    LIMIT_SUBSHELLS = 64,         /* of one kernel */
    LIMIT_BESIDES = 256,          /* requests that are open beside the one that runs */
    LIMIT_KNOWN_REQUESTS = 10000, /* ids that a worker may still name as parent */
    LIMIT_HELLO_BYTES = 64 << 10, /* of a worker's first message */
    /* What a worker says of its variables, should it die. */
    LIMIT_VARIABLES_BYTES = 8 << 10,
    LIMIT_VARIABLES = 5,
    LIMIT_IMPORTS = 32, /* names of modules, from one worker */
    LIMIT_IMPORTS_BYTES = 4 << 10,
    LIMIT_WISH_BYTES =
        64 << 10, /* of what it says to a checkpoint that takes its place */
    LIMIT_VARIABLE_NAME = 256,
    LIMIT_VARIABLE_NAMES = 20,   /* for who takes a session over */
    LIMIT_KEPT_TEXT = 512 << 10, /* printed but not yet sent, of a worker that died */
    LIMIT_CLAIM_LIST = 256,      /* mounts, variables, waivers of one claim */
    LIMIT_CLAIM_TASKS = 8,       /* by which its session may have been claimed */

    /* What a model's server may send (bridge/sse, bridge/exchange). */
    LIMIT_SSE_LINE = 1 << 20,
    LIMIT_SSE_EVENT = 4 << 20,
    LIMIT_REPLY_BYTES = 16 << 20, /* one answer, on the wire */
    LIMIT_REPLY_TEXT = 1 << 20,   /* what the model wrote in it */
    LIMIT_ERROR_BODY = 64 << 10,  /* of an HTTP error; the rest is not read */
    LIMIT_QUESTION = 32 << 10,
    LIMIT_PROFILE = 4 << 20,         /* JSON that describes the data */
    LIMIT_ASK_HELD_BYTES = 64 << 20, /* what code shows before it is known to work */
    LIMIT_CONFIG = 256 << 10,
    LIMIT_COMMAND_WORDS = 256, /* of a command that the configuration names */
    LIMIT_KEY = 4 << 10,       /* of an API key or a token */

    /* Kubernetes (kube/). An object is at most 1.5 MiB in etcd. */
    LIMIT_KUBECONFIG = 1 << 20,
    LIMIT_KUBE_PEM = 256 << 10,  /* certificates or a key */
    LIMIT_KUBE_TOKEN = 16 << 10, /* of a service account or an exec plugin */
    LIMIT_KUBE_PLUGIN = 1 << 20, /* what an exec plugin prints */
    LIMIT_KUBE_ANSWER = 4 << 20, /* an object, a list of some, an event of a watch */
    LIMIT_KUBE_MESSAGE = 300,    /* of a condition or event, as shown to the user */

    /* What one execution of an agent may show; more is dropped, and the answer says
     * so. */
    LIMIT_EXECUTION_BYTES = 32 << 20,

    /* Files of a workspace, through sandboxd's API. */
    LIMIT_LISTED_FILES = 10000,
    LIMIT_REMOVED_FILES = 100000, /* by one call */
    LIMIT_REMOVED_DEPTH = 64,
    LIMIT_TREE_NAMES = 10000, /* looked at for a list of all files */
    LIMIT_TREE_DEPTH = 16,
    LIMIT_TREE_BYTES = 2 << 20, /* of its text, before JSON escapes it */
};

#define LIMIT_FILE_BYTES ((uint64_t)8 << 30) /* one file on its way to a workspace */
