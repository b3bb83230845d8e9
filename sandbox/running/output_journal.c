#include "sandbox/running/output_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum {
    PIPES = JOURNAL_STREAMS,
};

static const char *const streams[PIPES] = {"stdout", "stderr"};

struct output_journal {
    int memory;
    int pipes[PIPES]; /* where they can be read without waiting; -1: they cannot */
    uint64_t said;
};

/* --- lending --- */

static int
make_memory(struct error *err)
{
    AUTO(fd) int fd =
        memfd_create("cellpod-output-journal", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, sizeof(struct journal_memory)) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return error_sys(err, "make the memory of a worker's output journal");
    return take_fd(&fd);
}

/* Our own view of a pipe: the worker cannot make this one wait. Where there is none
 * (gVisor), what a pipe holds is lost with its worker. */
static int
open_own_end(const int ends[2])
{
    char path[32];

    fcntl(ends[1], F_SETPIPE_SZ, OUTPUT_JOURNAL_PIPE); /* smaller is only slower */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static int
send_ends(int channel, int memory, int pipes[PIPES][2], struct error *err)
{
    const int fds[] = {memory, pipes[0][0], pipes[0][1], pipes[1][0], pipes[1][1]};
    union {
        char bytes[CMSG_SPACE(sizeof(fds))];
        struct cmsghdr header;
    } control = {.bytes = {0}};
    struct iovec byte = {(char[]){'\n'}, 1};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};

    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(fds));
    memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
    if (sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        return error_sys(err, "lend a worker its pipes");
    return 0;
}

static void
close_pipes(int pipes[PIPES][2])
{
    for (int i = 0; i < PIPES; i++) {
        auto_fd(&pipes[i][0]);
        auto_fd(&pipes[i][1]);
    }
}

static int
lend(struct output_journal *words, int channel, struct error *err)
{
    int pipes[PIPES][2] = {
        {-1, -1},
        {-1, -1}
    };
    int result = 0;

    for (int i = 0; i < PIPES && result == 0; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) < 0)
            result = error_sys(err, "make a worker's pipes");
        else
            words->pipes[i] = open_own_end(pipes[i]);
    }
    if (result == 0)
        result = send_ends(channel, words->memory, pipes, err);
    close_pipes(pipes);
    return result;
}

struct output_journal *
output_journal_new(int channel, struct error *err)
{
    AUTO(output_journal) struct output_journal *words = xcalloc(1, sizeof(*words));

    words->pipes[0] = words->pipes[1] = -1;
    words->memory = make_memory(err);
    if (words->memory < 0 || lend(words, channel, err) < 0)
        return NULL;
    return TAKE(words);
}

void
output_journal_free(struct output_journal *words)
{
    if (!words)
        return;
    auto_fd(&words->memory);
    for (int i = 0; i < PIPES; i++)
        auto_fd(&words->pipes[i]);
    free(words);
}

void
output_journal_said(struct output_journal *words, uint64_t position)
{
    if (position > words->said)
        words->said = position;
}

void
output_journal_restart(struct output_journal *words)
{
    words->said = 0;
}

/* --- reading --- */

struct turn {
    const char *stream;
    char parent[LIMIT_REQUEST_ID + 1];
};

/* A mark at the front of *text: from here on whose it is. False: it is none. */
static bool
take_mark(struct slice *text, struct turn *turn)
{
    const char *end =
        text->len > 1 ? memchr(text->data + 1, JOURNAL_MARK, text->len - 1) : NULL;
    size_t len = end ? (size_t)(end - text->data) - 1 : 0;

    if (len == 0 || len > sizeof(turn->parent) ||
        (text->data[1] != '1' && text->data[1] != '2'))
        return false;
    turn->stream = streams[text->data[1] - '1'];
    memcpy(turn->parent, text->data + 2, len - 1);
    turn->parent[len - 1] = '\0';
    *text = (struct slice){end + 1, text->len - len - 2};
    return true;
}

static struct slice
take_run(struct slice *text)
{
    const char *mark = memchr(text->data, JOURNAL_MARK, text->len);
    struct slice run = {text->data, mark ? (size_t)(mark - text->data) : text->len};

    *text = (struct slice){text->data + run.len, text->len - run.len};
    return run;
}

static void
tell_unsaid(struct slice text, uint64_t said, output_journal_fn tell, void *context)
{
    struct turn turn = {.stream = streams[0]};

    while (text.len) {
        if ((unsigned char)text.data[0] == JOURNAL_MARK) {
            if (!take_mark(&text, &turn))
                return;
            continue;
        }
        struct slice run = take_run(&text);
        size_t told = said < run.len ? (size_t)said : run.len;
        said -= told;
        if (told < run.len)
            tell(context, turn.stream, turn.parent,
                 (struct slice){run.data + told, run.len - told});
    }
}

static struct slice
without_zeros(const char *bytes, size_t len)
{
    while (len && !bytes[len - 1])
        len--;
    return (struct slice){bytes, len};
}

/* Where a piece is being put it does not count yet: it counts where it comes from. */
static size_t
text_end(const struct journal_memory *memory)
{
    size_t end = sizeof(memory->text);

    for (int i = 0; i < JOURNAL_STREAMS; i++) {
        const struct journal_piece *piece = &memory->pieces[i];
        if (piece->is_taken && piece->put_at && piece->put_at - 1 < end)
            end = piece->put_at - 1;
    }
    return end;
}

void
output_journal_parse(const struct journal_memory *memory, uint64_t said,
                     const char *parent, output_journal_fn tell, void *context)
{
    tell_unsaid(without_zeros(memory->text, text_end(memory)),
                said > memory->before ? said - memory->before : 0, tell, context);
    for (int i = 0; i < JOURNAL_STREAMS; i++) {
        const struct journal_piece *piece = &memory->pieces[i];
        struct slice bytes = without_zeros(piece->bytes, JOURNAL_PIECE);
        if (piece->is_taken && bytes.len)
            tell(context, streams[i], parent, bytes);
    }
}

static void
read_memory(struct output_journal *words, const char *parent, output_journal_fn tell,
            void *context)
{
    AUTO(mem) struct journal_memory *memory = xcalloc(1, sizeof(*memory));

    if (pread(words->memory, memory, sizeof(*memory), 0) > 0)
        output_journal_parse(memory, words->said, parent, tell, context);
}

static void
read_pipe(int fd, const char *stream, const char *parent, output_journal_fn tell,
          void *context)
{
    AUTO(mem) char *text = xcalloc(1, OUTPUT_JOURNAL_PIPE);
    size_t len = 0;
    ssize_t got;

    while (len < OUTPUT_JOURNAL_PIPE &&
           (got = read(fd, text + len, OUTPUT_JOURNAL_PIPE - len)) > 0)
        len += (size_t)got;
    if (len)
        tell(context, stream, parent, (struct slice){text, len});
}

void
output_journal_read(struct output_journal *words, const char *parent,
                    output_journal_fn tell, void *context)
{
    read_memory(words, parent, tell, context);
    for (int i = 0; i < PIPES; i++)
        if (words->pipes[i] >= 0)
            read_pipe(words->pipes[i], streams[i], parent, tell, context);
}
