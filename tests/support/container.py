"""A container as bare as can be, for sandboxd's pod mode: a root of its own, its processes, a user
without privileges. No image, no cgroups, this host's network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
UID = 10001

SCRIPT = r"""
for place in /mnt /media /srv /opt; do
    case "$REPOSITORY/" in $place/*) continue ;; esac
    [ ! -d $place ] || break
done
root=$place/root
mount -t tmpfs -o mode=755 tmpfs $place
mkdir -p $root/{proc,dev,tmp,workspace}
for folder in tmp workspace; do # before what may lie in them
    mount -t tmpfs -o mode=1777 tmpfs $root/$folder
done
mkdir -p "$root$REPOSITORY"
for name in bin sbin lib lib32 lib64 libx32; do
    [ ! -e /$name ] || cp -d /$name $root/$name
done
for folder in /usr /etc "$REPOSITORY"; do
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
    mount -o remount,bind,ro "$root$folder"
done
if [ -n "${CACHE-}" ]; then
    mkdir $root/cache
    mount --bind "$CACHE" $root/cache
fi
mount --rbind /dev $root/dev
mount -t proc proc $root/proc
mount -o remount,ro $place
exec chroot $root setpriv --reuid=$POD_UID --regid=$POD_UID --clear-groups --bounding-set=-all \
    --inh-caps=-all --no-new-privs "$@"
"""


def command(program: list[str | Path]) -> list[str]:
    """How to run a program in it. Root only."""
    return ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
            "--propagation", "private", "bash", "-euc", SCRIPT, "container",
            *(str(part) for part in program)]


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/tmp", "REPOSITORY": str(REPOSITORY),
            "POD_UID": str(UID), "XDG_STATE_HOME": "/tmp/state", **more}


def start(program: list[str | Path], **options) -> subprocess.Popen:
    more = options.pop("env", {})
    return subprocess.Popen(command(program), env=environment(**more), **options)
