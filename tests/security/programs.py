"""Attempts as programs of their own, without a sandbox. Python starts and imports once: each program
runs in a child of that process, which has nothing of the one before."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path

from security.attempts import PRELUDE
from support.zygote_client import PATIENCE, PYTHON

PARENT = PRELUDE + """
import json, traceback

def run(program):
    try:
        exec(compile(program, "<attempt>", "exec"), {"__name__": "__main__"})
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        sys.stdout.flush()
        os._exit(1)
    os._exit(0)

channel = socket.socket(fileno=3)
while True:
    text, files, _, _ = socket.recv_fds(channel, 1 << 20, 2)
    if not text:
        break
    child = os.fork()
    if child == 0:
        channel.close()
        for file, number in zip(files, (1, 2)):
            os.dup2(file, number)
            os.close(file)
        asked = json.loads(text)
        os.chdir(asked["cwd"])
        run(asked["program"])
    for file in files:
        os.close(file)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    channel.send(str(status).encode())
"""


class Programs:
    """Of one user."""

    def __init__(self, env: dict | None = None, **credentials):
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.channel.settimeout(PATIENCE)
        with theirs:
            self.process = subprocess.Popen(
                [PYTHON, "-c", PARENT], cwd="/", env=env, stdin=subprocess.DEVNULL,
                preexec_fn=lambda: os.dup2(theirs.fileno(), 3), pass_fds=[3], **credentials)

    def run(self, program: str, cwd: Path | str) -> str:
        """What it prints. It must not fail."""
        asked = json.dumps({"program": program, "cwd": str(cwd)}).encode()
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            socket.send_fds(self.channel, [asked], [output.fileno(), errors.fileno()])
            status = self.channel.recv(100)
            for file in (output, errors):
                file.seek(0)
            assert status == b"0", (status, errors.read())
            return output.read()

    def close(self) -> None:
        self.channel.close()
        self.process.wait(PATIENCE)

    def __enter__(self) -> Programs:
        return self

    def __exit__(self, *_) -> None:
        self.close()
