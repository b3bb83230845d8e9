#include "sandbox/life/autorun_names.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/acted_on.h"

enum {
    SLICE = 2000, /* entries of the folder that are looked at in one go: some ms */
    MAX_SLICES = 2000,
    MAX_SEEN = 1000, /* names that are remembered */
    MAX_TOLD = 6,
};

/* A type that is not known may be a folder's. */
static const char *
reason_for(const struct dirent *entry)
{
    return acted_on_reason(entry->d_name,
                           entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* Of a pattern's name a part is the cell's own choice. */
static void
append_name(struct buffer *text, const char *name)
{
    for (size_t i = 0; name[i] && i < 60; i++) {
        const unsigned char c = (unsigned char)name[i];
        buffer_append(text, c < 0x20 || c >= 0x7F ? "?" : name + i, 1);
    }
}

static void
append_news(struct buffer *text, const char *name, const char *reason, unsigned count)
{
    if (count > MAX_TOLD)
        return;
    buffer_append_text(text, count > 1 ? ", " : "New in the notebook's folder: ");
    if (count == MAX_TOLD) {
        buffer_append_text(text, "and more");
        return;
    }
    append_name(text, name);
    buffer_printf(text, " (%s)", reason);
}

/* True if this name has not been here before. */
static bool
is_new(struct autorun_names *state, const char *name)
{
    if (json_object_get(state->seen, name) || json_object_size(state->seen) >= MAX_SEEN)
        return false;
    return json_object_set_new(state->seen, name, json_true()) == 0;
}

/* A folder that has not changed has no new names. */
static bool
has_changed(struct autorun_names *state, int fd)
{
    struct stat status;

    if (fstat(fd, &status) < 0 || (status.st_ctim.tv_sec == state->changed.tv_sec &&
                                   status.st_ctim.tv_nsec == state->changed.tv_nsec))
        return false;
    state->changed = status.st_ctim;
    return true;
}

bool
autorun_names_look(struct autorun_names *state, int folder)
{
    AUTO(fd) int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (!state->seen || state->listing || fd < 0 || !has_changed(state, fd) ||
        !(state->listing = fdopendir(fd)))
        return false;
    fd = -1; /* the listing's */
    state->slices = state->count = 0;
    return true;
}

bool
autorun_names_go_on(struct autorun_names *state)
{
    const struct dirent *entry = NULL;

    if (!state->listing)
        return false;
    for (int i = 0; i < SLICE && (entry = readdir(state->listing)); i++) {
        const char *reason = reason_for(entry);
        if (reason && is_new(state, entry->d_name))
            append_news(&state->text, entry->d_name, reason, ++state->count);
    }
    if (entry && ++state->slices < MAX_SLICES)
        return true;
    closedir(TAKE(state->listing));
    return false;
}

bool
autorun_names_is_looking(const struct autorun_names *state)
{
    return state->listing != NULL;
}

void
autorun_names_begin(struct autorun_names *state, int folder)
{
    autorun_names_release(state);
    state->text = (struct buffer)BUFFER_INIT(SIZE_MAX);
    state->seen = json_object();
    autorun_names_look(state, folder);
}

char *
autorun_names_news(struct autorun_names *state)
{
    AUTO(buffer) struct buffer text = state->text;

    state->text = (struct buffer)BUFFER_INIT(SIZE_MAX);
    if (!text.len)
        return NULL;
    buffer_append_text(&text,
                       ". Look at what a cell has put there before you use a shell, an "
                       "editor, Python or Jupyter in that folder.");
    return TAKE(text.data);
}

void
autorun_names_release(struct autorun_names *state)
{
    if (state->listing)
        closedir(state->listing);
    buffer_release(&state->text);
    json_decref(state->seen);
    *state = (struct autorun_names){0};
}
