/*
 * local: answers a question inside this process, without a model. This is the planner.
 *
 * For all other code it is a provider: its answers go through check, sandbox and repair
 * like others.
 */
#pragma once

#include <jansson.h>

#include "common/error.h"

struct local_request {
    const char *question;
    const json_t *profile; /* all of it: nothing leaves the machine */
    const json_t *earlier; /* array of {"question","code","plan"}, oldest first */
    const char *language;  /* of the question: "en"; NULL or "" for the default */
    const json_t *failure; /* NULL, or the cell to repair instead (bridge/repair) */
    bool explain;          /* it says how the code gets the answer */
};

/* Either code or a refusal; all owned by the caller. */
struct local_answer {
    char *code;
    char *said;    /* assumptions and the like, for people; NULL for nothing */
    char *refusal; /* why not, and what it could do instead */
    json_t *plan;  /* for the outputs' metadata, or NULL */
};

/* -1 only when the profile is invalid or the language unknown; if it does not know an
 * answer, that is a refusal. It must be fast, since it runs on the kernel's loop. */
typedef int local_answer_fn(const struct local_request *request,
                            struct local_answer *answer, struct error *err);
