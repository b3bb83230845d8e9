/*
 * image_check_png: is this a PNG that decodes, of a size that a browser survives?
 *
 * All rows are decoded, one at a time, so that memory stays small; texts, profiles and
 * other chunks beside the picture are skipped as they are. A megabyte may decode to a
 * thousand: so the header is held against a limit and against what is left of the
 * caller's budget before anything is decoded. Pure functions.
 */
#pragma once

#include "common/error.h"

struct image_size {
    uint32_t width, height;
};

/* budget: decoded bytes; what this image takes is taken off. */
int image_check_png(struct slice bytes, uint64_t *budget, struct image_size *out,
                    struct error *err) MUST_CHECK;

/* JPEG: its markers up to the frame header, for the size. Nothing is decoded. */
int image_check_jpeg(struct slice bytes, uint64_t *budget, struct image_size *out,
                     struct error *err) MUST_CHECK;
