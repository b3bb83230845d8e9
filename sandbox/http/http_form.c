#include "sandbox/http/http_form.h"

#include <strings.h>

#include "sandbox/http/http_exchange.h"

enum {
    FORM_MEMORY = 64 << 10, /* for the heads of parts; a longer one is an error */
};

struct http_form {
    struct MHD_PostProcessor *processor;
    http_part_fn on_part;
    void *context;
    bool has_failed;
    struct error err;
};

static enum MHD_Result
on_form_part(void *context, enum MHD_ValueKind kind UNUSED, const char *key,
             const char *name, const char *type UNUSED, const char *encoding UNUSED,
             const char *data, uint64_t offset, size_t size)
{
    struct http_form *form = context;

    if (!form->has_failed &&
        form->on_part(form->context, key ? key : "", name, offset,
                      (struct slice){data ? data : "", size}, &form->err) < 0)
        form->has_failed = true;
    return form->has_failed ? MHD_NO : MHD_YES;
}

struct http_form *
http_form_new(struct http_request *request, http_part_fn on_part, void *context)
{
    const char *type = http_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);
    struct http_form *form;

    if (!type || strncasecmp(type, "multipart/form-data", 19) != 0)
        return NULL;
    form = xcalloc(1, sizeof(*form));
    *form = (struct http_form){.on_part = on_part, .context = context};
    form->processor =
        MHD_create_post_processor(request->connection, FORM_MEMORY, on_form_part, form);
    if (form->processor)
        return form;
    free(form);
    return NULL;
}

int
http_form_read(struct http_form *form, const char *data, size_t len, struct error *err)
{
    if (MHD_post_process(form->processor, data, len) == MHD_YES && !form->has_failed)
        return 0;
    if (!form->has_failed)
        (void)error_set(&form->err, ERR_BAD_INPUT, "the form is malformed");
    *err = form->err;
    return -1;
}

void
http_form_free(struct http_form *form)
{
    if (!form)
        return;
    form->has_failed = true; /* what is left over is ignored */
    MHD_destroy_post_processor(form->processor);
    free(form);
}
