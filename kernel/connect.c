#include "kernel/connect.h"

#include "kernel/kernel.h"

int
connect_handle(struct kernel *kernel, struct request *request, struct error *err UNUSED)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    buffer_append_text(&content, "{\"status\":\"ok\"");
    for (int i = 0; i < CHANNELS; i++)
        buffer_printf(&content, ",\"%s\":%d",
                      connection_file_port_name((enum channel)i),
                      kernel->connection->ports[i]);
    buffer_append_text(&content, "}");
    dispatch_reply(kernel, request, buffer_slice(&content), SLICE(""));
    return 0;
}
