#include "sandbox/journal/journal_writer.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "common/limits.h"

enum {
    HEAD_BYTES = 8,
    FASTCALL = 0x0080, /* METH_FASTCALL */
};

#define MARK     "\xfe"
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
PyObject *PyObject_GetAttrString(PyObject *object, const char *name);
void PyErr_Clear(void);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);

/* --- what is kept --- */

static struct {
    char *memory, *lent;
    size_t used;
    int64_t before; /* text of this worker before what is kept */
    int64_t text,
        said;     /* bytes of what is kept, without marks; of those that were sent */
    bool has_gap; /* some text was not kept */
    PyObject *pending;
    PyObject *name, *request; /* whose the text is; owned */
} kept;

static char *
map(int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, LIMIT_KEPT_TEXT, PROT_READ | PROT_WRITE, flags, fd, 0);

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
    const uint64_t head = htole64((uint64_t)before);

    memset(kept.memory + HEAD_BYTES, 0, used - HEAD_BYTES);
    memcpy(kept.memory, &head, sizeof(head));
    kept.used = HEAD_BYTES;
    kept.before = before;
    kept.text = kept.said = 0;
    kept.has_gap = false;
    turn_to(NULL, NULL);
}

static bool
add(const char *bytes, size_t len)
{
    if (len > LIMIT_KEPT_TEXT - kept.used)
        return false;
    memcpy(kept.memory + kept.used, bytes, len);
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

static bool
add_mark(PyObject *name, PyObject *request)
{
    size_t name_len, id_len;
    PyObject *id = PyObject_GetAttrString(request, "id");
    const char *stream = utf8_of(name, &name_len);
    const char *bytes = id ? utf8_of(id, &id_len) : NULL;
    bool is_done = bytes && stream &&
                   add(strcmp(stream, "stderr") == 0 ? MARK "2" : MARK "1", 2) &&
                   add(bytes, id_len) && add(MARK, 1);

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

    if ((size_t)PyUnicode_GetLength(text) > LIMIT_KEPT_TEXT - kept.used ||
        !(bytes = utf8_of(text, &len)) ||
        ((kept.name != name || kept.request != request) && !add_mark(name, request)) ||
        !add(bytes, len))
        return false;
    kept.text += (int64_t)len;
    return true;
}

static PyObject *
put(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    PyObject *piece = PyTuple_Pack(3, arguments[0], arguments[1], arguments[2]);

    (void)self, (void)count;
    if (!piece)
        return NULL;
    int failed = PyList_Append(kept.pending, piece);
    Py_DecRef(piece);
    if (failed)
        return NULL;
    if (keep(arguments[0], arguments[1], arguments[2]))
        return PyLong_FromLongLong(journal_writer_waiting());
    kept.has_gap = true;
    return PyLong_FromLongLong(NOT_KEPT);
}

PyObject *
journal_writer_function(void)
{
    static struct method method = {"put", put, FASTCALL, NULL};

    return PyCFunction_NewEx(&method, NULL, NULL);
}

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
    kept.used = HEAD_BYTES;
    return 0;
}

int
journal_writer_leave(void)
{
    char *memory = map(-1);

    if (!memory)
        return -1;
    kept.memory = memory;
    clear(HEAD_BYTES, 0);
    return 0;
}

void
journal_writer_take_over(void)
{
    clear(LIMIT_KEPT_TEXT, 0);
}
