#include "tests/unit/unit.h"

#include <png.h>

#include "common/limits.h"
#include "sandbox/chart/chart.h"

enum {
    WIDTH = 7,
    HEIGHT = 5,
    STRIDE = 4 * WIDTH + 12
};

static void
paint(uint8_t *pixels, uint8_t alpha)
{
    memset(pixels, 0xEE, (size_t)STRIDE * HEIGHT); /* also what lies between the rows */
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint8_t *pixel = pixels + y * STRIDE + 4 * x;
            pixel[0] = (uint8_t)(10 * x);
            pixel[1] = (uint8_t)(10 * y);
            pixel[2] = 200;
            pixel[3] = alpha;
        }
}

/* Decode with libpng's simplified reader: another path than the one under test. */
static void
assert_decodes_to(const uint8_t *png, size_t len, const uint8_t *pixels, bool has_alpha)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t decoded[4 * WIDTH * HEIGHT];

    assert_true(png_image_begin_read_from_memory(&image, png, len));
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    assert_int_equal(!!(image.format & PNG_FORMAT_FLAG_ALPHA), has_alpha);
    image.format = PNG_FORMAT_RGBA;
    assert_true(png_image_finish_read(&image, NULL, decoded, 0, NULL));
    for (int y = 0; y < HEIGHT; y++)
        assert_memory_equal(decoded + 4 * WIDTH * y, pixels + y * STRIDE, 4 * WIDTH);
}

static void
stores_opaque_pixels_without_alpha(void **state UNUSED)
{
    uint8_t pixels[STRIDE * HEIGHT];
    uint8_t *png = NULL;
    size_t len = 0;

    paint(pixels, 255);
    assert_int_equal(chart_encode_png(pixels, WIDTH, HEIGHT, STRIDE, 100, &png, &len),
                     0);
    assert_decodes_to(png, len, pixels, false);
    chart_free(png);
}

static void
keeps_the_alpha_of_a_single_transparent_pixel(void **state UNUSED)
{
    uint8_t pixels[STRIDE * HEIGHT];
    uint8_t *png = NULL;
    size_t len = 0;

    paint(pixels, 255);
    pixels[(HEIGHT - 1) * STRIDE + 4 * (WIDTH - 1) + 3] = 254;
    assert_int_equal(chart_encode_png(pixels, WIDTH, HEIGHT, STRIDE, 100, &png, &len),
                     0);
    assert_decodes_to(png, len, pixels, true);
    chart_free(png);
}

static uint32_t
big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static const uint8_t *
find_chunk(const uint8_t *png, size_t len, const char *name)
{
    return memmem(png, len, name, 4);
}

static void
notes_the_density_as_matplotlib_does(void **state UNUSED)
{
    static const struct {
        double dpi;
        uint32_t per_metre;
    } cases[] = {
        {100,  3937},
        {72,   2835},
        {0,    0   },
        {-5,   0   },
        {1e30, 0   },
    };
    uint8_t pixels[STRIDE * HEIGHT];

    paint(pixels, 255);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t *png = NULL;
        size_t len = 0;

        assert_int_equal(
            chart_encode_png(pixels, WIDTH, HEIGHT, STRIDE, cases[i].dpi, &png, &len),
            0);
        const uint8_t *chunk = find_chunk(png, len, "pHYs");
        assert_int_equal(chunk ? big_endian(chunk + 4) : 0, cases[i].per_metre);
        chart_free(png);
    }
}

static void
refuses_what_is_no_picture(void **state UNUSED)
{
    static const struct {
        const char *what;
        uint32_t width, height;
        size_t stride;
    } cases[] = {
        {"no width",                    0,          1,        4              },
        {"no height",                   1,          0,        4              },
        {"rows that overlap",           2,          2,        7              },
        {"one pixel too many",          1 << 20,    101,      (size_t)4 << 20},
        {"a product past 32 bits",      1u << 31,   1u << 31, SIZE_MAX       },
        {"more than libpng's own rows", UINT32_MAX, 1,        SIZE_MAX       },
    };
    const uint8_t pixel[4] = {0};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t *png = NULL;
        size_t len = 7;

        if (chart_encode_png(pixel, cases[i].width, cases[i].height, cases[i].stride,
                             100, &png, &len) != -1)
            fail_msg("%s was accepted", cases[i].what);
        assert_null(png);
        assert_int_equal(len, 7);
    }
}

/* libpng gives up in the middle of its work, by longjmp. */
static void
survives_a_picture_that_libpng_refuses(void **state UNUSED)
{
    const uint32_t width = 1000001; /* PNG_USER_WIDTH_MAX is a million */
    uint8_t *pixels = calloc(width, 4);
    uint8_t *png = NULL;
    size_t len = 0;

    assert_non_null(pixels);
    assert_int_equal(
        chart_encode_png(pixels, width, 1, (size_t)4 * width, 100, &png, &len), -1);
    assert_null(png);
    free(pixels);
}

static void
encodes_the_largest_picture_it_may(void **state UNUSED)
{
    const uint32_t width = 10240, height = LIMIT_IMAGE_PIXELS / width;
    uint8_t *png = NULL;
    size_t len = 0;

    uint8_t *pixels = calloc((size_t)width * height, 4);
    assert_non_null(pixels);
    assert_int_equal(
        chart_encode_png(pixels, width, height, (size_t)4 * width, 100, &png, &len), 0);
    assert_int_equal(big_endian(png + 16), width);
    assert_int_equal(big_endian(png + 20), height);
    chart_free(png);
    free(pixels);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_opaque_pixels_without_alpha),
        cmocka_unit_test(keeps_the_alpha_of_a_single_transparent_pixel),
        cmocka_unit_test(notes_the_density_as_matplotlib_does),
        cmocka_unit_test(refuses_what_is_no_picture),
        cmocka_unit_test(survives_a_picture_that_libpng_refuses),
        cmocka_unit_test(encodes_the_largest_picture_it_may),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
