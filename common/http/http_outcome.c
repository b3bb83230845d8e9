#include "common/http/http_outcome.h"

#include <errno.h>
#include <time.h>

#include "common/http/curl_library.h"

long
http_outcome_status(CURL *easy)
{
    long status = 0;

    curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

long
http_outcome_retry_after_s(CURL *easy)
{
    curl_off_t seconds = 0;

    curl.easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    return seconds > 0 && seconds < 86400 ? (long)seconds : 0;
}

time_t
http_outcome_date(CURL *easy)
{
    struct curl_header *header = NULL;
    struct tm fields = {0};

    if (curl.easy_header(easy, "date", 0, CURLH_HEADER, -1, &header) != CURLHE_OK ||
        !strptime(header->value, "%a, %d %b %Y %H:%M:%S GMT", &fields))
        return 0;
    return timegm(&fields);
}

/* A failure to create a socket is CURLE_COULDNT_CONNECT, too: it says nothing about the
 * peer. */
enum error_kind
http_outcome_silence(CURL *easy, CURLcode outcome)
{
    long reason = 0;

    if (outcome == CURLE_OPERATION_TIMEDOUT)
        return ERR_TIMEOUT;
    if (outcome == CURLE_PEER_FAILED_VERIFICATION)
        return ERR_DENIED;
    if (outcome == CURLE_WRITE_ERROR) /* our own refusal of more */
        return ERR_TOO_LARGE;
    curl.easy_getinfo(easy, CURLINFO_OS_ERRNO, &reason);
    if (outcome == CURLE_COULDNT_CONNECT &&
        (reason == ECONNREFUSED || reason == ENOENT))
        return ERR_NOT_FOUND;
    return ERR_UNAVAILABLE;
}
