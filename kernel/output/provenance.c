#include "kernel/output/provenance.h"

#include "common/settings/settings_flags.h"

static const char *const policies[] = {
    [HTML_ASKED] = "asked",
    [HTML_REDUCED] = "reduced",
    [HTML_FULL] = "full",
};

static enum html_policy
policy_of(const char *word)
{
    for (size_t i = 0; i < COUNT_OF(policies); i++)
        if (word && strcmp(word, policies[i]) == 0)
            return (enum html_policy)i;
    return HTML_ASKED;
}

void
provenance_configure(struct provenance *provenance, const json_t *flags,
                     const char *folder)
{
    struct error err;
    json_auto_t *settings = settings_load_sandbox(NULL, &err);
    const char *word = json_string_value(json_object_get(flags, "html"));

    if (!word)
        word = getenv("CELLPOD_HTML");
    if (!word)
        word = json_string_value(json_object_get(settings, "html"));
    provenance->policy = policy_of(word);
    folder_trust_release(&provenance->folder);
    folder_trust_init(&provenance->folder, folder);
}

void
provenance_attempt_begins(struct provenance *provenance, bool is_models)
{
    provenance->is_attempting = true;
    if (is_models)
        folder_trust_begin(&provenance->folder);
    provenance->is_models = provenance->is_models || is_models;
}

void
provenance_attempt_ends(struct provenance *provenance)
{
    provenance->is_attempting = false;
}

void
provenance_fresh_worker(struct provenance *provenance)
{
    provenance->is_attempting = provenance->has_told = false;
}

void
provenance_fresh_sandbox(struct provenance *provenance)
{
    provenance_fresh_worker(provenance);
    provenance->is_models = false;
    folder_trust_end(&provenance->folder);
}

void
provenance_release(struct provenance *provenance)
{
    folder_trust_release(&provenance->folder);
}

char *
provenance_look(struct provenance *provenance)
{
    AUTO(mem) char *text = folder_trust_look(&provenance->folder);

    return provenance->policy == HTML_ASKED ? TAKE(text) : NULL;
}

bool
provenance_reduces(const struct provenance *provenance)
{
    switch (provenance->policy) {
    case HTML_FULL:
        return false;
    case HTML_REDUCED:
        return true;
    case HTML_ASKED:
        return provenance->is_attempting || provenance->is_models ||
               folder_trust_is_untrusted(&provenance->folder);
    }
    return true;
}
