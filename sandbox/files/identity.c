#include "sandbox/files/identity.h"

#include <sys/fsuid.h>

static void
become(uid_t uid, gid_t gid)
{
    setfsgid(gid);
    setfsuid(uid);
    /* They report no errors, so ask. Never continue as the wrong user. */
    if ((uid_t)setfsuid((uid_t)-1) != uid || (gid_t)setfsgid((gid_t)-1) != gid)
        abort();
}

struct identity
identity_take(int64_t owner)
{
    if (owner >= 0)
        become((uid_t)owner, (gid_t)owner);
    return (struct identity){owner};
}

void
identity_drop(struct identity *identity)
{
    if (identity->owner >= 0)
        become(geteuid(), getegid());
    identity->owner = -1;
}
