#include "kernel/jupyter/replay.h"

/* The first half of a signature is as good as all of it. */
struct digest {
    uint64_t words[2];
};

/* A ring of digests in order of arrival, threaded by hash chains. Indices are one up,
 * so that zero means none and fresh memory stays untouched. */
struct replay {
    struct digest ring[REPLAY_MEMORY];
    uint32_t next[REPLAY_MEMORY];
    uint32_t chains[REPLAY_MEMORY];
    size_t seen;
};

struct replay *
replay_new(void)
{
    return xcalloc(1, sizeof(struct replay));
}

void
replay_free(struct replay *replay)
{
    free(replay);
}

static uint64_t
hex_word(const char *hex)
{
    uint64_t word = 0;

    for (int i = 0; i < 16; i++)
        word = word << 4 | (uint64_t)((hex[i] & 15) + (hex[i] > '9' ? 9 : 0));
    return word;
}

static uint32_t *
chain_of(struct replay *replay, const struct digest *digest)
{
    return &replay->chains[digest->words[0] % REPLAY_MEMORY];
}

static bool
is_known(struct replay *replay, const struct digest *digest)
{
    for (uint32_t at = *chain_of(replay, digest); at; at = replay->next[at - 1])
        if (memcmp(&replay->ring[at - 1], digest, sizeof(*digest)) == 0)
            return true;
    return false;
}

static void
forget(struct replay *replay, uint32_t slot)
{
    uint32_t *link = chain_of(replay, &replay->ring[slot]);

    while (*link != slot + 1)
        link = &replay->next[*link - 1];
    *link = replay->next[slot];
}

static void
remember(struct replay *replay, const struct digest *digest)
{
    uint32_t slot = (uint32_t)(replay->seen % REPLAY_MEMORY);
    uint32_t *chain = chain_of(replay, digest);

    if (replay->seen++ >= REPLAY_MEMORY)
        forget(replay, slot);
    replay->ring[slot] = *digest;
    replay->next[slot] = *chain;
    *chain = slot + 1;
}

bool
replay_is_first(struct replay *replay, struct slice signature)
{
    if (signature.len < 32)
        return false;
    struct digest digest = {
        {hex_word(signature.data), hex_word(signature.data + 16)}
    };
    if (is_known(replay, &digest))
        return false;
    remember(replay, &digest);
    return true;
}
