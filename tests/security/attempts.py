"""Attempts: Python code that raises OSError where it is stopped.

An attempt runs twice, as the user's own program and in a cell, and prints REACHED or
STOPPED and why. So it is known to work, and to be stopped by the sandbox.
"""

from __future__ import annotations

import textwrap

PRELUDE = '''
import ctypes, errno, os, platform, select, signal, socket, stat, struct, subprocess, sys, time
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

# Numbers, since code in a sandbox needs no library for a system call.
NUMBERS = {
    "x86_64": {"ptrace": 101, "syslog": 103, "pivot_root": 155, "mount": 165, "umount2": 166,
               "chroot": 161, "init_module": 175, "add_key": 248, "keyctl": 250,
               "unshare": 272, "perf_event_open": 298, "open_by_handle_at": 304,
               "setns": 308, "process_vm_readv": 310, "kcmp": 312, "finit_module": 313,
               "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
               "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
               "clone3": 435, "pidfd_getfd": 438, "mount_setattr": 442, "clone": 56,
               "seccomp": 317, "shmget": 29, "personality": 135, "iopl": 172,
               "name_to_handle_at": 303, "quotactl": 179, "swapon": 167, "reboot": 169,
               "settimeofday": 164, "acct": 163, "vmsplice": 278, "modify_ldt": 154},
    "aarch64": {"ptrace": 117, "syslog": 116, "pivot_root": 41, "mount": 40, "umount2": 39,
                "chroot": 51, "init_module": 105, "add_key": 217, "keyctl": 219,
                "unshare": 97, "perf_event_open": 241, "open_by_handle_at": 265,
                "setns": 268, "process_vm_readv": 270, "kcmp": 272, "finit_module": 273,
                "memfd_create": 279, "kexec_file_load": 294, "bpf": 280, "userfaultfd": 282,
                "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
                "clone3": 435, "pidfd_getfd": 438, "mount_setattr": 442, "clone": 220,
                "seccomp": 277, "shmget": 194, "personality": 92, "name_to_handle_at": 264,
                "quotactl": 60, "swapon": 224, "reboot": 142, "settimeofday": 170,
                "acct": 89, "vmsplice": 75},
}[platform.machine()]

def call(name, *arguments):
    words = [a if isinstance(a, (bytes, ctypes.Array)) else ctypes.c_long(a)
             for a in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[name]), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result
'''

ATTEMPT = """
def attempt():
{body}
try:
    attempt()
except OSError as error:
    print("STOPPED", errno.errorcode.get(error.errno, error))
else:
    print("REACHED")
"""


def wrapped(attempt: str, values: dict) -> str:
    """A program of its own; `values` are the names that the attempt may use."""
    given = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    body = textwrap.indent(textwrap.dedent(attempt).strip("\n"), "    ")
    return PRELUDE + given + ATTEMPT.format(body=body)
