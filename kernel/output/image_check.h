/*
 * image_check_png: is this a PNG that decodes, of a size that a browser survives?
 *
 * All rows are decoded, one at a time, so that memory stays small. Pure functions.
 */
#pragma once

#include "common/error.h"

struct image_size {
    uint32_t width, height;
};

int image_check_png(struct slice bytes, struct image_size *out,
                    struct error *err) MUST_CHECK;

/* JPEG: its markers up to the frame header, for the size. */
int image_check_jpeg(struct slice bytes, struct image_size *out,
                     struct error *err) MUST_CHECK;
