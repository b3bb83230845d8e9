#include "kernel/content/connect.h"

#include "common/json_text.h"

void
connect_append(struct buffer *content, const struct connection *connection)
{
    json_t *reply = json_pack("{s:s}", "status", "ok");

    for (int i = 0; i < CHANNELS; i++)
        json_object_set_new(reply, connection_file_port_name((enum channel)i),
                            json_integer(connection->ports[i]));
    json_text_append(content, reply);
}
