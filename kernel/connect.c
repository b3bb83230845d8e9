#include "kernel/connect.h"

#include "common/json_text.h"
#include "kernel/kernel.h"

int
connect_handle(struct kernel *kernel, struct request *request, struct error *err UNUSED)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    json_t *reply = json_pack("{s:s}", "status", "ok");
    for (int i = 0; i < CHANNELS; i++)
        json_object_set_new(reply, connection_file_port_name((enum channel)i),
                            json_integer(kernel->connection->ports[i]));
    json_text_append(&content, reply);
    dispatch_reply(kernel, request, buffer_slice(&content), SLICE(""));
    return 0;
}
