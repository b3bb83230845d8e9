#include "kernel/relay.h"

#include "kernel/jupyter/json_check.h"
#include "kernel/jupyter/json_fields.h"
#include "kernel/kernel.h"
#include "kernel/output/content_check.h"
#include "kernel/output/display.h"
#include "kernel/output/output_reduce.h"

#define LOG_COMPONENT "relay"
#include "common/log.h"

typedef void event_fn(struct kernel *kernel, const struct envelope *event,
                      struct slice parent);

static bool
is_for_current(const struct kernel *kernel, const struct envelope *event)
{
    const struct execution *execution = &kernel->execution;

    return execution->request && execution->is_sent &&
           strcmp(event->parent, execution->id) == 0;
}

/* --- outputs --- */

/* Widgets show what a client makes of their state, which no rule of ours reduces. */
static void
drop_comm(struct kernel *kernel, struct slice parent)
{
    if (!kernel->provenance.has_told)
        publish_stderr(&kernel->publisher,
                       "cellpod: widgets and other comms are left out, since a model's "
                       "code may have made them; restart the kernel to have your own "
                       "again, or see docs/security.md\n",
                       parent);
    kernel->provenance.has_told = true;
}

static void
relay(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    if (provenance_drops(&kernel->provenance, event->type)) {
        drop_comm(kernel, parent);
        return;
    }
    publish(&kernel->publisher,
            &(struct outgoing){.type = event->type,
                               .parent = parent,
                               .metadata = event->metadata,
                               .content = event->content,
                               .buffers = event->buffers,
                               .buffer_count = event->buffer_count});
    if (outbox_is_full(kernel->publisher.outbox))
        sandbox_hold(kernel->sandbox, true);
}

static void
relay_display(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer complaint = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer reduced = BUFFER_INIT(SIZE_MAX);
    struct envelope shown = *event;

    if (provenance_reduces(&kernel->provenance)) {
        output_reduce_display(event->content, &reduced, &complaint);
        shown.content = buffer_slice(&reduced);
    }
    if (display_check(shown.content, &content, &complaint) == DISPLAY_REWRITTEN)
        shown.content = buffer_slice(&content);
    relay(kernel, &shown, parent);
    if (complaint.len)
        publish_stderr(&kernel->publisher, complaint.data, parent);
}

static void
relay_execute_input(struct kernel *kernel, const struct envelope *event,
                    struct slice parent)
{
    struct slice count = json_field(event->content, "execution_count");

    kernel->execution.count = strtoll(count.data, NULL, 10); /* `}` or `,` follows */
    relay(kernel, event, parent);
}

/* --- the end of a request --- */

static void
take_reply(struct kernel *kernel, const struct envelope *event,
           struct slice parent UNUSED)
{
    const struct request *request = kernel->execution.request;
    const char *reply = request && request->type->reply ? request->type->reply : "done";

    if (is_for_current(kernel, event) && strcmp(event->type, reply) == 0)
        execution_end(kernel, event->content, event->metadata);
    else
        log_error("reply to nothing type=%s parent=%.60s", event->type, event->parent);
}

/* To a step of a cell that the kernel answers. */
static void
take_step(struct kernel *kernel, const struct envelope *event,
          struct slice parent UNUSED)
{
    if (is_for_current(kernel, event))
        ask_take_reply(&kernel->ask, event);
    else
        log_debug("reply to nothing type=%s parent=%.60s", event->type, event->parent);
}

static void
take_worker_exit(struct kernel *kernel, const struct envelope *event,
                 struct slice parent UNUSED)
{
    AUTO(mem) char *given = json_field_text(event->content, "message");
    AUTO(mem) char *gone = json_field_text(event->content, "gone");
    const char *message = given ? given : "the worker ended";
    AUTO(mem) char *remedy =
        gone ? xasprintf("%s The next cell runs in a fresh worker.", gone)
             : xstrdup(NAMES_ARE_GONE);

    log_info("worker exited parent=%.60s", event->parent);
    /* A question is about variables that are gone, also while a model thinks. */
    if (is_for_current(kernel, event) || kernel->ask.cell)
        execution_fail(kernel, "WorkerDied", message, remedy);
    else
        execution_tell_between_cells(kernel, message);
    kernel->execution.count = 0;
    provenance_fresh_worker(&kernel->provenance);
}

