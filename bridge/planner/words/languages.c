#include "bridge/planner/words/languages.h"

#include <dirent.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/paths.h"

#define DEFAULT_LANGUAGE "en"
#define INSTALLED        "share/cellpod/planner"

enum {
    NAME_MAX_BYTES = 32,
    FOLDERS = 2,
    DETECT_WORDS = 64, /* of a question, that tell its language */
};

struct language {
    char *name;
    struct lexicon *lexicon;
    struct language *next;
};

/* Where lexicons stand, the user's folder first: each owned, NULL for none. */
static void
find_folders(char *folder[FOLDERS])
{
    AUTO(mem) char *config = paths_config_dir();
    struct error ignored;

    folder[0] = xasprintf("%s/planner", config);
    folder[1] = paths_installed(INSTALLED, &ignored);
}

static void
free_folders(char *folder[FOLDERS])
{
    for (size_t i = 0; i < FOLDERS; i++)
        free(folder[i]);
}

/* A name leads to no other folder. */
static bool
is_name(const char *name)
{
    size_t len = strlen(name);

    return len && len <= NAME_MAX_BYTES &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789-_") == len;
}

static void
list_folder(struct buffer *out, const char *folder)
{
    struct dirent **entry;
    int count = folder ? scandir(folder, &entry, NULL, alphasort) : -1;

    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name, *dot = strstr(name, ".txt");

        if (dot && dot > name && dot[4] == '\0')
            buffer_printf(out, "%s%.*s", out->len ? ", " : "", (int)(dot - name), name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

static int
no_such_language(const char *name, char *folder[FOLDERS], struct error *err)
{
    AUTO(buffer) struct buffer known = BUFFER_INIT(256);

    for (size_t i = 0; i < FOLDERS; i++)
        list_folder(&known, folder[i]);
    return error_set(err, ERR_NOT_FOUND,
                     "the planner has no language \"%.40s\": there are %s "
                     "(docs/planner.md says how to add one)",
                     name, known.data ? known.data : "none");
}

static struct lexicon *
load(const char *name, struct error *err)
{
    char *folder[FOLDERS];
    struct lexicon *lexicon = NULL;
    bool is_there = false;

    find_folders(folder);
    for (size_t i = 0; i < FOLDERS && !is_there && is_name(name); i++) {
        AUTO(mem) char *path =
            folder[i] ? xasprintf("%s/%s.txt", folder[i], name) : NULL;

        is_there = path && access(path, F_OK) == 0;
        lexicon = is_there ? lexicon_load(path, err) : NULL;
    }
    if (!is_there)
        (void)no_such_language(name, folder, err);
    free_folders(folder);
    return lexicon;
}

static const struct lexicon *
find(const char *name, struct error *err)
{
    static struct language *loaded;

    for (struct language *at = loaded; at; at = at->next)
        if (strcmp(at->name, name) == 0)
            return at->lexicon;
    struct lexicon *lexicon = load(name, err);
    if (!lexicon)
        return NULL;
    struct language *language = xcalloc(1, sizeof(*language));
    *language = (struct language){xstrdup(name), lexicon, loaded};
    loaded = language;
    return lexicon;
}

/* How many words of a question the grammar knows in that language. */
static size_t
count_known(const struct lexicon *lexicon, struct slice question)
{
    AUTO(arena) struct arena arena = {0};
    struct words words = words_split(&arena, question, DETECT_WORDS);
    size_t known = 0, len;

    for (size_t at = 0; at < words.count; at += len) {
        bool is_known = lexicon_term(lexicon, &words, at, &len) != TERM_NONE;

        len = is_known && len ? len : 1;
        known += is_known ? len : 0;
    }
    return known;
}

const struct lexicon *
languages_detect(struct slice question, struct error *err)
{
    static const char *const others[] = {"de"}; /* those that ship */
    const struct lexicon *best = find(DEFAULT_LANGUAGE, err);
    size_t most = best ? count_known(best, question) : 0;

    for (size_t i = 0; best && i < COUNT_OF(others); i++) {
        struct error ignored;
        const struct lexicon *other = find(others[i], &ignored);
        size_t known = other ? count_known(other, question) : 0;

        if (known > most + 1) {
            best = other;
            most = known;
        }
    }
    return best;
}

const struct lexicon *
languages_find(const char *name, struct error *err)
{
    return find(name && *name ? name : DEFAULT_LANGUAGE, err);
}
