#include "kernel/jupyter/session.h"

#include <stdio.h>
#include <sys/random.h>

#include "kernel/jupyter/json_scan.h"
#include "kernel/jupyter/wire.h"

/* What a queued message costs beside its content: headers, frames, ZeroMQ's own. */
#define MESSAGE_OVERHEAD 1024

int
session_make_uuid(char out[UUID_LEN + 1], struct error *err)
{
    uint8_t b[16];

    if (getrandom(b, sizeof(b), 0) != sizeof(b))
        return error_sys(err, "get random bytes");
    b[6] = (uint8_t)((b[6] & 0x0F) | 0x40); /* version 4 */
    b[8] = (uint8_t)((b[8] & 0x3F) | 0x80); /* RFC 4122 */
    snprintf(out, UUID_LEN + 1,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
             b[12], b[13], b[14], b[15]);
    return 0;
}

void
session_format_date(struct timespec time, char out[SESSION_DATE_SIZE])
{
    struct tm utc;
    char seconds[sizeof("9999-12-31T23:59:59")];

    gmtime_r(&time.tv_sec, &utc);
    strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, SESSION_DATE_SIZE, "%s.%06uZ", seconds,
             (unsigned)(time.tv_nsec / 1000) % 1000000);
}

static void
format_now(char out[SESSION_DATE_SIZE])
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    session_format_date(now, out);
}

int
session_init(struct session *session, struct signer **signer, struct error *err)
{
    if (session_make_uuid(session->id, err) < 0 ||
        session_make_uuid(session->ident, err) < 0)
        return -1;
    session->signer = TAKE(*signer);
    format_now(session->began);
    return 0;
}

void
session_release(struct session *session)
{
    signer_free(TAKE(session->signer));
}

bool
session_outlived(const struct session *session, struct slice header)
{
    AUTO(mem) char *date = json_scan_text(header, "date");

    return date && strlen(date) == strlen(session->began) &&
           date[strlen(date) - 1] == 'Z' && strcmp(date, session->began) < 0;
}

static size_t
write_header(struct session *session, const char *type, char *out, size_t size)
{
    char date[SESSION_DATE_SIZE];

    format_now(date);
    return (size_t)snprintf(out, size,
                            "{\"msg_id\":\"%s_%llu\",\"msg_type\":\"%s\","
                            "\"username\":\"" SESSION_USERNAME "\",\"session\":\"%s\","
                            "\"date\":\"%s\",\"version\":\"" SESSION_PROTOCOL "\"}",
                            session->id, session->sent++, type, session->id, date);
}

static struct slice
or_empty_object(struct slice json)
{
    return json.len ? json : SLICE("{}");
}

static bool
send_content(void *socket, struct slice content, struct outbox *outbox, bool more)
{
    return outbox ? outbox_send(outbox, socket, content, MESSAGE_OVERHEAD, more)
                  : frames_send(socket, &content, 1, more);
}

bool
session_send(struct session *session, void *socket, const struct slice *route,
             size_t route_count, const struct outgoing *message, struct outbox *outbox)
{
    char header[512], signature[SIGNATURE_HEX_MAX];
    size_t header_len = write_header(session, message->type, header, sizeof(header));
    const struct slice parts[WIRE_PARTS] = {
        [WIRE_HEADER] = {header, header_len},
        [WIRE_PARENT] = or_empty_object(message->parent),
        [WIRE_METADATA] = or_empty_object(message->metadata),
        [WIRE_CONTENT] = or_empty_object(message->content),
    };

    signer_sign(session->signer, parts, WIRE_PARTS, signature);
    const struct slice head[] = {
        WIRE_DELIMITER,       {signature, signer_hex_len(session->signer)},
        parts[WIRE_HEADER],   parts[WIRE_PARENT],
        parts[WIRE_METADATA],
    };
    return frames_send(socket, route, route_count, true) &&
           frames_send(socket, head, COUNT_OF(head), true) &&
           send_content(socket, parts[WIRE_CONTENT], outbox,
                        message->buffer_count > 0) &&
           frames_send(socket, message->buffers, message->buffer_count, false);
}
