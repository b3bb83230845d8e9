#include "kernel/output/image_check.h"

#include <png.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "tests/unit/unit.h"

/* With a budget that nothing exhausts. */
static int
check_png(struct slice bytes, struct image_size *size, struct error *err)
{
    uint64_t budget = UINT64_MAX;

    return image_check_png(bytes, &budget, size, err);
}

static int
check_jpeg(struct slice bytes, struct image_size *size, struct error *err)
{
    uint64_t budget = UINT64_MAX;

    return image_check_jpeg(bytes, &budget, size, err);
}

/* A grey image with something in it. The caller frees it. */
static struct slice
make_png(uint32_t width, uint32_t height)
{
    AUTO(mem) uint8_t *pixels = xcalloc(width, height);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = width,
                       .height = height,
                       .format = PNG_FORMAT_GRAY};
    png_alloc_size_t len = 0;

    for (size_t i = 0; i < (size_t)width * height; i++)
        pixels[i] = (uint8_t)(i * 7);
    assert_true(png_image_write_to_memory(&image, NULL, &len, 0, pixels, 0, NULL));
    char *bytes = xcalloc(len, 1);
    assert_true(png_image_write_to_memory(&image, bytes, &len, 0, pixels, 0, NULL));
    return (struct slice){bytes, len};
}

static void
append_to(png_structp png, png_bytep data, size_t len)
{
    buffer_append(png_get_io_ptr(png), data, len);
}

static void
flush_nothing(png_structp png UNUSED)
{
}

static void
make_interlaced(struct buffer *out, uint32_t width, uint32_t height)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    AUTO(mem) uint8_t *row = xcalloc(width, 3);

    png_set_write_fn(png, out, append_to, flush_nothing);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
        for (uint32_t y = 0; y < height; y++)
            png_write_row(png, row);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

static void
tells_the_size_of_good_images(void **state UNUSED)
{
    static const struct image_size sizes[] = {
        {1,   1   },
        {3,   2   },
        {640, 480 },
        {1,   1000}
    };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct slice png = make_png(sizes[i].width, sizes[i].height);
        struct image_size size;
        struct error err;
        assert_int_equal(check_png(png, &size, &err), 0);
        assert_int_equal(size.width, sizes[i].width);
        assert_int_equal(size.height, sizes[i].height);
        free((char *)png.data);
    }
}

static void
takes_interlaced_images(void **state UNUSED)
{
    static const struct image_size sizes[] = {
        {1,  1 },
        {2,  3 },
        {5,  5 },
        {33, 17}
    };

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        AUTO(buffer) struct buffer png = BUFFER_INIT(SIZE_MAX);
        struct image_size size;
        struct error err;
        make_interlaced(&png, sizes[i].width, sizes[i].height);
        assert_int_equal(check_png(buffer_slice(&png), &size, &err), 0);
        assert_int_equal(size.width, sizes[i].width);
    }
}

static void
refuses_every_truncation(void **state UNUSED)
{
    struct slice png = make_png(20, 20);

    /* The last twelve bytes say only that it ends. */
    for (size_t len = 0; len < png.len; len++) {
        struct image_size size;
        struct error err;
        assert_int_equal(check_png((struct slice){png.data, len}, &size, &err), -1);
    }
    free((char *)png.data);
}

/* Signature, IHDR and IDAT are all under a checksum. */
static void
refuses_every_changed_byte(void **state UNUSED)
{
    AUTO(buffer) struct buffer png = BUFFER_INIT(SIZE_MAX);

    make_interlaced(&png, 20, 20);
    for (size_t at = 0; at < png.len - 12; at++) {
        struct image_size size;
        struct error err;
        png.data[at] = (char)(png.data[at] ^ 1);
        assert_int_equal(check_png(buffer_slice(&png), &size, &err), -1);
        png.data[at] = (char)(png.data[at] ^ 1);
    }
}

