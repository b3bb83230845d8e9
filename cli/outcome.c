#include "cli/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include "cli/command.h"
#include "common/base64.h"
#include "common/limits.h"
#include "kernel/output/image_check.h"

static json_t *
parse(struct slice content)
{
    return json_loadb(content.data, content.len, JSON_ALLOW_NUL, NULL);
}

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* The text of a field that IPython may give as one string. Bytes below 0x20 are the
 * program's own business, as they are for any program in this terminal. */
static void
show_text(FILE *to, const json_t *text)
{
    const char *data = json_string_value(text);

    if (data)
        fwrite(data, 1, json_string_length(text), to);
}

static void
show_stream(const json_t *content)
{
    bool is_error = strcmp(text_of(content, "name"), "stderr") == 0;

    fflush(is_error ? stdout : stderr);
    show_text(is_error ? stderr : stdout, json_object_get(content, "text"));
    fflush(is_error ? stderr : stdout);
}

/* Colours are for terminals. */
static void
show_line(const char *text)
{
    bool has_colours = isatty(STDERR_FILENO);

    while (*text) {
        size_t plain = strcspn(text, "\033");
        fwrite(text, 1, plain, stderr);
        text += plain;
        if (*text != '\033')
            continue;
        size_t code = strcspn(text, "m") + 1;
        if (has_colours)
            fwrite(text, 1, code, stderr);
        text += code <= strlen(text) ? code : strlen(text);
    }
    fputc('\n', stderr);
}

static void
show_error(const json_t *content)
{
    size_t i;
    json_t *line;

    fflush(stdout);
    json_array_foreach (json_object_get(content, "traceback"), i, line)
        if (json_is_string(line))
            show_line(json_string_value(line));
}

/* --- pictures --- */

static int
check_png(struct slice bytes, struct error *err)
{
    struct image_size size;

    return image_check_png(bytes, &(uint64_t){LIMIT_IMAGE_BYTES}, &size, err);
}

static int
check_jpeg(struct slice bytes, struct error *err)
{
    struct image_size size;

    return image_check_jpeg(bytes, &(uint64_t){LIMIT_IMAGE_BYTES}, &size, err);
}

/* In the order of preference. */
static const struct picture {
    const char *mime, *suffix;
    int (*check)(struct slice bytes, struct error *err); /* NULL: it is text */
} pictures[] = {
    {"image/png",     "png", check_png },
    {"image/jpeg",    "jpg", check_jpeg},
    {"image/svg+xml", "svg", NULL      },
};

static int
write_new(const char *path, struct slice bytes, struct error *err)
{
    AUTO(fd) int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (file < 0)
        return error_sys(err, "write %s", path);
    for (size_t done = 0; done < bytes.len;) {
        ssize_t wrote = write(file, bytes.data + done, bytes.len - done);
        if (wrote < 0)
            return error_sys(err, "write %s", path);
        done += (size_t)wrote;
    }
    printf("%s\n", path);
    return 0;
}

/* The next free number: existing files are not overwritten. */
static int
save(struct outcome *outcome, const struct picture *picture, struct slice bytes,
     struct error *err)
{
    for (;;) {
        AUTO(mem) char *path = xasprintf("%s/%03u.%s", outcome->folder,
                                         ++outcome->pictures, picture->suffix);
        if (access(path, F_OK) < 0)
            return write_new(path, bytes, err);
    }
}

static int
save_picture(struct outcome *outcome, const struct picture *picture,
             const json_t *value, struct error *err)
{
    AUTO(buffer) struct buffer bytes = BUFFER_INIT(LIMIT_ENVELOPE_BYTES);
    struct slice text = {json_string_value(value), json_string_length(value)};

    if (!picture->check)
        return save(outcome, picture, text, err);
    if (base64_decode(text, &bytes, err) < 0 ||
        picture->check(buffer_slice(&bytes), err) < 0)
        return -1;
    return save(outcome, picture, buffer_slice(&bytes), err);
}

static const struct picture *
find_picture(const json_t *data)
{
    for (size_t i = 0; i < COUNT_OF(pictures); i++)
        if (json_is_string(json_object_get(data, pictures[i].mime)))
            return &pictures[i];
    return NULL;
}

/* python shows no last expression's value, so `is_asked` is false for one. */
static void
show_display(struct outcome *outcome, const json_t *content, bool is_asked)
{
    const json_t *data = json_object_get(content, "data");
    const struct picture *picture = outcome->folder ? find_picture(data) : NULL;
    struct error err;

    fflush(stderr);
    if (picture &&
        save_picture(outcome, picture, json_object_get(data, picture->mime), &err) < 0)
        command_fail(&err);
    else if (!picture && is_asked) {
        show_text(stdout, json_object_get(data, "text/plain"));
        fputc('\n', stdout);
    }
    fflush(stdout);
}

void
outcome_show(struct outcome *outcome, const struct envelope *event)
{
    json_auto_t *content = parse(event->content);

    if (strcmp(event->type, "stream") == 0)
        show_stream(content);
    else if (strcmp(event->type, "display_data") == 0)
        show_display(outcome, content, true);
    else if (strcmp(event->type, "execute_result") == 0)
        show_display(outcome, content, false);
    else if (strcmp(event->type, "notice") == 0)
        fprintf(stderr, "cellpod: %s\n", text_of(content, "message"));
}

/* --- the end --- */

/* sys.exit(3), sys.exit("why"), sys.exit(): as python does with its argument. */
static int
status_of_exit(const json_t *content)
{
    const char *value = text_of(content, "evalue");
    char *end;
    long status = strtol(value, &end, 10);

    if (*value == '\0' || strcmp(value, "None") == 0)
        return 0;
    if (*end == '\0')
        return (int)(status & 0xFF);
    fprintf(stderr, "%s\n", value);
    return 1;
}

void
outcome_take_reply(struct outcome *outcome, struct slice text)
{
    json_auto_t *content = parse(text);
    const char *ename = text_of(content, "ename");

    if (strcmp(text_of(content, "status"), "error") != 0)
        return;
    if (strcmp(ename, "SystemExit") == 0) {
        outcome->status = status_of_exit(content);
        return;
    }
    show_error(content);
    outcome->status = strcmp(ename, "KeyboardInterrupt") == 0 ? 128 + SIGINT : 1;
}

void
outcome_take_death(struct outcome *outcome, struct slice text)
{
    json_auto_t *content = parse(text);
    const json_t *code = json_object_get(content, "exit_code");

    fprintf(stderr, "cellpod: %s\n", text_of(content, "message"));
    outcome->status =
        json_is_integer(code) ? (int)(json_integer_value(code) & 0xFF) : 128 + SIGKILL;
}

void
outcome_take_end(struct outcome *outcome, struct slice text)
{
    json_auto_t *content = parse(text);

    fprintf(stderr, "cellpod: %s\n", text_of(content, "message"));
    outcome->status = EXIT_FAILED;
}

void
outcome_take_refusal(struct outcome *outcome, struct slice text)
{
    json_auto_t *content = parse(text);
    const char *remedy = text_of(content, "remedy");

    fprintf(stderr, "cellpod: %s\n", text_of(content, "message"));
    if (*remedy)
        fprintf(stderr, "%s\n", remedy);
    fputs("`cellpod doctor` shows what else this machine cannot do.\n", stderr);
    outcome->status = EXIT_FAILED;
}
