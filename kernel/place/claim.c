#include "kernel/place/claim.h"

#include <limits.h>
#include <stdio.h>

#include "common/paths.h"
#include "common/settings/settings_flags.h"
#include "kernel/place/workspace_choice.h"

static bool
is_mode(struct slice word)
{
    return slice_equals(word, SLICE("rw")) || slice_equals(word, SLICE("ro"));
}

static int
add_mount_word(json_t *mounts, struct slice word, struct error *err)
{
    json_t *last = json_array_get(mounts, json_array_size(mounts) - 1);

    if (is_mode(word) && last) {
        json_object_set_new(last, "mode", json_stringn(word.data, word.len));
        return 0;
    }
    if (word.data[0] != '/')
        return error_set(err, ERR_BAD_INPUT,
                         "CELLPOD_MOUNTS: `%.*s' is not an absolute path; write "
                         "/data,/models:rw",
                         (int)(word.len < 80 ? word.len : 80), word.data);
    json_t *mount = json_pack("{s:s%, s:s%, s:s}", "source", word.data, word.len,
                              "target", word.data, word.len, "mode", "ro");
    if (!mount)
        return error_set(err, ERR_BAD_INPUT, "CELLPOD_MOUNTS: not UTF-8");
    json_array_append_new(mounts, mount);
    return 0;
}

int
claim_parse_mounts(const char *text, json_t **out, struct error *err)
{
    json_auto_t *mounts = json_array();

    for (const char *at = text; *at;) {
        size_t len = strcspn(at, ",:");
        if (len && add_mount_word(mounts, (struct slice){at, len}, err) < 0)
            return -1;
        at += len;
        at += *at != '\0';
    }
    *out = TAKE(mounts);
    return 0;
}

static char *
absolute(const char *path)
{
    char cwd[PATH_MAX];

    if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
        return xstrdup(path);
    return xasprintf("%s/%s", cwd, path);
}

static char *
find_on_path(const char *name)
{
    const char *path = getenv("PATH");

    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at;) {
        size_t len = strcspn(at, ":");
        AUTO(mem) char *candidate = xasprintf("%.*s/%s", (int)len, at, name);
        if (len && access(candidate, X_OK) == 0)
            return absolute(candidate);
        at += len;
        at += *at == ':';
    }
    return NULL;
}

char *
claim_find_python(struct error *err)
{
    const char *wanted = getenv("CELLPOD_PYTHON");
    AUTO(mem) char *installed = paths_python();
    const char *name = wanted && *wanted ? wanted : installed ? installed : "python3";
    char *found = strchr(name, '/') ? absolute(name) : find_on_path(name);

    if (found && access(found, X_OK) == 0)
        return found;
    free(found);
    error_format(err, ERR_NOT_FOUND,
                 "no Python at `%.200s': set CELLPOD_PYTHON to one that has IPython",
                 name);
    return NULL;
}

static void
pass_variable(json_t *env, const char *name, size_t len)
{
    AUTO(mem) char *copy = xstrndup(name, len);
    const char *value = getenv(copy);
    json_t *text = value ? json_string(value) : NULL;

    if (text && *copy)
        json_object_set_new(env, copy, text);
    else
        json_decref(text);
}

static json_t *
words_of(const char *text, void (*each)(json_t *, const char *, size_t), json_t *into)
{
    for (const char *at = text ? text : ""; *at;) {
        size_t len = strcspn(at, ",: ");
        if (len)
            each(into, at, len);
        at += len;
        at += *at != '\0';
    }
    return into;
}

/* Variables that Jupyter and programs that run notebooks set for kernels;
 * docs/configuration.md lists them. */
#define PASSED_ALWAYS "LANG,LC_ALL,TZ,JPY_SESSION_NAME,IPYKERNEL_CELL_NAME"

static json_t *
environment(const json_t *settings)
{
    const char *names = getenv("CELLPOD_ENV_PASSTHROUGH");
    json_t *env = json_object(), *name;
    size_t index;

    words_of(PASSED_ALWAYS, pass_variable, env);
    if (names)
        return words_of(names, pass_variable, env);
    json_array_foreach (json_object_get(settings, "env_passthrough"), index, name)
        pass_variable(env, json_string_value(name), json_string_length(name));
    return env;
}

