"""Becomes a program on a machine that lacks something, then runs it.

    python forbid.py WHAT UID FILE COMMAND...

WHAT is what the machine lacks; UID (or -) the user to become, who is given FILE (or -).
`namespaces` is the real thing: a user namespace of our own in which the kernel's own limit,
user.max_user_namespaces, is 0. Debian's and AppArmor's settings exist only in some kernels:
`debian` and `apparmor` are stand-ins, which answer the same system call with the same error
(by a seccomp filter) and show the setting's file, on a tmpfs in a mount namespace. They
need root.
"""

import ctypes
import os
import struct
import subprocess
import sys

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWUSER = 0x00020000, 0x04000000, 0x10000000
UNSHARE = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    assert libc.unshare(flags) == 0, os.strerror(ctypes.get_errno())


def become(uid: str, file: str) -> None:
    if uid == "-":
        return
    if file != "-":
        os.chown(file, int(uid), int(uid))
    os.setgroups([])
    os.setresgid(int(uid), int(uid), int(uid))
    os.setresuid(int(uid), int(uid), int(uid))
    libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: /proc/self is ours again


def forbid_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER)
    for name, text in (("self/setgroups", "deny"), ("self/uid_map", f"{uid} {uid} 1"),
                       ("self/gid_map", f"{gid} {gid} 1"), ("sys/user/max_user_namespaces", "0")):
        with open(f"/proc/{name}", "w") as stream:
            stream.write(text)


def show_setting(name: str, value: str) -> None:
    """As the kernel that has it would."""
    unshare(CLONE_NEWNS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/proc/sys/kernel"],
                   check=True)
    with open(f"/proc/sys/kernel/{name}", "w") as stream:
        stream.write(value + "\n")


def refuse_unshare(flag: int) -> None:
    """EPERM for unshare with this flag, from now on and for all that is started."""
    def op(code, yes, no, k):
        return struct.pack("HBBI", code, yes, no, k)

    rules = b"".join([
        op(0x20, 0, 0, 0),              # load the system call's number
        op(0x15, 0, 3, UNSHARE),        # another one: allow
        op(0x20, 0, 0, 16),             # load its first argument's lower half
        op(0x45, 0, 1, flag),           # without the flag: allow
        op(0x06, 0, 0, 0x00050001),     # EPERM
        op(0x06, 0, 0, 0x7FFF0000),     # allow
    ])
    program = ctypes.create_string_buffer(rules)
    header = struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(program))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, header, 0, 0) == 0, os.strerror(ctypes.get_errno())


def main() -> None:
    what, uid, file, *command = sys.argv[1:]
    if what == "debian":
        show_setting("unprivileged_userns_clone", "0")
    if what == "apparmor":
        show_setting("apparmor_restrict_unprivileged_userns", "1")
    become(uid, file)
    if what == "namespaces":
        forbid_namespaces()
    else:
        refuse_unshare({"debian": CLONE_NEWUSER, "apparmor": CLONE_NEWUTS}[what])
    os.execv(command[0], command)


main()
