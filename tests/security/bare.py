"""Attempts without a sandbox: by whoever runs the tests, root on most machines, with every privilege;
and by the same with nothing but the sandbox's system call filter. Many take a privilege, so that an
ordinary user does not see them work: root has to."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile

from security.attempts import wrapped
from security.counterparts import ledger, works_where_it_may
from support.zygote_client import LIBRARIES, PYTHON

BEHIND_THE_FILTER = f"""
import ctypes
filter = ctypes.CDLL({str(LIBRARIES / "libcellpod-isolate.so")!r})
failure = ctypes.create_string_buffer(4096)
assert filter.seccomp_filter_compile(failure) == 0
assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS: capabilities stay
assert filter.seccomp_filter_install(ctypes.c_bool(False), failure) == 0
"""

# Mounts that are made then are of that program alone.
IN_OWN_MOUNTS = """
call("unshare", 0x20000)
call("mount", b"none", b"/", b"", 0x44000, 0)
"""


def run(program: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PYTHON, "-c", program], cwd=folder, text=True, capture_output=True,
                              timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Bare:
    """Nothing but the privileges of whoever runs the tests."""

    def reaches(self, attempt: str, **values) -> None:
        answer = ledger.noted(attempt, run(wrapped(attempt, values)))
        assert answer == "REACHED" or os.getuid() != 0, answer


# Of programs that leave nothing behind: what they say, they say again.
said = functools.cache(run)


class FilterAlone:
    """So that it is known which wall it is."""

    def stops(self, attempt: str, answer: str = "STOPPED EPERM", first: str = "", **values) -> None:
        """With this answer, whatever the privileges, and the kernel gives another one: it was asked."""
        program = wrapped(attempt, values)
        assert said(BEHIND_THE_FILTER + program) == answer
        without = said(wrapped(first + attempt, values))
        if os.getuid() == 0:
            works_where_it_may(without != answer)
        ledger.reached.add(attempt)