static void
seal(uint8_t header[21])
{
    uint32_t crc = 0xFFFFFFFF;

    for (size_t at = 0; at < 17; at++) {
        crc ^= header[at];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    png_save_uint_32(header + 17, ~crc);
}

/* Pixels of 8 bytes: the limit of decoded bytes comes first. */
static void
refuses_what_decodes_to_too_much(void **state UNUSED)
{
    static const uint32_t heights[] = {LIMIT_IMAGE_BYTES / 8 / 8192,
                                       LIMIT_IMAGE_BYTES / 8 / 8192 + 1};
    AUTO(buffer) struct buffer png = BUFFER_INIT(SIZE_MAX);
    struct image_size size;
    struct error err;

    make_interlaced(&png, 1, 1);
    for (size_t i = 0; i < COUNT_OF(heights); i++) {
        uint8_t *header = (uint8_t *)png.data + 12;
        png_save_uint_32(header + 4, 8192);
        png_save_uint_32(header + 8, heights[i]);
        header[12] = 16;
        header[13] = PNG_COLOR_TYPE_RGB_ALPHA;
        seal(header);
        assert_int_equal(check_png(buffer_slice(&png), &size, &err), -1);
        assert_int_equal(err.kind, i ? ERR_TOO_LARGE : ERR_BAD_INPUT);
    }
    assert_non_null(strstr(err.text, "at most 256 are shown"));
}

static void
takes_images_off_a_budget(void **state UNUSED)
{
    struct slice png = make_png(20, 20);
    uint64_t budget = 2 * 20 * 20;
    struct image_size size;
    struct error err;

    assert_int_equal(image_check_png(png, &budget, &size, &err), 0);
    assert_int_equal(image_check_png(png, &budget, &size, &err), 0);
    assert_int_equal(budget, 0);
    assert_int_equal(image_check_png(png, &budget, &size, &err), -1);
    assert_int_equal(err.kind, ERR_TOO_LARGE);
    free((char *)png.data);
}

/* An image may claim any size: what counts is the header, before anything is read. */
static void
refuses_more_pixels_than_are_shown(void **state UNUSED)
{
    /* Width times height: the limit, then one row more. */
    static const uint32_t heights[] = {LIMIT_IMAGE_PIXELS / 10240, 10241};
    AUTO(buffer) struct buffer png = BUFFER_INIT(SIZE_MAX);
    struct image_size size;
    struct error err;

    make_interlaced(&png, 1, 1);
    for (size_t i = 0; i < COUNT_OF(heights); i++) {
        uint8_t *header = (uint8_t *)png.data + 12; /* type and content of IHDR */
        png_save_uint_32(header + 4, 10240);
        png_save_uint_32(header + 8, heights[i]);
        header[13] = PNG_COLOR_TYPE_GRAY;
        seal(header);
        assert_int_equal(check_png(buffer_slice(&png), &size, &err), -1);
        assert_int_equal(err.kind, i ? ERR_TOO_LARGE : ERR_BAD_INPUT);
    }
}

static const struct slice jpeg =
    SLICE("\xFF\xD8\xFF\xE0\x00\x04JF\xFF\xC0\x00\x0B\x08\x00\x10\x00\x20\x01\x01\x11"
          "\x00\xFF\xDA");

static void
tells_the_size_of_a_jpeg(void **state UNUSED)
{
    struct image_size size;
    struct error err;

    assert_int_equal(check_jpeg(jpeg, &size, &err), 0);
    assert_int_equal(size.width, 32);
    assert_int_equal(size.height, 16);
}

static void
refuses_a_jpeg_without_a_frame(void **state UNUSED)
{
    static const struct slice cases[] = {
        SLICE(""),
        SLICE("\xFF\xD8\xFF"),
        SLICE("\xFF\xD8\xFF\xFF\xFF\xFF\xFF\xFF"),
        SLICE("\xFF\xD8\xFF\xD9\x00\x04xx"),
        SLICE("\xFF\xD8\xFF\xE0\x00\x00xxxxxxxx"),
        SLICE("\xFF\xD8\xFF\xE0\xFF\xFFxxxxxxxx"),
        SLICE("GIF89a\x01\x01\x01\x01\x01\x01"),
    };
    struct image_size size;
    struct error err;

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(check_jpeg(cases[i], &size, &err), -1);
    for (size_t len = 0; len < 17; len++)
        assert_int_equal(check_jpeg((struct slice){jpeg.data, len}, &size, &err), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_size_of_good_images),
        cmocka_unit_test(takes_interlaced_images),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(refuses_what_decodes_to_too_much),
        cmocka_unit_test(takes_images_off_a_budget),
        cmocka_unit_test(refuses_every_changed_byte),
        cmocka_unit_test(refuses_more_pixels_than_are_shown),
        cmocka_unit_test(tells_the_size_of_a_jpeg),
        cmocka_unit_test(refuses_a_jpeg_without_a_frame),
    };
    return cmocka_run_group_tests_name("image_check_png", tests, NULL, NULL);
}