/* --- others --- */

static void
take_input_request(struct kernel *kernel, const struct envelope *event,
                   struct slice parent UNUSED)
{
    if (is_for_current(kernel, event) && kernel->execution.allows_stdin)
        input_ask(kernel, kernel->execution.request, event);
    else
        log_error("input for nobody parent=%.60s", event->parent);
}

static void
show_notice(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    AUTO(mem) char *message = json_field_text(event->content, "message");
    AUTO(mem) char *line = message ? xasprintf("cellpod: %s\n", message) : NULL;

    if (line)
        publish_stderr(&kernel->publisher, line, parent);
}

static void
ignore(struct kernel *kernel UNUSED, const struct envelope *event,
       struct slice parent UNUSED)
{
    log_debug("event type=%s", event->type);
}

/* Anything else is nothing that a sandbox has to say. */
static const struct {
    const char *type;
    event_fn *handler;
} event_types[] = {
    {"stream",              relay              },
    {"display_data",        relay_display      },
    {"update_display_data", relay_display      },
    {"execute_input",       relay_execute_input},
    {"execute_result",      relay_display      },
    {"error",               relay              },
    {"clear_output",        relay              },
    {"comm_open",           relay              },
    {"comm_msg",            relay              },
    {"comm_close",          relay              },
    {"execute_reply",       take_reply         },
    {"complete_reply",      take_reply         },
    {"inspect_reply",       take_reply         },
    {"is_complete_reply",   take_reply         },
    {"history_reply",       take_reply         },
    {"comm_info_reply",     take_reply         },
    {"done",                take_reply         },
    {"announce_reply",      take_step          },
    {"profile_reply",       take_step          },
    {"check_reply",         take_step          },
    {"attempt_reply",       take_step          },
    {"attempt_end_reply",   take_step          },
    {"input_request",       take_input_request },
    {"worker_exited",       take_worker_exit   },
    {"worker_started",      ignore             },
    {"interrupted",         ignore             },
    {"notice",              show_notice        },
};

static event_fn *
find_handler(const char *type)
{
    for (size_t i = 0; i < COUNT_OF(event_types); i++)
        if (strcmp(type, event_types[i].type) == 0)
            return event_types[i].handler;
    return NULL;
}

static int
check(const struct envelope *event, struct error *err)
{
    if (content_check(event->type, event->content, err) < 0)
        return -1;
    return event->metadata.len ? json_check_object(event->metadata, err) : 0;
}

static bool
ends_request(event_fn *handler)
{
    return handler == take_reply || handler == take_step;
}

static bool
is_output(event_fn *handler)
{
    return handler == relay || handler == relay_display;
}

/* A refused output is told to the user; a refused reply must not leave the cell open.
 */
static void
refuse(struct kernel *kernel, const struct envelope *event, struct slice parent,
       event_fn *handler, const struct error *err)
{
    log_error("refused type=%.60s reason=\"%s\"", event->type, err->text);
    if (ends_request(handler) && is_for_current(kernel, event)) {
        execution_fail(kernel, "SandboxError", err->text,
                       "The worker sent a reply that clients cannot read.");
        return;
    }
    AUTO(mem) char *line =
        xasprintf("cellpod: a message of the cell is not shown: %s\n", err->text);
    publish_stderr(&kernel->publisher, line, parent);
}

void
relay_event(struct kernel *kernel, const struct envelope *event)
{
    event_fn *handler = find_handler(event->type);
    struct slice parent = parent_headers_find(kernel->execution.parents, event->parent);
    struct error err;

    if (!handler) {
        log_error("unknown event type=%.60s", event->type);
        return;
    }
    if (event->content.len == 0 && handler == ignore)
        return;
    if (check(event, &err) < 0)
        refuse(kernel, event, parent, handler, &err);
    else if (!is_output(handler) || !ask_attempt_takes_output(&kernel->ask, event))
        handler(kernel, event, parent);
}

void
relay_output(struct kernel *kernel, const struct envelope *event, struct slice parent)
{
    event_fn *handler = find_handler(event->type);

    if (handler && is_output(handler))
        handler(kernel, event, parent);
}
