/* Input: one byte that chooses the provider, one that chooses a cut, then the answer.
 * Cut in two or not, the reply must be the same; what is good must have text. */
#include <stdlib.h>

#include "bridge/models/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const apis[] = {"chat",   "completions", "responses",
                                   "gemini", "vertex",      "anthropic"};

static int
read_answer(struct stream *stream, const char *api, struct slice bytes, size_t first,
            struct failure *failure)
{
    stream_init(stream, model_api_find(api));
    if (stream_feed(stream, (struct slice){bytes.data, first}))
        (void)stream_feed(stream,
                          (struct slice){bytes.data + first, bytes.len - first});
    return stream_end(stream, failure);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(stream) struct stream whole, cut;
    struct failure why_whole = FAILURE_INIT, why_cut = FAILURE_INIT;

    stream_init(&whole, model_api_find("chat"));
    stream_init(&cut, model_api_find("chat"));
    if (size < 2)
        return 0;
    const char *api = apis[data[0] % COUNT_OF(apis)];
    const struct slice bytes = {(const char *)data + 2, size - 2};
    int good = read_answer(&whole, api, bytes, bytes.len, &why_whole);
    int same = read_answer(&cut, api, bytes, bytes.len * data[1] / 255, &why_cut);
    if (good != same || why_whole.kind != why_cut.kind ||
        !slice_equals(buffer_slice(&whole.reply.text), buffer_slice(&cut.reply.text)))
        abort();
    if (good == 0 && whole.reply.text.len == 0)
        abort();
    return 0;
}
