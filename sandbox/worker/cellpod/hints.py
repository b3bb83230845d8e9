"""A word of help below a traceback, where the sandbox is the reason of an error.

Each row of `_HINTS` looks at one exception of the chain, and says what to do or nothing.
"""

import errno
import mmap
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_NO_NETWORK = """
Sandboxes have no network unless it is allowed. List the hosts that cells may reach, in
~/.config/cellpod/config.json, and restart the kernel:

    {{"sandbox": {{"network": {{"mode": "list", "allow": ["{host}"]}}}}}}

In a pod of a cluster, the network policy of its template decides instead."""

_NOT_LISTED = """
The sandbox's proxy refuses this host: it is not listed. Add it to network.allow in
~/.config/cellpod/config.json, and restart the kernel."""

_PAST_THE_PROXY = """
Listed hosts are reached through a proxy, which HTTP_PROXY and HTTPS_PROXY name, by programs that
heed them; there is no other way out of this sandbox."""

_MEMORY = """
The sandbox may use {limit} MiB. For another limit set resources.memory_mb of "sandbox" in
~/.config/cellpod/config.json, and restart the kernel."""

_ENVIRONMENT = """
Cells do not see the environment of Jupyter. To pass a variable in, name it in CELLPOD_ENV_PASSTHROUGH
when you start Jupyter, or in ~/.config/cellpod/config.json, and restart the kernel:

    {{"sandbox": {{"env_passthrough": [{name}]}}}}

Code in cells can read what you pass in: not for keys that it must not have."""

_LINK = """
Cells cannot make symbolic links in your folders: programs outside of the sandbox would follow them.
Make the link below ~ or {scratch}, or copy the file."""

_SHARED = """
This sandbox's memory is limited without control groups. What processes share without a file could not be
counted then, so mmap refuses it. Use one of these:

    mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # for this process alone
    multiprocessing.shared_memory.SharedMemory(create=True, size=size)  # for several

`cellpod doctor` says how this machine would limit it with control groups, which allow such memory."""

_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH)
_HOST = re.compile(r"[A-Za-z0-9.:_-]{1,253}")
_REFUSED_LINK = re.compile(
    r"ln: failed to create symbolic link '(?P<ln>[^'\n]+)': Permission denied"
    r"|\[Errno 13\] Permission denied: '[^'\n]*' -> '(?P<python>[^'\n]+)'"
)
_MAX_LINKS = 20  # of a chain of exceptions, which can be a ring


def help_for(error: BaseException | None, memory_mb: int) -> list[str]:
    """Lines to add to its traceback; none where it is about something else."""
    for each in _chain(error):
        for hint in _HINTS:
            text = hint(each, memory_mb)
            if text:
                return [text]
    return []


def _network(error: BaseException, _memory_mb: int) -> str:
    if isinstance(error, OSError) and "403 Forbidden" in str(error) and _has_proxy():
        return _NOT_LISTED
    if isinstance(error, socket.gaierror) or getattr(error, "errno", None) in _NO_WAY:
        return _PAST_THE_PROXY if _has_proxy() else _NO_NETWORK.format(host=_host_at(error))
    return ""


def _host_at(error: BaseException) -> str:
    """Which host the failed call was for: the standard library's frames know it."""
    host: object = None
    for frame in _frames_at(error):
        if frame.f_code is socket.getaddrinfo.__code__:
            host = frame.f_locals.get("host")
        elif frame.f_code is socket.create_connection.__code__:
            host = (frame.f_locals.get("address") or [None])[0]
    return host if isinstance(host, str) and _HOST.fullmatch(host) else "example.org"


def _memory(error: BaseException, memory_mb: int) -> str:
    """Not of our own MemoryError, which says all that."""
    if not isinstance(error, MemoryError) or not memory_mb or "memory_mb" in str(error):
        return ""
    return _MEMORY.format(limit=memory_mb)


def _environment(error: BaseException, _memory_mb: int) -> str:
    if not isinstance(error, KeyError) or not error.args or not _was_raised_by_environ(error):
        return ""
    return _ENVIRONMENT.format(name=repr(error.args[0]).replace("'", '"'))


def _was_raised_by_environ(error: BaseException) -> bool:
    frames = list(_frames_at(error))
    return bool(frames) and frames[-1].f_code is type(os.environ).__getitem__.__code__


def _link(error: BaseException, _memory_mb: int) -> str:
    """Of the calls that take two paths only symlink() is refused like that in a folder that
    may be written to."""
    if not isinstance(error, PermissionError) or error.errno != errno.EACCES:
        return ""
    return _about_link(error.filename2) if error.filename2 else ""


def _about_link(target: str) -> str:
    if os.path.lexists(target) or not os.access(Path(target).parent, os.W_OK):
        return ""
    return _LINK.format(scratch=os.environ.get("TMPDIR", "/tmp"))


def help_for_command(said: str) -> str:
    """What to add to the last words of a command that has failed: ln's, or those of a program in
    Python (python -m venv)."""
    refused = _REFUSED_LINK.search(said)
    return _about_link(refused["ln"] or refused["python"]) if refused else ""


def _shared(error: BaseException, _memory_mb: int) -> str:
    """An error of memory without a file carries no name; the code that got it has one."""
    if not isinstance(error, PermissionError) or error.errno != errno.EPERM or error.filename:
        return ""
    return _SHARED if "mmap" in _names_at(error) and _refuses_shared_memory() else ""


def _names_at(error: BaseException) -> tuple[str, ...]:
    frames = list(_frames_at(error))
    return frames[-1].f_code.co_names if frames else ()


def _frames_at(error: BaseException) -> Iterator[FrameType]:
    """From where it was caught to where it was raised."""
    tb = error.__traceback__
    while tb:
        yield tb.tb_frame
        tb = tb.tb_next


def _refuses_shared_memory() -> bool:
    try:
        mmap.mmap(-1, mmap.PAGESIZE).close()
    except PermissionError:
        return True
    except OSError:
        pass
    return False


_HINTS = (_network, _memory, _environment, _link, _shared)


def _has_proxy() -> bool:
    return bool(os.environ.get("HTTPS_PROXY"))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_MAX_LINKS):
        if not isinstance(error, BaseException):
            return
        yield error
        error = error.__cause__ or error.__context__
