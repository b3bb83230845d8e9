#include "kernel/output/xml_library.h"

#include <dlfcn.h>

struct xml_functions xml;

#if LIBXML_VERSION >= 21400
#define NAME "libxml2.so.16"
#else
#define NAME "libxml2.so.2"
#endif

int
xml_library_load(struct error *err)
{
    static bool is_loaded;

    if (is_loaded)
        return 0;
    void *library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(err, ERR_SYSTEM, "cannot load " NAME ": %s", dlerror());
#define X(function)                                      \
    *(void **)&xml.function = dlsym(library, #function); \
    if (!xml.function)                                   \
        return error_set(err, ERR_SYSTEM, NAME " lacks " #function);
    XML_FUNCTIONS(X)
#undef X
    is_loaded = true;
    return 0;
}
