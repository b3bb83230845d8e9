"""A word of help below the traceback of a cell that found no network."""

import errno
import os
import socket
from collections.abc import Iterator

_NONE = """
Sandboxes have no network unless it is allowed. List the hosts that cells may reach, in
~/.config/cellpod/config.json, and restart the kernel:

    {"sandbox": {"network": {"mode": "list", "allow": ["example.org"]}}}

In a pod of a cluster, the network policy of its template decides instead."""

_NOT_LISTED = """
The sandbox's proxy refuses this host: it is not listed. Add it to network.allow in
~/.config/cellpod/config.json, and restart the kernel."""

_PAST_THE_PROXY = """
Listed hosts are reached through a proxy, which HTTP_PROXY and HTTPS_PROXY name, by programs that
heed them; there is no other way out of this sandbox."""

_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH)
_MAX_LINKS = 20  # of a chain of exceptions, which can be a ring


def help_for(error: BaseException | None) -> list[str]:
    """Lines to add to its traceback; none where it is about something else."""
    for each in _chain(error):
        if isinstance(each, OSError) and "403 Forbidden" in str(each) and _has_proxy():
            return [_NOT_LISTED]
        if isinstance(each, socket.gaierror) or getattr(each, "errno", None) in _NO_WAY:
            return [_PAST_THE_PROXY if _has_proxy() else _NONE]
    return []


def _has_proxy() -> bool:
    return bool(os.environ.get("HTTPS_PROXY"))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_MAX_LINKS):
        if not isinstance(error, BaseException):
            return
        yield error
        error = error.__cause__ or error.__context__
