/*
 * chart: pixels as matplotlib's Agg renderer leaves them, to a PNG.
 *
 * Loaded by the zygote through ctypes (sandbox/worker/cellpod/charts.py). Knows nothing
 * of figures, and never fails by more than a return value: it runs in the user's
 * process.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Encode width x height pixels of 4 bytes (R, G, B, A; not premultiplied), whose rows
 * begin stride bytes apart. Opaque pictures are stored without their alpha channel.
 * `dpi` is noted in the file if it is positive. Returns 0, and *out is the caller's to
 * chart_free(); or -1: empty, larger than LIMIT_IMAGE_PIXELS, or no memory.
 */
int chart_encode_png(const uint8_t *rgba, uint32_t width, uint32_t height,
                     size_t stride, double dpi, uint8_t **out, size_t *out_len)
    __attribute__((warn_unused_result));
void chart_free(uint8_t *png);
