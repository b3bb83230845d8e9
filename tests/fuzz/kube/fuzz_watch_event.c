/* A line of a watch, and what is made of the object in it: nothing but an address comes
 * out as one, nothing but a name as a name, and whatever is shown is free of control
 * characters. */
#include <stdlib.h>

#include "kube/stage.h"
#include "kube/watch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct claim_wish wish = {"lab", "c1", "python", "", ""};
    AUTO(watch_event) struct watch_event event = {0};
    struct claim_state claim;
    struct error err;
    char text[500];

    if (watch_event_parse((struct slice){(const char *)data, size}, &event, &err) < 0)
        return 0;
    claim_object_read(event.object, &claim);
    if (claim.ip && strpbrk(claim.ip, "/@?# \r\n"))
        abort();
    if (claim.sandbox && !claim_object_is_name(claim.sandbox))
        abort();
    /* The same object as each of the others: each is read the same way. */
    const struct stage_facts facts = {.claim = &claim,
                                      .wish = &wish,
                                      .sandbox = event.object,
                                      .pod = event.object,
                                      .events = event.object,
                                      .queue = event.object};
    stage_describe(&facts, text, sizeof(text));
    check_text(text);
    stage_describe_end(&facts, text, sizeof(text));
    check_text(text);
    return 0;
}
