#include "bridge/asking/extract.h"

#include <ctype.h>

#include "common/buffer.h"

enum {
    BLOCKS_MAX = 32,
    REPEATS_MAX = 4, /* the same line in a row: a base model going in circles */
};

struct block {
    struct slice text; /* from behind the opening fence's line to the closing fence */
    size_t indent;     /* of the fence, taken off its lines */
    bool is_python, is_closed;
};

struct blocks {
    struct block list[BLOCKS_MAX];
    size_t count;
};

static struct slice
next_line(struct slice *rest)
{
    const char *end = memchr(rest->data, '\n', rest->len);
    struct slice line = {rest->data, end ? (size_t)(end - rest->data) + 1 : rest->len};

    *rest = (struct slice){rest->data + line.len, rest->len - line.len};
    return line;
}

static struct slice
trim(struct slice text)
{
    while (text.len && isspace((unsigned char)text.data[text.len - 1]))
        text.len--;
    while (text.len && isspace((unsigned char)text.data[0]))
        text = (struct slice){text.data + 1, text.len - 1};
    return text;
}

static bool
starts_with(struct slice text, const char *start)
{
    size_t len = strlen(start);

    return text.len >= len && strncasecmp(text.data, start, len) == 0;
}

/* --- thoughts --- */

static const char *
find_last(struct slice text, const char *word)
{
    const char *found = NULL, *at = text.data;
    size_t left = text.len;

    while ((at = memmem(at, left, word, strlen(word)))) {
        found = at++;
        left = text.len - (size_t)(at - text.data);
    }
    return found;
}

/* The opening tag may be missing; a thought that never ends hides the rest. */
static struct slice
without_thoughts(struct slice text)
{
    static const char close[] = "</think>", open[] = "<think>";
    const char *end = find_last(text, close);

    if (end) {
        end += strlen(close);
        text = (struct slice){end, text.len - (size_t)(end - text.data)};
    }
    const char *start = memmem(text.data, text.len, open, strlen(open));
    if (start)
        text.len = (size_t)(start - text.data);
    return text;
}

/* --- fences --- */

struct fence {
    char mark;
    size_t length, indent;
    struct slice info;
};

static bool
read_fence(struct slice line, struct fence *fence)
{
    size_t indent = 0, length = 0;

    while (indent < line.len && (line.data[indent] == ' ' || line.data[indent] == '\t'))
        indent++;
    line = (struct slice){line.data + indent, line.len - indent};
    if (line.len < 3 || (line.data[0] != '`' && line.data[0] != '~'))
        return false;
    while (length < line.len && line.data[length] == line.data[0])
        length++;
    *fence = (struct fence){
        .mark = line.data[0],
        .length = length,
        .indent = indent,
        .info = trim((struct slice){line.data + length, line.len - length}),
    };
    return length >= 3;
}

static bool
is_python(struct slice info)
{
    static const char *const names[] = {"python", "py", "ipython", "{python"};
    size_t word = 0;

    while (word < info.len && !isspace((unsigned char)info.data[word]))
        word++;
    if (word == 0)
        return true;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (starts_with(info, names[i]) && word <= strlen(names[i]) + 1)
            return true;
    return false;
}

/* Text outside of the blocks goes to `said`. */
static void
find_blocks(struct slice text, struct blocks *blocks, struct buffer *said)
{
    struct fence open = {0}, fence;
    struct block *block = NULL;

    while (text.len) {
        struct slice line = next_line(&text);
        bool is_fence = read_fence(line, &fence);
        if (block && is_fence && fence.mark == open.mark &&
            fence.length >= open.length) {
            block->is_closed =
                true; /* words behind it are prose, whatever Markdown says */
            block = NULL;
            buffer_append(said, fence.info.data, fence.info.len);
        } else if (block) {
            block->text.len += line.len;
        } else if (is_fence && blocks->count < BLOCKS_MAX) {
            open = fence;
            block = &blocks->list[blocks->count++];
            *block = (struct block){
                .text = {text.data, 0},
                .indent = fence.indent,
                .is_python = is_python(fence.info),
            };
        } else {
            buffer_append(said, line.data, line.len);
        }
    }
}

