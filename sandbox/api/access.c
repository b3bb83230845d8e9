#include "sandbox/api/access.h"

#include "common/key_file.h"
#include "sandbox/life/pool.h"

static int
check_key(struct http_request *request, struct error *err)
{
    const char *key = pool_claim_key(http_context(request));

    if (!key || !(http_route(request)->flags & ROUTE_CLAIM) ||
        key_file_matches(key, http_header(request, ACCESS_KEY_HEADER)))
        return 0;
    return error_set(err, ERR_DENIED,
                     "a claim from here needs the key of this sandboxd in a header "
                     "%s: a kernel reads it from --token-file",
                     ACCESS_KEY_HEADER);
}

/* A browser says where a page came from that calls us; no program does. So no web page
 * that a user looks at can talk to a sandboxd on the user's machine. */
int
access_without_token(struct http_request *request, struct error *err)
{
    if (http_header(request, "Origin"))
        return error_set(err, ERR_DENIED,
                         "sandboxd does not answer requests from web pages");
    return check_key(request, err);
}

/* One answer for a sandbox that is somebody else's, for one that does not exist, and
 * for a wrong token: nothing is learnt from it. */
int
access_by_token(struct http_request *request, struct error *err)
{
    const char *token = http_header(request, ACCESS_TOKEN_HEADER);
    struct slice named = http_segment(request);

    if (access_without_token(request, err) < 0)
        return -1;
    if (http_route(request)->flags & ROUTE_OPEN)
        return 0;
    const struct sandbox *holder = pool_find_token(http_context(request), token);
    if (holder && (!named.len || slice_equals(slice_of(sandbox_id(holder)), named)))
        return 0;
    return error_set(err, ERR_DENIED,
                     "this request needs the token of its sandbox in a header %s: the "
                     "answer to POST /v1/sandboxes contains it",
                     ACCESS_TOKEN_HEADER);
}
