/* Input: a connection file. What is accepted must be fit to use. */
#include "kernel/jupyter/channels.h"
#include "kernel/jupyter/connection_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(connection) struct connection c = CONNECTION_INIT;
    struct error err;

    if (connection_file_parse((struct slice){(const char *)data, size}, &c, &err) < 0) {
        if (c.fields || strchr(err.text, '\n'))
            abort();
        return 0;
    }
    for (int i = 0; i < CHANNELS; i++) {
        AUTO(mem) char *endpoint = channels_endpoint(&c, c.ports[i]);
        if (c.ports[i] < 0 || c.ports[i] > 65535 || strlen(endpoint) < 8)
            abort();
    }
    if (!c.key || !c.signature_scheme || !c.curve_publickey != !c.curve_secretkey)
        abort();
    return 0;
}
