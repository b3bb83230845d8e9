#include "common/http/curl_library.h"

#include <dlfcn.h>

#include "common/http/curl_memory.h"

struct curl_functions curl;

int
curl_library_load(struct error *err)
{
    static const char name[] = "libcurl.so.4";
    static bool is_loaded;

    if (is_loaded)
        return 0;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(err, ERR_SYSTEM, "cannot load %s: %s", name, dlerror());
#define X(function)                                               \
    *(void **)&curl.function = dlsym(library, "curl_" #function); \
    if (!curl.function)                                           \
        return error_set(err, ERR_SYSTEM, "%s lacks curl_" #function, name);
    CURL_FUNCTIONS(X)
#undef X
    if (curl.global_init_mem(CURL_GLOBAL_DEFAULT, curl_memory_take, curl_memory_give_up,
                             curl_memory_resize, curl_memory_copy_text,
                             curl_memory_take_zeros))
        return error_set(err, ERR_SYSTEM, "%s does not start", name);
    is_loaded = true;
    return 0;
}
