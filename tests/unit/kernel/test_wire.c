#include "common/limits.h"
#include "kernel/jupyter/wire.h"
#include "tests/unit/unit.h"

#define FRAMES 9

/* A good message: two identities, one buffer. */
struct sample {
    struct slice frames[FRAMES];
    char signature[SIGNATURE_HEX_MAX];
    struct signer *signer;
};

enum {
    DELIMITER = 2,
    SIGNATURE,
    HEADER,
    PARENT,
    METADATA,
    CONTENT,
    BUFFER,
};

static void
sign(struct sample *sample)
{
    signer_sign(sample->signer, sample->frames + HEADER, WIRE_PARTS, sample->signature);
    sample->frames[SIGNATURE] =
        (struct slice){sample->signature, signer_hex_len(sample->signer)};
}

static void
make(struct sample *sample, const char *key)
{
    struct error err;

    *sample = (struct sample){
        .frames = {SLICE("\0abc"), SLICE("id"), WIRE_DELIMITER, SLICE(""),
                   SLICE("{\"msg_id\":\"m\",\"msg_type\":\"execute_request\"}"),
                   SLICE("{}"), SLICE("{}"), SLICE("{\"code\":\"1\"}"), SLICE("buf")},
    };
    assert_int_equal(signer_new(&sample->signer, "hmac-sha256", slice_of(key), &err),
                     0);
    sign(sample);
}

static int
parse(struct sample *sample, size_t count)
{
    AUTO(wire_message) struct wire_message message = WIRE_MESSAGE_INIT;
    struct error err;
    int result = wire_parse(sample->frames, count, sample->signer, &message, &err);

    if (result < 0)
        assert_null(message.header);
    return result;
}

static void
reads_a_good_message(void **state UNUSED)
{
    AUTO(wire_message) struct wire_message message = WIRE_MESSAGE_INIT;
    struct sample sample;
    struct error err;

    make(&sample, "key");
    assert_int_equal(wire_parse(sample.frames, FRAMES, sample.signer, &message, &err),
                     0);
    assert_int_equal(message.ident_count, 2);
    assert_string_equal(message.type, "execute_request");
    assert_string_equal(message.id, "m");
    assert_int_equal(message.buffer_count, 1);
    assert_true(slice_equals(message.buffers[0], SLICE("buf")));
    assert_true(slice_equals(message.parts[WIRE_CONTENT], sample.frames[CONTENT]));
    signer_free(sample.signer);
}

static void
signs_as_the_specification_says(void **state UNUSED)
{
    static const struct slice parts[] = {SLICE("{}"), SLICE("{}"), SLICE("{}"),
                                         SLICE("{}")};
    /* python3 -c "import hmac; print(hmac.new(b'key', b'{}' * 4,
     * 'sha256').hexdigest())" */
    static const char wanted[] =
        "ca767b02c5bc061ed184a9a029e7f93a7f2f7ed4e8fe74120fc1212f0b008fa3";
    char hex[SIGNATURE_HEX_MAX];
    struct signer *signer;
    struct error err;

    assert_int_equal(signer_new(&signer, "hmac-sha256", SLICE("key"), &err), 0);
    for (int again = 0; again < 2; again++) { /* the context is used again */
        signer_sign(signer, parts, 4, hex);
        assert_memory_equal(hex, wanted, 64);
    }
    signer_free(signer);
}

static void
refuses_every_truncation(void **state UNUSED)
{
    struct sample sample;

    make(&sample, "key");
    for (size_t count = 0; count <= CONTENT; count++)
        assert_int_equal(parse(&sample, count), -1);
    assert_int_equal(parse(&sample, CONTENT + 1), 0); /* buffers are optional */
    signer_free(sample.signer);
}

static void
refuses_every_changed_byte_of_the_signature(void **state UNUSED)
{
    struct sample sample;

    make(&sample, "key");
    for (size_t at = 0; at < sample.frames[SIGNATURE].len; at++) {
        char kept = sample.signature[at];
        sample.signature[at] = kept == '0' ? '1' : '0';
        assert_int_equal(parse(&sample, FRAMES), -1);
        sample.signature[at] = kept;
    }
    assert_int_equal(parse(&sample, FRAMES), 0);
    signer_free(sample.signer);
}

static void
refuses_signatures_of_other_lengths_and_cases(void **state UNUSED)
{
    struct sample sample;

    make(&sample, "key");
    for (size_t len = 0; len < 64; len++) {
        sample.frames[SIGNATURE].len = len;
        assert_int_equal(parse(&sample, FRAMES), -1);
    }
    sample.frames[SIGNATURE].len = 65;
    assert_int_equal(parse(&sample, FRAMES), -1);
    sample.frames[SIGNATURE].len = 64;
    for (size_t at = 0; at < 64; at++)
        if (sample.signature[at] >= 'a')
            sample.signature[at] = (char)(sample.signature[at] - 'a' + 'A');
    assert_int_equal(parse(&sample, FRAMES), -1);
    signer_free(sample.signer);
}

static void
refuses_what_was_changed_after_signing(void **state UNUSED)
{
    struct sample sample;

    make(&sample, "key");
    for (size_t part = HEADER; part <= CONTENT; part++) {
        struct slice kept = sample.frames[part];
        sample.frames[part] = SLICE("{ }");
        assert_int_equal(parse(&sample, FRAMES), -1);
        sample.frames[part] = kept;
    }
    sample.frames[BUFFER] = SLICE("other"); /* buffers are not signed */
    assert_int_equal(parse(&sample, FRAMES), 0);
    signer_free(sample.signer);
}

