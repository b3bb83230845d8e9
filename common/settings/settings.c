#include "common/settings/settings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "common/buffer.h"
#include "common/net/allow.h"
#include "common/paths.h"

static bool
has_dot_segment(const char *path)
{
    for (const char *at = path; (at = strchr(at, '/')); at++) {
        size_t len = strcspn(at + 1, "/");
        if ((len == 1 && at[1] == '.') || (len == 2 && at[1] == '.' && at[2] == '.'))
            return true;
    }
    return false;
}

/* jansson keeps NUL bytes out: a string is as long as it looks. */
bool
settings_is_path(const json_t *text)
{
    const char *path = json_string_value(text);

    return path[0] == '/' && strlen(path) < PATH_MAX && !has_dot_segment(path);
}

static bool
is_one_of(const json_t *value, const char *a, const char *b)
{
    const char *text = json_string_value(value);

    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

bool
settings_is_mode(const json_t *value)
{
    return is_one_of(value, "rw", "ro");
}

static bool
is_network_mode(const json_t *value)
{
    return is_one_of(value, "none", "list");
}

bool
settings_is_runtime(const json_t *value)
{
    return is_one_of(value, "namespaces", "runsc");
}

static bool
is_rule(const json_t *value)
{
    struct error err;

    return allow_check_rule(json_string_value(value), &err) == 0;
}

/* What outputs may hold, for kernel/output/provenance.h. */
bool
settings_is_html(const json_t *value)
{
    return is_one_of(value, "asked", "reduced") ||
           strcmp(json_string_value(value), "full") == 0;
}

/* Whether the notebook's folder travels, for kernel/carry/carry_choice.h. */
bool
settings_is_carry(const json_t *value)
{
    return is_one_of(value, "both", "send") ||
           strcmp(json_string_value(value), "none") == 0;
}

bool
settings_is_variable(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return !*name;
}

static bool
is_variable(const json_t *value)
{
    return settings_is_variable(json_string_value(value));
}

/* A Python with pandas needs some 60 MiB, and a dozen processes and threads. */
const struct field settings_resources[] = {
    FIELD("cpus", NUMBER, .least = 0.05, .most = 4096),
    FIELD("memory_mb", WHOLE, .least = 64, .most = 1 << 24),
    FIELD("pids", WHOLE, .least = 16, .most = 1 << 20),
    FIELD("open_files", WHOLE, .least = 64, .most = 1 << 20),
    FIELD("disk_mb", WHOLE, .least = 1, .most = 1 << 24),
    FIELD("cell_seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("cell_write_mb", WHOLE, .least = 1, .most = 1 << 24),
    FIELD("seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("checkpoints", WHOLE, .least = 0, .most = 16),
    FIELDS_END,
};

static const struct field rule =
    FIELD("rule", TEXT, .least = 1, .most = ALLOW_RULE_BYTES, .is_valid = is_rule,
          .must = "a host, like \"pypi.org:443\", \"*.example.org\", \"10.0.0.5\" or "
                  "\"[fd00::]/8:443\"");

const struct field settings_network[] = {
    FIELD("mode", TEXT, .must = "\"none\" or \"list\"", .is_valid = is_network_mode),
    FIELD("allow", LIST, .most = LIMIT_CLAIM_LIST, .of = &rule),
    FIELDS_END,
};

static const struct field mount_fields[] = {
    FIELD("source", TEXT, SETTINGS_PATH, .required = true),
    FIELD("target", TEXT, SETTINGS_PATH),
    FIELD("mode", TEXT, SETTINGS_MODE),
    FIELDS_END,
};

const struct field settings_mount = FIELD("mount", OBJECT, .of = mount_fields);
const struct field settings_layer = FIELD("layer", TEXT, .least = 1, .most = 64);

static const struct field variable =
    FIELD("variable", TEXT, .least = 1, .most = 256, .is_valid = is_variable,
          .must = "the name of a variable");

const struct field settings_sandbox[] = {
    FIELD("resources", OBJECT, .of = settings_resources),
    FIELD("network", OBJECT, .of = settings_network),
    FIELD("runtime", TEXT, SETTINGS_RUNTIME),
    FIELD("html", TEXT, .must = "\"asked\", \"reduced\" or \"full\"",
          .is_valid = settings_is_html),
    FIELD("waive", LIST, SETTINGS_WAIVE),
    FIELD("ttl_seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("idle_seconds", WHOLE, SETTINGS_SECONDS),
    FIELD("keep_minutes", WHOLE, .least = 0, .most = 7 * 24 * 60),
    FIELD("outputs_mb", WHOLE, .least = 0, .most = 1 << 10),
    FIELD("outputs_days", WHOLE, .least = 1, .most = 366),
    FIELD("carry", TEXT, .must = "\"both\", \"send\" or \"none\"",
          .is_valid = settings_is_carry),
    FIELD("carry_mb", WHOLE, .least = 1, .most = 1 << 14),
    FIELD("carry_file_mb", WHOLE, .least = 1, .most = 1 << 10),
    FIELD("carry_files", WHOLE, .least = 1, .most = 10000),
    FIELD("mounts", LIST, SETTINGS_MOUNTS),
    FIELD("env_passthrough", LIST, .most = LIMIT_CLAIM_LIST, .of = &variable),
    FIELDS_END,
};

/* Their owners check the members. */
static const struct field sections[] = {
    FIELD("ask", OBJECT),
    FIELD("sandbox", OBJECT),
    FIELDS_END,
};

/* --- the file --- */

char *
settings_path(const char *path)
{
    if (path)
        return xstrdup(path);
    AUTO(mem) char *folder = paths_config_dir();
    return xasprintf("%s/config.json", folder);
}

json_t *
settings_parse(struct slice text, const char *section, struct error *err)
{
    json_error_t at;
    json_auto_t *root = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, &at);

    if (!root)
        return (void)error_set(
                   err, ERR_BAD_INPUT,
                   "not valid JSON, or a duplicate name, at line %d, column %d",
                   at.line, at.column),
               NULL;
    if (fields_check("", root, sections, err) < 0)
        return NULL;
    json_t *found = json_object_get(root, section);
    return json_is_object(found) ? json_incref(found) : json_object();
}

static int
read_whole(int fd, struct buffer *text, struct error *err)
{
    ssize_t got = 1;

    while (got > 0) {
        char *room = buffer_reserve(text, KIB(4));
        if (!room)
            return error_set(err, ERR_TOO_LARGE, "over %d bytes", LIMIT_CONFIG);
        got = read(fd, room, KIB(4));
        if (got > 0)
            buffer_advance(text, (size_t)got);
    }
    return got < 0 ? error_sys(err, "read it") : 0;
}

json_t *
settings_load(const char *path, const char *section, struct error *err)
{
    AUTO(mem) char *file = settings_path(path);
    AUTO(buffer) struct buffer text = BUFFER_INIT(LIMIT_CONFIG + KIB(4));
    /* A FIFO in its place shall not hang the kernel. */
    AUTO(fd) int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return json_object();
    if (fd < 0)
        return (void)error_sys(err, "open it"), NULL;
    if (read_whole(fd, &text, err) < 0)
        return NULL;
    return settings_parse(buffer_slice(&text), section, err);
}

json_t *
settings_load_sandbox(const char *path, struct error *err)
{
    AUTO(mem) char *file = settings_path(path);
    json_auto_t *sandbox = settings_load(path, "sandbox", err);

    if (!sandbox || fields_check("sandbox", sandbox, settings_sandbox, err) < 0)
        return (void)error_wrap(err, "%s", file), NULL;
    return TAKE(sandbox);
}
