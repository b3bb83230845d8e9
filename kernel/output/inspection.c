#include "kernel/output/inspection.h"

#include "common/limits.h"
#include "kernel/jupyter/json_scan.h"
#include "kernel/output/content_check.h"
#include "kernel/output/display.h"
#include "kernel/output/output_reduce.h"
#include "kernel/output/own_metadata.h"

#define BRIEF_BYTES KIB(64) /* some milliseconds, whatever is in it */

void
inspection_init(struct inspection *inspection)
{
    *inspection = (struct inspection){
        .content = BUFFER_INIT(SIZE_MAX),
        .metadata = BUFFER_INIT(SIZE_MAX),
        .complaint = BUFFER_INIT(SIZE_MAX),
    };
}

void
inspection_release(struct inspection *inspection)
{
    buffer_release(&inspection->content);
    buffer_release(&inspection->metadata);
    buffer_release(&inspection->complaint);
}

static bool
is_display(const struct message_type *type)
{
    return type->id == MESSAGE_DISPLAY_DATA ||
           type->id == MESSAGE_UPDATE_DISPLAY_DATA ||
           type->id == MESSAGE_EXECUTE_RESULT;
}

/* Replies that clients see, or are built from. */
static bool
is_shown_reply(const struct message_type *type)
{
    return type->kind == MESSAGE_IS_REPLY &&
           (type->channels || type->id == MESSAGE_ATTEMPT_REPLY);
}

/* Sixteen bytes of picture may be sixteen thousand. A key that is written with an
 * escape is not a MIME type, and is refused. */
bool
inspection_is_brief(const struct inspection_order *order)
{
    return order->content.len + order->metadata.len <= BRIEF_BYTES &&
           !(is_display(order->type) &&
             memmem(order->content.data, order->content.len, "image/", 6));
}

static int
check(const struct inspection_order *order, struct error *err)
{
    if (order->content.len > LIMIT_OUTPUT_BYTES)
        return error_set(err, ERR_TOO_LARGE, "it is over %d MiB",
                         LIMIT_OUTPUT_BYTES >> 20);
    if (content_check(order->type, order->content, err) < 0)
        return -1;
    return order->metadata.len ? json_scan_check(order->metadata, err) : 0;
}

/* A tree of it takes a hundred bytes for each value, and each of its texts twice. */
static int
check_reducible(struct slice content, struct error *err)
{
    if (content.len > LIMIT_REDUCED_BYTES)
        return error_set(err, ERR_TOO_LARGE,
                         "it is over %d MiB, the most that a model's code may show",
                         LIMIT_REDUCED_BYTES >> 20);
    return json_scan_check_values(content, LIMIT_REDUCED_VALUES, err);
}

static void
replace(struct inspection *inspection, struct buffer *content)
{
    buffer_release(&inspection->content);
    inspection->content = *content;
    *content = (struct buffer)BUFFER_INIT(SIZE_MAX);
    inspection->is_rewritten = true;
}

static struct slice
current(const struct inspection_order *order, const struct inspection *inspection)
{
    return inspection->is_rewritten ? buffer_slice(&inspection->content)
                                    : order->content;
}

static void
strip(const struct inspection_order *order, struct inspection *inspection)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    if (own_metadata_strip(order->content, &content))
        replace(inspection, &content);
    inspection->is_metadata_rewritten =
        own_metadata_strip_bare(order->metadata, &inspection->metadata);
}

static int
reduce(const struct inspection_order *order, struct inspection *inspection,
       struct error *err)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);
    struct slice given = current(order, inspection);

    if (check_reducible(given, err) < 0)
        return -1;
    if (is_display(order->type))
        output_reduce_display(given, &content, &inspection->complaint);
    else
        output_reduce_reply(given, &content, &inspection->complaint);
    replace(inspection, &content);
    return 0;
}

static void
check_pictures(const struct inspection_order *order, struct inspection *inspection)
{
    AUTO(buffer) struct buffer content = BUFFER_INIT(SIZE_MAX);

    if (display_check(current(order, inspection), &inspection->image_budget, &content,
                      &inspection->complaint) == DISPLAY_REWRITTEN)
        replace(inspection, &content);
}

void
inspection_run(const struct inspection_order *order, struct inspection *inspection)
{
    inspection->image_budget = order->image_budget;
    if (check(order, &inspection->why) < 0) {
        inspection->is_refused = true;
        return;
    }
    strip(order, inspection);
    if (order->reduces && (is_display(order->type) || is_shown_reply(order->type)) &&
        reduce(order, inspection, &inspection->why) < 0) {
        inspection->is_refused = true;
        return;
    }
    if (is_display(order->type))
        check_pictures(order, inspection);
}
