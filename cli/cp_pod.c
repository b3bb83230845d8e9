#include "cli/cp_pod.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/copy_out.h"
#include "cli/new_file.h"
#include "common/buffer.h"
#include "common/http/curl_library.h"
#include "common/limits.h"
#include "kernel/carry/carry_path.h"
#include "kernel/carry/carry_tree.h"

enum {
    CONNECT_MS = 10000,
    SILENCE_S = 60, /* without a byte */
    MAX_LIST = 5 << 20,
};

/* One call. */
struct transfer {
    CURL *easy;
    struct curl_slist *headers;
    struct buffer body; /* of an error, or a list */
    int file;           /* what is received goes there, or what is sent comes from */
    bool is_upload, is_failed;
    uint64_t received;
};

static void
auto_transfer(struct transfer *transfer)
{
    if (transfer->easy)
        curl.easy_cleanup(transfer->easy);
    if (transfer->headers) /* else libcurl may not be loaded */
        curl.slist_free_all(transfer->headers);
    buffer_release(&transfer->body);
}

static long
status_of(const struct transfer *transfer)
{
    long status = 0;

    curl.easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* --- bytes --- */

static size_t
write_file(struct transfer *transfer, const char *data, size_t len)
{
    transfer->received += len;
    for (size_t done = 0; done < len;) {
        ssize_t put = transfer->received > LIMIT_FILE_BYTES
                          ? -1
                          : write(transfer->file, data + done, len - done);
        if (put <= 0) {
            transfer->is_failed = true;
            return 0;
        }
        done += (size_t)put;
    }
    return len;
}

static size_t
on_data(char *data, size_t size UNUSED, size_t len, void *context)
{
    struct transfer *transfer = context;

    if (transfer->file >= 0 && !transfer->is_upload && status_of(transfer) == 200)
        return write_file(transfer, data, len);
    return buffer_append(&transfer->body, data, len) < 0 ? 0 : len;
}

static size_t
on_wanted(char *data, size_t size, size_t count, void *context)
{
    const struct transfer *transfer = context;
    ssize_t got = read(transfer->file, data, size * count);

    return got < 0 ? CURL_READFUNC_ABORT : (size_t)got;
}

/* --- a call --- */

static int
begin(struct transfer *transfer, const struct reached *reached, const char *below,
      struct error *err)
{
    AUTO(mem) char *url = xasprintf("%s%s", reached->url, below);
    const json_t *header;
    size_t at;

    if (curl_library_load(err) < 0)
        return -1;
    transfer->easy = curl.easy_init();
    if (!transfer->easy)
        return error_set(err, ERR_SYSTEM, "libcurl failed to start");
    transfer->headers = curl.slist_append(NULL, "Expect:");
    json_array_foreach (reached->headers, at, header)
        transfer->headers =
            curl.slist_append(transfer->headers, json_string_value(header));
    curl.easy_setopt(transfer->easy, CURLOPT_URL, url);
    curl.easy_setopt(transfer->easy, CURLOPT_PROXY, "");
    curl.easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(transfer->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl.easy_setopt(transfer->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl.easy_setopt(transfer->easy, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
    curl.easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    curl.easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, on_data);
    curl.easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    return 0;
}

/* The API's own words; those of a router, if it is one that answers. */
static int
refuse(const struct transfer *transfer, const struct reached *reached,
       struct error *err)
{
    json_auto_t *answer = json_loadb(transfer->body.data, transfer->body.len, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));

    if (message)
        return error_set(err, ERR_UNAVAILABLE, "the sandbox of %s: %s", reached->name,
                         message);
    return error_set(err, ERR_UNAVAILABLE, "the sandbox of %s answered with status %ld",
                     reached->name, status_of(transfer));
}

static int
perform(struct transfer *transfer, const struct reached *reached, struct error *err)
{
    CURLcode outcome = curl.easy_perform(transfer->easy);

    if (transfer->is_failed)
        return transfer->received > LIMIT_FILE_BYTES
                   ? error_set(err, ERR_TOO_LARGE, "the file is larger than 8 GiB")
                   : error_sys(err, "write the copy");
    if (outcome != CURLE_OK)
        return error_set(err, ERR_UNAVAILABLE, "the sandbox of %s: %s", reached->name,
                         curl.easy_strerror(outcome));
    return 0;
}

/* --- listing --- */

static bool
is_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);

    return len == 0 ||
           (strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0'));
}

int
cp_pod_list(const struct reached *reached, const char *below, struct error *err)
{
    AUTO(transfer) struct transfer transfer = {.body = BUFFER_INIT(MAX_LIST),
                                               .file = -1};
    struct carry_tree tree;

    if (begin(&transfer, reached, "/tree", err) < 0 ||
        perform(&transfer, reached, err) < 0)
        return -1;
    if (status_of(&transfer) != 200)
        return refuse(&transfer, reached, err);
    if (carry_tree_parse(buffer_slice(&transfer.body), &tree, err) < 0)
        return -1;
    for (size_t i = 0; i < tree.count; i++)
        if (is_below(tree.entries[i].path, below)) {
            printf("%14llu  ", (unsigned long long)tree.entries[i].size);
            copy_out_print_name(stdout, tree.entries[i].path);
            putchar('\n');
        }
    if (tree.is_cut || tree.refused)
        printf("There are more files.\n");
    carry_tree_release(&tree);
    return 0;
}

/* --- from there --- */

static int
receive(struct transfer *transfer, const struct reached *reached, const char *path,
        struct error *err)
{
    AUTO(mem) char *encoded = carry_path_encode(path);
    AUTO(mem) char *below = xasprintf("/files/%s", encoded);

    if (begin(transfer, reached, below, err) < 0 || perform(transfer, reached, err) < 0)
        return -1;
    return status_of(transfer) == 200 ? 0 : refuse(transfer, reached, err);
}

int
cp_pod_get(const struct reached *reached, const char *path, int into, const char *name,
           bool overwrites, struct error *err)
{
    AUTO(transfer) struct transfer transfer = {.body = BUFFER_INIT(LIMIT_ERROR_BODY)};
    struct stat st;

    if (!overwrites && fstatat(into, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return error_set(err, ERR_CONFLICT, "%s exists; --force replaces it", name);
    AUTO(new_file) struct new_file file = new_file_make(into);
    transfer.file = file.fd;
    if (file.fd < 0)
        return error_sys(err, "write the copy");
    if (receive(&transfer, reached, path, err) < 0)
        return -1;
    return new_file_name(&file, name, overwrites) < 0 ? error_sys(err, "write %s", name)
                                                      : 0;
}

/* --- to there --- */

static int
send_it(struct transfer *transfer, const struct reached *reached, const char *below,
        uint64_t size, struct error *err)
{
    if (begin(transfer, reached, below, err) < 0)
        return -1;
    curl.easy_setopt(transfer->easy, CURLOPT_UPLOAD, 1L);
    curl.easy_setopt(transfer->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
    curl.easy_setopt(transfer->easy, CURLOPT_READFUNCTION, on_wanted);
    curl.easy_setopt(transfer->easy, CURLOPT_READDATA, transfer);
    return perform(transfer, reached, err);
}

int
cp_pod_put(const struct reached *reached, const char *file, const char *path,
           bool overwrites, struct error *err)
{
    AUTO(transfer) struct transfer transfer = {.body = BUFFER_INIT(LIMIT_ERROR_BODY),
                                               .is_upload = true};
    const char *slash = strrchr(file, '/');
    const bool is_folder = !*path || path[strlen(path) - 1] == '/';
    AUTO(mem) char *there =
        xasprintf("%s%s", path, is_folder ? slash ? slash + 1 : file : "");
    AUTO(fd) int source = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    if (source < 0 || fstat(source, &st) < 0)
        return error_sys(err, "read %s", file);
    if (!S_ISREG(st.st_mode))
        return error_set(err, ERR_BAD_INPUT,
                         "%s is not a file: to send a folder, make an archive of it",
                         file);
    if (!carry_path_is_valid(slice_of(there)))
        return error_set(err, ERR_BAD_INPUT,
                         "name a path below the cells' folder, without . and ..");
    transfer.file = source;
    AUTO(mem) char *encoded = carry_path_encode(there);
    AUTO(mem) char *below =
        xasprintf("/files/%s?mode=%s%s", encoded,
                  st.st_mode & S_IXUSR ? "0755" : "0644", overwrites ? "" : "&unless=");
    if (send_it(&transfer, reached, below, (uint64_t)st.st_size, err) < 0)
        return -1;
    if (status_of(&transfer) == 409)
        return error_set(err, ERR_CONFLICT, "%s exists there; --force replaces it",
                         there);
    return status_of(&transfer) < 300 ? 0 : refuse(&transfer, reached, err);
}
