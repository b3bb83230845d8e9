#include "sandbox/journal/journal_writer.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/journal/journal_memory.h"

enum {
    FASTCALL = 0x0080, /* METH_FASTCALL */
};

#define NOT_KEPT INT64_MAX

/* --- Python's, as its stable interface has them --- */

struct method { /* PyMethodDef */
    const char *name;
    PyObject *(*call)(PyObject *self, PyObject *const *arguments, ssize_t count);
    int flags;
    const char *doc;
};

PyObject *PyCFunction_NewEx(struct method *method, PyObject *self, PyObject *module);
PyObject *PyLong_FromLongLong(long long value);
PyObject *PyTuple_Pack(ssize_t count, ...);
int PyList_Append(PyObject *list, PyObject *item);
ssize_t PyList_Size(PyObject *list);
ssize_t PyUnicode_GetLength(PyObject *text);
const char *PyUnicode_AsUTF8AndSize(PyObject *text, ssize_t *size);
PyObject *PyUnicode_DecodeUTF8Stateful(const char *bytes, ssize_t len,
                                       const char *errors, ssize_t *used);
PyObject *PyObject_GetAttrString(PyObject *object, const char *name);
void PyErr_Clear(void);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);

/* --- what is kept --- */

static struct {
    struct journal_memory *memory, *lent;
    size_t used;
    int64_t before; /* text of this worker before what is kept */
    int64_t text,
        said;     /* bytes of what is kept, without marks; of those that were sent */
    bool has_gap; /* some text was not kept */
    size_t taken[JOURNAL_STREAMS]; /* bytes of each piece */
    PyObject *pending;
    PyObject *name, *request; /* whose the text is; owned */
} kept;

