/*
 * display: what a cell shows, checked before a person sees it.
 *
 * Images are decoded; PNGs get their width and height as metadata, unless they came
 * with their own (retina). An image that does not decode is taken out of the bundle and
 * the reason told. Displays without images are not touched. Pure functions.
 */
#pragma once

#include "common/buffer.h"

enum display_verdict {
    DISPLAY_AS_IT_IS,
    DISPLAY_REWRITTEN, /* show *out instead */
};

/* content: of a display_data, update_display_data or execute_result that has passed
 * json_scan_check. budget: bytes that its images may still have when they are decoded;
 * what they have is taken off. complaint: text for the cell's stderr, empty if there is
 * none. */
enum display_verdict display_check(struct slice content, uint64_t *budget,
                                   struct buffer *out, struct buffer *complaint);
