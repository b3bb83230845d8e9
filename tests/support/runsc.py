"""A sandboxd under gVisor, started as cellpod-kernel starts it, and a cell of its one sandbox."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support.zygote_client import Outcome
from unit.sandbox.sandboxd_client import ROOT, Daemon, Event, UnixConnection

PATIENCE = 600  # seconds: every system call is traced


class RunscDaemon(Daemon):
    """`folder` is made, and is gone afterwards."""

    def __init__(self, folder: Path, python: Path, workspace: Path, uid: int | None = None):
        self.folder, self.path = folder, folder / "sockets/sandboxd"
        user = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
        ready, theirs = os.pipe()
        owner, self.owner = os.pipe()
        self.process = subprocess.Popen(
            [ROOT / "build/bin/cellpod-runsc", "--folder", folder, "--python", python, "--workspace",
             workspace, "--ready-fd", str(theirs), "--owner-fd", str(owner)],
            pass_fds=[theirs, owner], env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)},
            **user)
        os.close(theirs)
        os.close(owner)
        with open(ready) as said:
            self.said = said.readline().strip()
        assert self.said == "ready", self.said

    def connect(self) -> UnixConnection:
        return UnixConnection(self.path, PATIENCE)

    def close(self) -> None:
        os.close(self.owner)
        try:
            assert self.process.wait(PATIENCE) == 0
        finally:
            self.process.kill()
        assert not self.folder.exists()

    def __enter__(self) -> RunscDaemon:
        return self

    def __exit__(self, *_) -> None:
        self.close()


class RunscCell:
    """Speaks to its worker as zygote_client.Sandbox speaks to one of namespaces."""

    def __init__(self, daemon: RunscDaemon):
        self.sandbox = daemon.claim(env={"LANG": "C.UTF-8"})
        self.events = self.sandbox.ready()
        self.seen = 0
        # Before any test: where the repository lies below /tmp, its Python is seen there.
        self.in_tmp = self.run("import os; print(os.listdir('/tmp'))").stdout.strip()

    def _next(self, *types: str) -> Event:
        try:
            event = self.events.next(*types)
        except TimeoutError:
            self.events.close()
            self.events = self.sandbox.events(self.seen)  # for the next test
            raise
        self.seen = event.seq
        return event

    def run(self, code: str) -> Outcome:
        request, outcome = self.sandbox.execute(code), Outcome()
        while True:
            event = self._next("stream", "execute_reply", "worker_exited")
            if event.type == "worker_exited":
                raise EOFError(event.json)
            elif event.type == "stream" and event.json["name"] == "stdout":
                outcome.stdout += event.json["text"]
            elif event.type == "stream":
                outcome.stderr += event.json["text"]
            elif event.parent == request:
                outcome.reply = event.json
                return outcome

    def profile(self) -> dict:
        request = self.sandbox.request("profile_request", {})
        while (event := self._next("profile_reply")).parent != request:
            continue
        return event.json

    def restart(self) -> None:
        assert self.sandbox.call("POST", "/restart", {})[0] == 202
        self._next("worker_started")