static void
append_dedented(struct buffer *out, const struct block *block)
{
    struct slice rest = block->text;

    while (rest.len) {
        struct slice line = next_line(&rest);
        size_t off = 0;
        while (off < block->indent && off < line.len &&
               (line.data[off] == ' ' || line.data[off] == '\t'))
            off++;
        buffer_append(out, line.data + off, line.len - off);
    }
}

/* --- several blocks: steps or alternatives --- */

static size_t
name_length(struct slice text)
{
    size_t len = 0;

    while (len < text.len &&
           (isalnum((unsigned char)text.data[len]) || text.data[len] == '_'))
        len++;
    return len;
}

static bool
mentions(struct slice text, struct slice name)
{
    for (size_t at = 0; at < text.len;) {
        size_t len = name_length((struct slice){text.data + at, text.len - at});
        if (slice_equals((struct slice){text.data + at, len}, name))
            return true;
        at += len ? len : 1;
    }
    return false;
}

/* "total = …", "def plot(…", "import pandas as pd": the name that the line gives. */
static struct slice
given_name(struct slice line)
{
    const char *as = memmem(line.data, line.len, " as ", 4);

    if ((starts_with(line, "import ") || starts_with(line, "from ")) && as) {
        struct slice rest = {as + 4, line.len - (size_t)(as + 4 - line.data)};
        return (struct slice){rest.data, name_length(rest)};
    }
    bool is_import = starts_with(line, "import ");
    if (is_import || starts_with(line, "def ")) {
        size_t skip = is_import ? strlen("import ") : strlen("def ");
        line = (struct slice){line.data + skip, line.len - skip};
    }
    size_t len = name_length(line), at = len;
    while (at < line.len && line.data[at] == ' ')
        at++;
    bool is_call = at < line.len && line.data[at] == '(';
    bool is_set = at + 1 < line.len && line.data[at] == '=' && line.data[at + 1] != '=';
    return (struct slice){line.data, is_import || is_call || is_set ? len : 0};
}

static bool
gives(struct slice text, struct slice name)
{
    while (text.len) {
        struct slice given = given_name(next_line(&text));
        if (given.len && slice_equals(given, name))
            return true;
    }
    return false;
}

/* Does the later block use a name that only the earlier one gives? */
static bool
builds_on(struct slice later, struct slice earlier)
{
    while (earlier.len) {
        struct slice name = given_name(next_line(&earlier));
        if (name.len && mentions(later, name) && !gives(later, name))
            return true;
    }
    return false;
}

static void
join_blocks(struct buffer *code, const struct block *list, size_t count)
{
    size_t first = count - 1;

    while (first > 0 && builds_on(list[count - 1].text, list[first - 1].text))
        first--;
    for (size_t i = first; i < count; i++)
        append_dedented(code, &list[i]);
}

/* --- code itself --- */

static char *
clean_code(struct slice code)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);

    while (code.len) {
        struct slice line = next_line(&code);
        if (starts_with(line, "%matplotlib"))
            continue; /* charts are inline here anyway */
        if (line.len >= 2 && line.data[line.len - 2] == '\r') {
            buffer_append(&out, line.data, line.len - 2);
            buffer_append(&out, "\n", 1);
        } else {
            buffer_append(&out, line.data, line.len);
        }
    }
    while (out.len && isspace((unsigned char)out.data[out.len - 1]))
        out.data[--out.len] = '\0';
    return out.data ? TAKE(out.data) : xstrdup("");
}

static struct slice
cut_prose(struct slice text)
{
    static const char *const ends[] = {
        "```",        "Note:",  "Explanation:", "This code", "Output:", "# Output",
        "# Question", "# Task", "Question:",    ">>>",       "</s>",    "<|endoftext"};
    struct slice rest = text, last = {0};
    size_t repeats = 0;

    while (rest.len) {
        const char *start = rest.data;
        struct slice line = next_line(&rest);
        for (size_t i = 0; i < COUNT_OF(ends); i++)
            if (starts_with(line, ends[i]))
                return (struct slice){text.data, (size_t)(start - text.data)};
        repeats = trim(line).len && slice_equals(trim(line), last) ? repeats + 1 : 0;
        last = trim(line);
        if (repeats >= REPEATS_MAX)
            return (struct slice){text.data, (size_t)(start - text.data)};
    }
    return text;
}