static struct journal_memory *
map(int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory =
        mmap(NULL, sizeof(*kept.memory), PROT_READ | PROT_WRITE, flags, fd, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static void
turn_to(PyObject *name, PyObject *request)
{
    if (request)
        Py_IncRef(request);
    if (kept.request)
        Py_DecRef(kept.request);
    kept.name = name; /* one of two, which are there for ever */
    kept.request = request;
}

static void
clear(size_t used, int64_t before)
{
    memset(kept.memory->text, 0, used);
    kept.memory->before = (uint64_t)before;
    kept.used = 0;
    kept.before = before;
    kept.text = kept.said = 0;
    kept.has_gap = false;
    turn_to(NULL, NULL);
}

static bool
add(const char *bytes, size_t len)
{
    if (len > sizeof(kept.memory->text) - kept.used)
        return false;
    memcpy(kept.memory->text + kept.used, bytes, len);
    kept.used += len;
    return true;
}

static const char *
utf8_of(PyObject *text, size_t *len)
{
    ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);

    if (!bytes) {
        PyErr_Clear(); /* half a surrogate pair */
        return NULL;
    }
    *len = (size_t)size;
    return bytes;
}

/* 0 stdout, 1 stderr; -1 is an error that Python has noted. */
static int
index_of(PyObject *name)
{
    size_t len;
    const char *stream = utf8_of(name, &len);

    return stream ? strcmp(stream, "stderr") == 0 : -1;
}

static bool
add_mark(PyObject *name, PyObject *request)
{
    const char mark = (char)JOURNAL_MARK;
    size_t len;
    PyObject *id = PyObject_GetAttrString(request, "id");
    const char *bytes = id ? utf8_of(id, &len) : NULL;
    const char open[] = {mark, index_of(name) == 1 ? '2' : '1'};
    bool is_done = bytes && add(open, sizeof(open)) && add(bytes, len) && add(&mark, 1);

    if (!id)
        PyErr_Clear();
    else
        Py_DecRef(id);
    if (is_done)
        turn_to(name, request);
    return is_done;
}

static bool
keep(PyObject *name, PyObject *request, PyObject *text)
{
    size_t len;
    const char *bytes;

    if ((size_t)PyUnicode_GetLength(text) > sizeof(kept.memory->text) - kept.used ||
        !(bytes = utf8_of(text, &len)) ||
        ((kept.name != name || kept.request != request) && !add_mark(name, request)) ||
        !add(bytes, len))
        return false;
    kept.text += (int64_t)len;
    return true;
}

/* Whether it is kept, too; or -1 with Python's error set. */
static int
append(PyObject *name, PyObject *request, PyObject *text)
{
    PyObject *piece = PyTuple_Pack(3, name, request, text);

    if (!piece)
        return -1;
    int result = PyList_Append(kept.pending, piece);
    Py_DecRef(piece);
    if (result < 0)
        return -1;
    const bool is_kept = keep(name, request, text);
    kept.has_gap = kept.has_gap || !is_kept;
    return is_kept;
}

static PyObject *
put(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    (void)self, (void)count;
    int result = append(arguments[0], arguments[1], arguments[2]);
    if (result < 0)
        return NULL;
    return PyLong_FromLongLong(result ? journal_writer_waiting() : NOT_KEPT);
}

PyObject *
journal_writer_function(void)
{
    static struct method method = {"put", put, FASTCALL, NULL};

    return PyCFunction_NewEx(&method, NULL, NULL);
}

/* --- out of the pipes --- */

/* In this order for whoever reads it when this process is dead. */
static void
store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void
begin_put(struct journal_piece *piece)
{
    store(&piece->put_at, (uint32_t)kept.used + 1);
}

/* The first `used` of `len` bytes are part of the text; the rest is half a character.
 */
static void
end_put(struct journal_piece *piece, size_t used, size_t len)
{
    store(&piece->is_taken, 0);
    store(&piece->put_at, 0);
    memmove(piece->bytes, piece->bytes + used, len - used);
    memset(piece->bytes + len - used, 0, used);
    store(&piece->is_taken, len > used);
}

static int
put_piece(int stream, PyObject *name, PyObject *request)
{
    struct journal_piece *piece = &kept.memory->pieces[stream];
    const size_t len = kept.taken[stream];
    ssize_t used = (ssize_t)len; /* Python does not say so of plain ASCII */
    PyObject *text =
        PyUnicode_DecodeUTF8Stateful(piece->bytes, (ssize_t)len, "replace", &used);

    if (!text)
        return -1;
    begin_put(piece);
    int result = used ? append(name, request, text) : 0;
    Py_DecRef(text);
    if (result >= 0) {
        end_put(piece, (size_t)used, len);
        kept.taken[stream] = len - (size_t)used;
    } else {
        store(&piece->put_at, 0);
    }
    return result;
}

int64_t
journal_writer_take(int fd, PyObject *name, PyObject *request)
{
    const int stream = index_of(name);

    if (stream < 0)
        return 0;
    struct journal_piece *piece = &kept.memory->pieces[stream];
    size_t *taken = &kept.taken[stream];
    store(&piece->is_taken, 1);
    ssize_t got = read(fd, piece->bytes + *taken, JOURNAL_PIECE - *taken);
    if (got > 0)
        *taken += (size_t)got;
    if (*taken && put_piece(stream, name, request) < 0)
        return -1;
    return got > 0 ? got : 0;
}

/* --- sending --- */

int64_t
journal_writer_waiting(void)
{
    return kept.text - kept.said;
}

int64_t
journal_writer_say(int64_t bytes)
{
    kept.said += bytes;
    return kept.memory == kept.lent ? kept.before + kept.said : 0;
}

void
journal_writer_forget(void)
{
    if ((kept.said == kept.text || kept.has_gap) && PyList_Size(kept.pending) == 0)
        clear(kept.used, kept.before + kept.said);
}

/* --- life --- */

int
journal_writer_open(int fd, PyObject *pending)
{
    kept.memory = map(fd);
    if (!kept.memory)
        return -1;
    kept.lent = fd < 0 ? NULL : kept.memory;
    kept.pending = pending;
    return 0;
}

int
journal_writer_leave(void)
{
    struct journal_memory *memory = map(-1);

    if (!memory)
        return -1;
    kept.memory = memory;
    clear(0, 0);
    memset(kept.taken, 0, sizeof(kept.taken));
    return 0;
}

void
journal_writer_take_over(void)
{
    clear(sizeof(kept.memory->text), 0);
    memset(kept.memory->pieces, 0, sizeof(kept.memory->pieces));
    memset(kept.taken, 0, sizeof(kept.taken));
}
