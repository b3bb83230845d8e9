/*
 * carrying: when the notebook's folder travels (kernel/carry/carry.h): to a sandbox
 * that is elsewhere before each cell, and back at its end, before its reply.
 */
#pragma once

#include "kernel/carry/carry.h"

struct kernel;

struct carrying {
    struct carry carry;
    bool is_holding; /* the reply below, until what the cell has written is here */
    struct buffer content, metadata;
};

void carrying_init(struct kernel *kernel);
void carrying_release(struct carrying *carrying);
/* With each claim; the sandbox before is gone. */
void carrying_configure(struct kernel *kernel);
void carrying_lose(struct kernel *kernel);

/* Where cells' files are beside the notebook; NULL: they are not. */
const char *carrying_folder(const struct kernel *kernel);

/* True: files are on their way, and execution_send is called again once they are
 * there. */
bool carrying_is_before(struct kernel *kernel);
/* True: the reply is held, and execution_end is called with it once the files are
 * here. */
bool carrying_is_after(struct kernel *kernel, struct slice content,
                       struct slice metadata);
/* The request is over, whatever its reply was to be. */
void carrying_end(struct carrying *carrying);
/* The user does not wait for the files: the cell ends, they come behind it. */
bool carrying_interrupt(struct kernel *kernel);