static char *
copy(struct slice text)
{
    text = trim(text);
    return xstrndup(text.data ? text.data : "", text.len);
}

static void
take_unfenced(struct extract *out, struct slice text, bool goes_on)
{
    struct slice code = goes_on ? cut_prose(text) : text;

    if (!goes_on && starts_with(trim(text), "CANNOT")) {
        struct slice reason = trim(text);
        size_t skip = strlen("CANNOT") + (reason.len > 6 && reason.data[6] == ':');
        out->kind = EXTRACT_REFUSAL;
        out->said = copy((struct slice){reason.data + skip, reason.len - skip});
        out->code = xstrdup("");
        return;
    }
    out->code = clean_code(code);
    out->said = goes_on ? xstrdup("") : copy(text);
    out->kind = out->code[0] ? EXTRACT_CODE : EXTRACT_NONE;
    out->is_bare = true;
}

/* The text that a base model went on from had these lines. */
static void
add_imports(struct extract *out)
{
    static const struct {
        const char *name, *line;
    } imports[] = {
        {"plt", "import matplotlib.pyplot as plt\n"},
        {"pd",  "import pandas as pd\n"            },
    };

    for (size_t i = 0; i < COUNT_OF(imports); i++) {
        struct slice code = slice_of(out->code), name = slice_of(imports[i].name);
        if (!mentions(code, name) || gives(code, name))
            continue;
        char *whole = xasprintf("%s%s", imports[i].line, out->code);
        free(out->code);
        out->code = whole;
    }
}

static void
extract_any(struct extract *out, struct slice answer, bool goes_on)
{
    AUTO(buffer) struct buffer said = BUFFER_INIT(SIZE_MAX);
    AUTO(buffer) struct buffer code = BUFFER_INIT(SIZE_MAX);
    struct blocks blocks = {.count = 0};
    struct block python[BLOCKS_MAX];
    size_t count = 0;
    bool is_open = false;
    struct slice text = without_thoughts(answer);

    *out = (struct extract){.kind = EXTRACT_NONE};
    if (!goes_on || starts_with(trim(text), "```"))
        find_blocks(text, &blocks, &said);
    for (size_t i = 0; i < blocks.count; i++) {
        if (blocks.list[i].is_python && blocks.list[i].is_closed)
            python[count++] = blocks.list[i];
        is_open |= !blocks.list[i].is_closed;
    }
    if (blocks.count == 0) {
        take_unfenced(out, text, goes_on);
        return;
    }
    if (count)
        join_blocks(&code, python, count);
    else if (goes_on && is_open) /* a base model stops at its token limit as a rule */
        append_dedented(&code, &blocks.list[blocks.count - 1]);
    out->code = clean_code(buffer_slice(&code));
    out->said = copy(buffer_slice(&said));
    out->kind = out->code[0] ? EXTRACT_CODE : is_open ? EXTRACT_CUT : EXTRACT_NONE;
}

void
extract_code(struct extract *out, struct slice answer, bool goes_on)
{
    extract_any(out, answer, goes_on);
    if (goes_on && out->kind == EXTRACT_CODE)
        add_imports(out);
}

void
extract_release(struct extract *extract)
{
    free(extract->code);
    free(extract->said);
}

char *
extract_normalize(const char *code)
{
    AUTO(buffer) struct buffer out = BUFFER_INIT(SIZE_MAX);
    struct slice rest = slice_of(code);

    buffer_append_text(&out, "");
    while (rest.len) {
        struct slice line = next_line(&rest);
        struct slice bare = trim(line);
        if (bare.len == 0 || bare.data[0] == '#')
            continue;
        buffer_append(&out, line.data,
                      (size_t)(bare.data - line.data)); /* its indent */
        for (size_t i = 0; i < bare.len; i++)
            if (bare.data[i] != ' ')
                buffer_append(&out, bare.data + i, 1);
        buffer_append(&out, "\n", 1);
    }
    return TAKE(out.data);
}
