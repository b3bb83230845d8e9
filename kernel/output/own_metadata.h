/*
 * own_metadata: metadata.cellpod of an output is the kernel's to write.
 *
 * By it notebooks tell which question an output answers, and who wrote its code. What a
 * sandbox says there is taken out. Pure function.
 */
#pragma once

#include "common/buffer.h"

/* True if there was some: *out is then the content without it. `content` has passed
 * json_check_object. */
bool own_metadata_strip(struct slice content, struct buffer *out);

/* The same of the metadata itself, as beside a message's content. */
bool own_metadata_strip_bare(struct slice metadata, struct buffer *out);
