#include "common/key_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_key(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return len >= KEY_FILE_SHORTEST && len <= KEY_FILE_LONGEST;
}

char *
key_file_read(const char *path, struct error *err)
{
    char text[KEY_FILE_LONGEST + 3];
    AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) < 0)
        return (void)error_sys(err, "read the key in %s", path), NULL;
    if (info.st_mode & S_IROTH)
        return (void)error_set(err, ERR_DENIED,
                               "everybody can read the key in %s: chmod o-r it, and "
                               "make another key",
                               path),
               NULL;
    ssize_t len = read(fd, text, sizeof(text));
    if (len < 0)
        return (void)error_sys(err, "read the key in %s", path), NULL;
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    if (!is_key(text, (size_t)len))
        return (void)error_set(err, ERR_BAD_INPUT,
                               "%s does not hold one line of %d to %d printable "
                               "characters: make a key with `openssl rand -hex 32'",
                               path, KEY_FILE_SHORTEST, KEY_FILE_LONGEST),
               NULL;
    return xstrndup(text, (size_t)len);
}

bool
key_file_matches(const char *key, const char *guess)
{
    unsigned char right[SHA256_DIGEST_LENGTH], given[SHA256_DIGEST_LENGTH];

    if (!guess)
        return false;
    SHA256((const unsigned char *)key, strlen(key), right);
    SHA256((const unsigned char *)guess, strlen(guess), given);
    return CRYPTO_memcmp(right, given, sizeof(right)) == 0;
}
