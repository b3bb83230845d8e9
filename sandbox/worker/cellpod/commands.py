"""!cmd: a command on a terminal of its own, so that it prints as it goes."""

import codecs
import contextlib
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable

from . import hints
from .interrupts import Interrupts

ROWS, COLUMNS = 24, 80
LAST_WORDS = 4096


def run(command: str, interrupts: Interrupts) -> int:
    """Run by the shell and show what it prints. Returns the exit status, or minus the
    signal that ended it."""
    try:
        master, slave = os.openpty()
    except OSError:  # no terminals in this sandbox: it prints through the pipes
        return _status(subprocess.call(command, shell=True, executable=_shell()))
    held = interrupts.hold()  # or the command would run on when one arrives as it starts
    try:
        _prepare(slave)
        process = subprocess.Popen(
            [_shell(), "-c", command], stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
        )  # fmt: skip
    except BaseException:
        os.close(master)
        if held:
            interrupts.release()
        raise
    finally:
        os.close(slave)
    try:
        return _follow(process, master, interrupts.release if held else _nothing)
    finally:
        os.close(master)


def _nothing() -> None:
    pass


def _shell() -> str:
    return os.environ.get("SHELL") or "/bin/sh"


def _prepare(slave: int) -> None:
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # lines end as the program ends them
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, attributes)


def _follow(process: subprocess.Popen, master: int, release: Callable[[], None]) -> int:
    last = ""
    try:
        release()
        last = _copy(master)
    except KeyboardInterrupt:
        _end(process, master)
    code = _status(process.wait())
    if code and (hint := hints.help_for_command(last)):
        print(hint, file=sys.stderr)
    return code


def _copy(master: int) -> str:
    """Returns its last words."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    last = ""
    with contextlib.suppress(OSError):  # EIO: nobody has the terminal open any more
        while data := os.read(master, 1 << 16):
            text = decode(data)
            sys.stdout.write(text)
            last = (last + text)[-LAST_WORDS:]
    return last


def _end(process: subprocess.Popen, master: int) -> None:
    """An interrupt is the command's: it may still say something, but not for long."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(1)
            break
    os.set_blocking(master, False)
    _copy(master)


def _status(code: int) -> int:
    return -(code - 128) if code > 128 else code
