/* Input: frames, each as one byte of length and its bytes; a length of 255 stands for
 * <IDS|MSG>. The first byte says whether what follows that is signed properly: so the
 * signature hides no parser, and is itself tried. */
#include "kernel/jupyter/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DELIMITER_MARK 255
#define MOST_FRAMES    64

static size_t
split(const uint8_t *data, size_t size, struct slice *frames)
{
    size_t count = 0;

    for (size_t at = 0; at < size && count < MOST_FRAMES; count++) {
        size_t len = data[at++];
        if (len == DELIMITER_MARK) {
            frames[count] = WIRE_DELIMITER;
            continue;
        }
        len = len < size - at ? len : size - at;
        frames[count] = (struct slice){(const char *)data + at, len};
        at += len;
    }
    return count;
}

static void
sign(struct signer *signer, struct slice *frames, size_t count, char *signature)
{
    size_t at = 0;

    while (at < count && !slice_equals(frames[at], WIRE_DELIMITER))
        at++;
    if (count - at < 2 + WIRE_PARTS)
        return;
    signer_sign(signer, frames + at + 2, WIRE_PARTS, signature);
    frames[at + 1] = (struct slice){signature, signer_hex_len(signer)};
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct signer *signer;
    AUTO(wire_message) struct wire_message message = WIRE_MESSAGE_INIT;
    struct slice frames[MOST_FRAMES];
    char signature[SIGNATURE_HEX_MAX];
    struct error err;

    if (!signer && signer_new(&signer, "hmac-sha256", SLICE("key"), &err) < 0)
        abort();
    if (size == 0)
        return 0;
    size_t count = split(data + 1, size - 1, frames);
    if (data[0] & 1)
        sign(signer, frames, count, signature);
    if (wire_parse(frames, count, signer, &message, &err) == 0 &&
        (!message.type || !message.id || message.ident_count >= count))
        abort();
    return 0;
}