static void
refuses_signed_nonsense(void **state UNUSED)
{
    static const struct {
        const char *what;
        size_t frame;
        struct slice bytes;
    } cases[] = {
        {"header is not JSON",   HEADER,   SLICE("{")                                },
        {"header is an array",   HEADER,   SLICE("[]")                               },
        {"header is empty",      HEADER,   SLICE("")                                 },
        {"no msg_id",            HEADER,   SLICE("{\"msg_type\":\"x\"}")             },
        {"no msg_type",          HEADER,   SLICE("{\"msg_id\":\"x\"}")               },
        {"msg_id is a number",   HEADER,   SLICE("{\"msg_id\":1,\"msg_type\":\"x\"}")},
        {"parent is null",       PARENT,   SLICE("null")                             },
        {"metadata is text",     METADATA, SLICE("\"x\"")                            },
        {"content with NaN",     CONTENT,  SLICE("{\"x\":NaN}")                      },
        {"content is not UTF-8", CONTENT,  SLICE("{\"x\":\"\xff\"}")                 },
        {"content is cut",       CONTENT,  SLICE("{\"code\":")                       },
        {"two objects",          CONTENT,  SLICE("{}{}")                             },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sample sample;
        make(&sample, "key");
        sample.frames[cases[i].frame] = cases[i].bytes;
        sign(&sample);
        print_message("  %s\n", cases[i].what);
        assert_int_equal(parse(&sample, FRAMES), -1);
        signer_free(sample.signer);
    }
}

static void
never_parses_what_is_not_signed(void **state UNUSED)
{
    AUTO(wire_message) struct wire_message message = WIRE_MESSAGE_INIT;
    struct sample sample;
    struct error err;

    make(&sample, "key");
    sample.frames[CONTENT] = SLICE("{");
    assert_int_equal(wire_parse(sample.frames, FRAMES, sample.signer, &message, &err),
                     -1);
    assert_int_equal(err.kind, ERR_DENIED);
    signer_free(sample.signer);
}

static void
takes_any_signature_when_there_is_no_key(void **state UNUSED)
{
    struct sample sample;

    make(&sample, "");
    assert_int_equal(sample.frames[SIGNATURE].len, 0);
    assert_int_equal(parse(&sample, FRAMES), 0);
    sample.frames[SIGNATURE] = SLICE("whatever");
    assert_int_equal(parse(&sample, FRAMES), 0);
    signer_free(sample.signer);
}

static void
bounds_frames_and_header(void **state UNUSED)
{
    AUTO(mem) struct slice *frames = xcalloc(LIMIT_WIRE_FRAMES + 1, sizeof(*frames));
    AUTO(mem) char *header = xcalloc(LIMIT_WIRE_HEADER + 1, 1);
    struct sample sample;
    struct error err;

    make(&sample, "");
    memcpy(frames, sample.frames, sizeof(sample.frames));
    for (size_t count = LIMIT_WIRE_FRAMES; count <= LIMIT_WIRE_FRAMES + 1; count++) {
        AUTO(wire_message) struct wire_message message = WIRE_MESSAGE_INIT;
        assert_int_equal(wire_parse(frames, count, sample.signer, &message, &err),
                         count > LIMIT_WIRE_FRAMES ? -1 : 0);
    }
    memset(header, ' ', LIMIT_WIRE_HEADER + 1);
    memcpy(header, sample.frames[HEADER].data, sample.frames[HEADER].len);
    for (size_t len = LIMIT_WIRE_HEADER; len <= LIMIT_WIRE_HEADER + 1; len++) {
        sample.frames[HEADER] = (struct slice){header, len};
        assert_int_equal(parse(&sample, FRAMES), len > LIMIT_WIRE_HEADER ? -1 : 0);
    }
    signer_free(sample.signer);
}

static void
knows_the_digests_of_hashlib(void **state UNUSED)
{
    static const struct {
        const char *scheme;
        size_t hex_len; /* 0: refused */
    } cases[] = {
        {"hmac-sha256",   64 },
        {"hmac-sha512",   128},
        {"hmac-sha1",     40 },
        {"hmac-md5",      32 },
        {"hmac-sha3_256", 64 },
        {"hmac-blake2b",  128},
        {"hmac-blake2s",  64 },
        {"hmac-",         0  },
        {"hmac-nonsense", 0  },
        {"sha256",        0  },
        {"",              0  },
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct signer *signer = NULL;
        struct error err;
        int made = signer_new(&signer, cases[i].scheme, SLICE("key"), &err);
        print_message("  %s\n", cases[i].scheme);
        assert_int_equal(made, cases[i].hex_len ? 0 : -1);
        if (made == 0)
            assert_int_equal(signer_hex_len(signer), cases[i].hex_len);
        signer_free(signer);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_good_message),
        cmocka_unit_test(signs_as_the_specification_says),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(refuses_every_changed_byte_of_the_signature),
        cmocka_unit_test(refuses_signatures_of_other_lengths_and_cases),
        cmocka_unit_test(refuses_what_was_changed_after_signing),
        cmocka_unit_test(refuses_signed_nonsense),
        cmocka_unit_test(never_parses_what_is_not_signed),
        cmocka_unit_test(takes_any_signature_when_there_is_no_key),
        cmocka_unit_test(bounds_frames_and_header),
        cmocka_unit_test(knows_the_digests_of_hashlib),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
