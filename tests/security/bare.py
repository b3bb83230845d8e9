"""Attempts without a sandbox: by whoever runs the tests, root on most machines, with every privilege;
and by the same with nothing but the sandbox's system call filter. Many take a privilege, so that an
ordinary user does not see them work: root has to."""

from __future__ import annotations

import os
import tempfile

from security.attempts import wrapped
from security.counterparts import ledger, works_where_it_may
from security.programs import Programs
from support.zygote_client import LIBRARIES

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


class Bare:
    """Nothing but the privileges of whoever runs the tests."""

    def __init__(self, programs: Programs):
        self.programs = programs

    def prints(self, program: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return self.programs.run(program, folder).strip()

    def reaches(self, attempt: str, **values) -> None:
        answer = ledger.noted(attempt, self.prints(wrapped(attempt, values)))
        assert answer == "REACHED" or os.getuid() != 0, answer


class FilterAlone:
    """So that it is known which wall it is."""

    def __init__(self, bare: Bare):
        self.bare = bare
        self.said: dict[str, str] = {}  # programs that leave nothing behind say the same again

    def prints(self, program: str) -> str:
        if program not in self.said:
            self.said[program] = self.bare.prints(program)
        return self.said[program]

    def stops(self, attempt: str, answer: str = "STOPPED EPERM", first: str = "", **values) -> None:
        """With this answer, whatever the privileges, and the kernel gives another one: it was asked."""
        program = wrapped(attempt, values)
        assert self.prints(BEHIND_THE_FILTER + program) == answer
        without = self.prints(wrapped(first + attempt, values))
        if os.getuid() == 0:
            works_where_it_may(without != answer)
        ledger.reached.add(attempt)
