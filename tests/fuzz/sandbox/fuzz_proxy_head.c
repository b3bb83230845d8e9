/* What is accepted has a host and a port, and is rewritten to a head that names no
 * other host; what was accepted once is accepted again when it comes in two parts. */
#include <stdlib.h>

#include "sandbox/network/proxy_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_rewrite(const struct proxy_head *head)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(2 * PROXY_HEAD_BYTES);

    if (proxy_head_rewrite(head, &out) < 0 || out.len < 4 ||
        memcmp(out.data + out.len - 4, "\r\n\r\n", 4) != 0)
        abort();
    /* One empty line, at the end: nothing smuggled. */
    if (memmem(out.data, out.len, "\r\n\r\n", 4) != out.data + out.len - 4)
        abort();
    if (memchr(out.data, '\0', out.len))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = {(const char *)data, size};
    struct proxy_head head, again;
    struct error err;

    if (proxy_head_parse(text, &head, &err) != 1)
        return 0;
    if (!*head.host.name || strlen(head.host.name) >= HOST_NAME_SIZE || !head.port ||
        head.len > PROXY_HEAD_BYTES || head.len > size)
        abort();
    if (proxy_head_parse((struct slice){text.data, head.len}, &again, &err) != 1 ||
        proxy_head_parse((struct slice){text.data, head.len - 1}, &again, &err) != 0)
        abort();
    if (!head.is_connect)
        check_rewrite(&head);
    return 0;
}