static void
append_word(json_t *list, const char *word, size_t len)
{
    json_array_append_new(list, json_stringn(word, len));
}

bool
claim_wants_runsc(const json_t *flags)
{
    struct error err;
    json_auto_t *settings = settings_load_sandbox(NULL, &err);

    if (!settings)
        return false;
    settings_flags_override(settings, flags);
    const char *runtime = json_string_value(json_object_get(settings, "runtime"));
    return runtime && strcmp(runtime, "runsc") == 0;
}

/* null: a private one, which ends with the sandbox. */
static json_t *
workspace(char **notice)
{
    AUTO(mem) char *folder = workspace_choice_make(notice);

    return folder ? json_pack("{s:s, s:s}", "path", folder, "mode", "rw") : json_null();
}

static int
add_local(json_t *spec, char **notice, struct error *err)
{
    AUTO(mem) char *python = claim_find_python(err);

    if (!python)
        return -1;
    json_object_set_new(spec, "template", json_string(python));
    json_object_set_new(spec, "owner", json_true());
    return json_object_set_new(spec, "workspace", workspace(notice)) < 0
               ? error_set(err, ERR_BAD_INPUT, "the notebook's folder is not UTF-8")
               : 0;
}

/* kernel/carry/carry_choice.c takes it. */
static int
check_carry(struct error *err)
{
    const char *carry = getenv("CELLPOD_CARRY");
    json_auto_t *word = carry ? json_string(carry) : NULL;

    return carry && !(word && settings_is_carry(word))
               ? error_set(err, ERR_BAD_INPUT,
                           "CELLPOD_CARRY must be both, send or none")
               : 0;
}

/* Settings from the environment; a variable counts even when it is empty. */
static int
add_environment(json_t *settings, struct error *err)
{
    const char *mounts_text = getenv("CELLPOD_MOUNTS");
    const char *waive = getenv("CELLPOD_WAIVE"), *html = getenv("CELLPOD_HTML");
    json_t *mounts;

    if (waive)
        json_object_set_new(settings, "waive",
                            words_of(waive, append_word, json_array()));
    if (html)
        json_object_set_new(settings, "html", json_string(html));
    if (html && !settings_is_html(json_object_get(settings, "html")))
        return error_set(err, ERR_BAD_INPUT,
                         "CELLPOD_HTML must be asked, reduced or full");
    if (!mounts_text)
        return 0;
    if (claim_parse_mounts(mounts_text, &mounts, err) < 0)
        return -1;
    json_object_set_new(settings, "mounts", mounts);
    return 0;
}

/* For ourselves, or for sandboxes that share our files. */
static bool
goes_along(const char *name, bool is_local)
{
    static const char *const ours[] = {
        "carry", "carry_mb",     "carry_file_mb", "carry_files", "env_passthrough",
        "html",  "keep_minutes", "outputs_mb",    "outputs_days"};
    static const char *const local[] = {"mounts", "runtime"};

    for (size_t i = 0; i < COUNT_OF(ours); i++)
        if (strcmp(name, ours[i]) == 0)
            return false;
    for (size_t i = 0; i < COUNT_OF(local) && !is_local; i++)
        if (strcmp(name, local[i]) == 0)
            return false;
    return true;
}

/* Members of the settings go as they are: claim and settings have the same names. */
static void
add_settings(json_t *spec, const json_t *settings, bool is_local)
{
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *)settings, name, value)
        if (goes_along(name, is_local))
            json_object_set(spec, name, value);
}

json_t *
claim_make(bool is_local, const json_t *flags, char **notice, struct error *err)
{
    json_auto_t *settings = settings_load_sandbox(NULL, err);
    json_auto_t *spec = json_object();

    *notice = NULL;
    if (!settings || check_carry(err) < 0 ||
        (is_local && add_environment(settings, err) < 0))
        return NULL;
    settings_flags_override(settings, flags);
    json_object_set_new(spec, "env", environment(settings));
    add_settings(spec, settings, is_local);
    if (is_local && add_local(spec, notice, err) < 0)
        return NULL;
    return TAKE(spec);
}
