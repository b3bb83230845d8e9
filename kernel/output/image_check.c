#include "kernel/output/image_check.h"

#include <png.h>
#include <stdio.h>

#include "common/limits.h"

#define LONGEST_SIDE 1000000

struct decoding {
    struct image_size size;
    uint64_t *budget;
    uint64_t rows_missing; /* libpng is content with an image that lacks some */
    bool is_complete;
    struct error limit; /* the one that was passed */
    bool is_over;
    char why[128];
};

static void
on_error(png_structp png, png_const_charp text)
{
    struct decoding *decoding = png_get_error_ptr(png);

    snprintf(decoding->why, sizeof(decoding->why), "%s", text);
    png_longjmp(png, 1);
}

static void
on_warning(png_structp png UNUSED, png_const_charp text UNUSED)
{
}

/* Of all passes, if it is interlaced. */
static uint64_t
count_rows(png_structp png, png_infop info, struct image_size size)
{
    uint64_t rows = 0;

    if (png_get_interlace_type(png, info) == PNG_INTERLACE_NONE)
        return size.height;
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
        if (PNG_PASS_COLS(size.width, pass) > 0)
            rows += PNG_PASS_ROWS(size.height, pass);
    return rows;
}

static int
check_size(struct image_size size, struct error *err)
{
    if ((uint64_t)size.width * size.height <= LIMIT_IMAGE_PIXELS)
        return 0;
    return error_set(err, ERR_TOO_LARGE, "%u x %u pixels, at most %d are shown",
                     size.width, size.height, LIMIT_IMAGE_PIXELS);
}

static int
take_budget(struct decoding *decoding, uint64_t row_bytes)
{
    const uint64_t bytes = row_bytes * decoding->size.height;

    if (bytes > LIMIT_IMAGE_BYTES)
        return error_set(&decoding->limit, ERR_TOO_LARGE,
                         "decoded it takes %llu MiB, at most %d are shown",
                         (unsigned long long)bytes >> 20, LIMIT_IMAGE_BYTES >> 20);
    if (bytes > *decoding->budget)
        return error_set(&decoding->limit, ERR_TOO_LARGE,
                         "decoded, the pictures of this cell take over %d MiB",
                         LIMIT_CELL_IMAGES_MB);
    *decoding->budget -= bytes;
    return 0;
}

static void
on_header(png_structp png, png_infop info)
{
    struct decoding *decoding = png_get_progressive_ptr(png);

    decoding->size.width = png_get_image_width(png, info);
    decoding->size.height = png_get_image_height(png, info);
    if (check_size(decoding->size, &decoding->limit) < 0 ||
        take_budget(decoding, png_get_rowbytes(png, info)) < 0) {
        decoding->is_over = true;
        png_error(png, "over a limit");
    }
    decoding->rows_missing = count_rows(png, info, decoding->size);
    png_start_read_image(png);
}

static void
on_row(png_structp png, png_bytep row, png_uint_32 number UNUSED, int pass UNUSED)
{
    struct decoding *decoding = png_get_progressive_ptr(png);

    decoding->rows_missing -= row != NULL;
}

static void
on_end(png_structp png, png_infop info UNUSED)
{
    struct decoding *decoding = png_get_progressive_ptr(png);

    decoding->is_complete = decoding->rows_missing == 0;
}

/* libpng leaves by longjmp: nothing here owns anything. */
static void
decode(png_structp png, png_infop info, struct slice bytes)
{
    if (setjmp(png_jmpbuf(png)))
        return;
    png_set_user_limits(png, LONGEST_SIDE, LONGEST_SIDE);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_progressive_read_fn(png, png_get_error_ptr(png), on_header, on_row, on_end);
    png_process_data(png, info, (png_bytep)bytes.data, bytes.len);
}

int
image_check_png(struct slice bytes, uint64_t *budget, struct image_size *out,
                struct error *err)
{
    struct decoding decoding = {.budget = budget, .why = "it ends too early"};
    png_structp png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoding, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;

    if (info)
        decode(png, info, bytes);
    png_destroy_read_struct(&png, &info, NULL);
    if (decoding.is_over) {
        *err = decoding.limit;
        return -1;
    }
    if (!decoding.is_complete)
        return error_set(err, ERR_BAD_INPUT, "the PNG cannot be decoded: %s",
                         decoding.why);
    *out = decoding.size;
    return 0;
}

static unsigned
byte_at(struct slice bytes, size_t at)
{
    return (unsigned char)bytes.data[at];
}

static unsigned
word_at(struct slice bytes, size_t at)
{
    return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

/* C0 to CF but DHT, JPG and DAC. */
static bool
is_frame_header(unsigned marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
           marker != 0xCC;
}

/* Where the frame header's fields are, or 0. */
static size_t
find_frame(struct slice bytes)
{
    size_t at = 2;

    while (bytes.len >= 4 && at <= bytes.len - 4 && byte_at(bytes, at) == 0xFF) {
        unsigned marker = byte_at(bytes, at + 1);
        if (marker == 0xFF) { /* padding */
            at++;
            continue;
        }
        size_t len = word_at(bytes, at + 2);
        if (is_frame_header(marker))
            return len >= 7 && bytes.len - at >= 9 ? at + 4 : 0;
        if (len < 2 || marker == 0xD9 || marker == 0xDA)
            return 0;
        at += 2 + len;
    }
    return 0;
}

int
image_check_jpeg(struct slice bytes, uint64_t *budget UNUSED, struct image_size *out,
                 struct error *err)
{
    bool has_magic = bytes.len >= 3 && memcmp(bytes.data, "\xFF\xD8\xFF", 3) == 0;
    size_t frame = has_magic ? find_frame(bytes) : 0;

    if (!frame)
        return error_set(err, ERR_BAD_INPUT, "the JPEG has no frame");
    struct image_size size = {word_at(bytes, frame + 3), word_at(bytes, frame + 1)};
    if (check_size(size, err) < 0)
        return -1;
    *out = size;
    return 0;
}
