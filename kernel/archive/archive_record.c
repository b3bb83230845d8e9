#include "kernel/archive/archive_record.h"

#include <openssl/evp.h>

#define MARK 0x316F7063U /* "cpo1" */

enum {
    DIGEST = 16
};

struct head {
    uint32_t mark, kind, cell, lens[ARCHIVE_PARTS];
    int64_t time, seq;
    unsigned char digest[DIGEST]; /* of what is before it, and of the parts */
};

_Static_assert(sizeof(struct head) == ARCHIVE_HEAD, "no holes");

static void
make_digest(const struct head *head, const void *parts, size_t len,
            unsigned char out[DIGEST])
{
    unsigned char whole[EVP_MAX_MD_SIZE] = {0};
    EVP_MD_CTX *digest = EVP_MD_CTX_new();

    EVP_DigestInit_ex(digest, EVP_sha256(), NULL);
    EVP_DigestUpdate(digest, head, offsetof(struct head, digest));
    EVP_DigestUpdate(digest, parts, len);
    EVP_DigestFinal_ex(digest, whole, NULL);
    EVP_MD_CTX_free(digest);
    memcpy(out, whole, DIGEST);
}

size_t
archive_record_size(const struct archive_record *record)
{
    size_t size = ARCHIVE_HEAD;

    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        size += record->parts[i].len;
    return size;
}

void
archive_record_append(struct buffer *out, const struct archive_record *record)
{
    struct head head = {.mark = MARK,
                        .kind = record->kind,
                        .cell = record->cell,
                        .time = record->time,
                        .seq = record->seq};
    const size_t at = out->len, size = archive_record_size(record);

    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        head.lens[i] = (uint32_t)record->parts[i].len;
    buffer_reserve(out, size); /* so that what follows fits */
    buffer_append(out, &head, sizeof(head));
    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        buffer_append(out, record->parts[i].data, record->parts[i].len);
    make_digest(&head, out->data + at + ARCHIVE_HEAD, size - ARCHIVE_HEAD, head.digest);
    memcpy(out->data + at, &head, sizeof(head));
}

/* 0 if it cannot be. */
static size_t
size_of(const struct head *head)
{
    size_t size = 0;

    for (size_t i = 0; i < ARCHIVE_PARTS; i++)
        size += head->lens[i]; /* three of 32 bits: no overflow */
    return head->mark == MARK && head->kind >= ARCHIVE_CELL &&
                   head->kind <= ARCHIVE_END && head->cell && head->cell <= INT32_MAX &&
                   size <= ARCHIVE_RECORD_MOST
               ? ARCHIVE_HEAD + size
               : 0;
}

ssize_t
archive_record_parse(struct slice bytes, struct archive_record *out, size_t *needed)
{
    struct head head;
    unsigned char digest[DIGEST];

    *needed = ARCHIVE_HEAD;
    if (bytes.len < ARCHIVE_HEAD)
        return 0;
    memcpy(&head, bytes.data, sizeof(head));
    const size_t size = size_of(&head);
    if (!size)
        return -1;
    *needed = size;
    if (bytes.len < size)
        return 0;
    make_digest(&head, bytes.data + ARCHIVE_HEAD, size - ARCHIVE_HEAD, digest);
    if (memcmp(digest, head.digest, DIGEST) != 0)
        return -1;
    *out = (struct archive_record){head.kind, head.cell, head.time, head.seq, {{0}}};
    const char *at = bytes.data + ARCHIVE_HEAD;
    for (size_t i = 0; i < ARCHIVE_PARTS; at += head.lens[i++])
        out->parts[i] = (struct slice){at, head.lens[i]};
    return (ssize_t)size;
}
