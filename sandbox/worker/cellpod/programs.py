"""command_request: run a program to its end, for agents. What it prints is collected."""

import codecs
import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from typing import Any

from .interrupts import Interrupts

MAX_OUTPUT = 8 << 20  # bytes kept of each stream; what comes after them is read and dropped
MAX_SECONDS = 86400
TIMED_OUT = 124  # as of timeout(1)


def answer(content: dict[str, Any], interrupts: Interrupts) -> dict[str, Any]:
    """`command` is split into words as by a shell, and run without one; `script` is bash's, `python` a
    program of its own."""
    try:
        interrupts.enter_code()
        reply = _run(_words(content), _seconds(content))
        interrupts.end()
    except KeyboardInterrupt:
        interrupts.end()
        reply = {"status": "error", "ename": "KeyboardInterrupt", "evalue": "it was interrupted"}
    except (OSError, ValueError, TypeError) as error:
        interrupts.end()
        reply = {"status": "error", "ename": type(error).__name__, "evalue": str(error)}
    return reply


def _words(content: dict[str, Any]) -> list[str]:
    command, script, code = (content.get(name) for name in ("command", "script", "python"))
    if isinstance(script, str):
        return ["bash", "-c", script]
    if isinstance(code, str):
        return [sys.executable, "-c", code]
    if not isinstance(command, str):
        raise TypeError("a command_request needs a command, a script or Python code, a string")
    words = shlex.split(command)
    if not words:
        raise ValueError("the command is empty")
    return words


def _seconds(content: dict[str, Any]) -> float:
    seconds = content.get("timeout", MAX_SECONDS)
    if not isinstance(seconds, (int, float)) or not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"timeout must be a number of seconds, at most {MAX_SECONDS}")
    return float(seconds)


def _run(words: list[str], seconds: float) -> dict[str, Any]:
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    outputs = [Output(process.stdout), Output(process.stderr)]
    try:
        timed_out = not _follow(process, outputs, time.monotonic() + seconds)
    finally:
        _kill(process)
        status = process.wait()
        for output in outputs:
            output.drain()
    return {
        "status": "ok",
        "stdout": outputs[0].text(),
        "stderr": outputs[1].text(),
        "exit_code": TIMED_OUT if timed_out else status,
        "timed_out": timed_out,
        "truncated": any(output.truncated for output in outputs),
    }


def _follow(process: subprocess.Popen, outputs: list["Output"], deadline: float) -> bool:
    """Until the program has ended, and nobody holds its outputs open. False: out of time."""
    with selectors.DefaultSelector() as selector:
        for output in outputs:
            selector.register(output.stream, selectors.EVENT_READ, output)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(left):
                if not key.data.read():
                    selector.unregister(key.fileobj)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, deadline - time.monotonic()))
        return True
    return False


def _kill(process: subprocess.Popen) -> None:
    """With all that it has started, but for what made a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Output:
    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.truncated = False
        self._kept = bytearray()
        os.set_blocking(stream.fileno(), False)

    def read(self) -> bool:
        """False at the end."""
        try:
            data = os.read(self.stream.fileno(), 1 << 16)
        except BlockingIOError:
            return True
        room = MAX_OUTPUT - len(self._kept)
        self._kept += data[:room]
        self.truncated = self.truncated or len(data) > room
        return bool(data)

    def drain(self) -> None:
        """What lies in the pipe, without waiting for more."""
        with contextlib.suppress(BlockingIOError):
            while not self.truncated and (data := os.read(self.stream.fileno(), 1 << 16)):
                self._kept += data[: MAX_OUTPUT - len(self._kept)]
                self.truncated = len(self._kept) == MAX_OUTPUT
        self.stream.close()

    def text(self) -> str:
        text = codecs.decode(bytes(self._kept), "utf-8", "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n")
