"""What a sandbox shows of this host's files: from a spec to a list of binds. Pure."""

from __future__ import annotations

import os
from collections.abc import Iterable

from cellpod.isolate import BIND_IF_THERE, BIND_STATE, BIND_USERS, BIND_WRITABLE, Bind

WORKSPACE = "/workspace"  # the private one, where the user's folder is not to be shown
STATE = "/home/sandbox/.state"

# In a pod nothing is mounted: these are the container's, and Landlock lets cells write there.
POD_HOME = "/tmp/home"
POD_BINDS = [Bind(WORKSPACE, WORKSPACE, BIND_WRITABLE)]

# Shown already, by sandbox/isolate/tree_contents.c.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")

# Where nothing of the user's may be put, nor below.
RESERVED = ("/proc", "/dev", "/sys", *SYSTEM)

# Where nothing may be put, though below it may.
FIXED = ("/", "/etc", "/home", "/home/sandbox", "/tmp", "/var", "/var/tmp", "/run", "/root")


# In order of preference.
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")


def lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def binds_for(spec: dict, prefixes: Iterable[str], programs: Iterable[str]) -> list[Bind]:
    """In the order of mounting: parents first, and on one place what is read-only last.

    `prefixes` hold the Python that runs, `programs` cellpod's own: neither may be changed
    from inside, not even where they lie in the workspace, since both run outside too.
    """
    users = _users_binds(spec)
    for bind in users:
        _check_target(bind.target)
    writable = [b.target for b in users if b.flags & BIND_WRITABLE]
    fixed = [Bind(p, p) for p in prefixes if not any(lies_in(p, s) for s in SYSTEM)]
    fixed += [Bind(p, p, BIND_IF_THERE) for p in programs if any(lies_in(p, w) for w in writable)]
    return sorted(users + fixed, key=lambda b: (_depth(b.target), not b.flags & BIND_USERS))


def temporary_folder(spec: dict) -> dict[str, str]:
    """TMPDIR, where it is not /tmp.

    Where a folder of the user's lies in /tmp, no sockets and links can be made in /tmp
    (sandbox/isolate/landlock.c): then they go to another scratch folder."""
    targets = [bind.target for bind in _users_binds(spec)]
    free = (f for f in TEMPORARY if not any(lies_in(target, f) for target in targets))
    folder = next(free, TEMPORARY[0])
    return {} if folder == TEMPORARY[0] else {"TMPDIR": folder}


def _users_binds(spec: dict) -> list[Bind]:
    binds = []
    if spec["workspace"]:
        path = spec["workspace"]["path"]
        binds.append(Bind(path, path, _flags(spec["workspace"]["mode"])))
    binds += [Bind(m["source"], m["target"], _flags(m["mode"])) for m in spec["mounts"]]
    if spec["state"]:
        binds.append(Bind(spec["state"], STATE, _flags("rw") | BIND_STATE))
    return binds


def _flags(mode: str) -> int:
    if mode not in ("ro", "rw"):
        raise ValueError(f"a mount's mode is ro or rw, not {mode!r}")
    return BIND_USERS | (BIND_WRITABLE if mode == "rw" else 0)


def _check_target(path: str) -> None:
    if not os.path.isabs(path) or os.path.normpath(path) != path or path.startswith("//"):
        raise ValueError(f"not an absolute, normal path: {path!r}")
    if path in FIXED or any(lies_in(path, r) for r in RESERVED):
        raise ValueError(f"{path} belongs to the system: mount a folder of your own")


def _depth(path: str) -> int:
    return path.rstrip("/").count("/")
