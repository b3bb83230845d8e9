"""The bridge under test: a process that runs bridge_ask and is spoken to in JSON lines."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any, Callable

from wires import Wire

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("CELLPOD_BUILD", ROOT / "build"))
KEY = "canary-3b9f27d1e5a84c60"
PATIENCE = 240.0

PROFILE: dict[str, Any] = {
    "packages": {"python": "3.11.2", "pandas": "2.2.3", "matplotlib": "3.10.1"},
    "frames": [
        {
            "name": "df",
            "kind": "frame",
            "rows": 9994,
            "columns": [
                {
                    "name": "Profit",
                    "dtype": "float64",
                    "kind": "number",
                    "min": -6599.9,
                    "max": 8399,
                },
                {
                    "name": "Customer",
                    "dtype": "object",
                    "kind": "text",
                    "unique": 793,
                    "min": "Aaron Zed",
                    "max": "Zuschuss Carroll",
                    "values": ["John Smith", "Mary Ann"],
                },
                {
                    "name": "Order Date",
                    "dtype": "datetime64[ns]",
                    "kind": "date",
                    "min": "2014-01-03",
                    "max": "2017-12-30",
                },
            ],
            "sample": [[41.9, "John Smith", "2016-11-08"]],
        }
    ],
}


class Bridge:
    """One process; lines that it says are kept in `heard`."""

    def __init__(
        self, folder: Path, config: dict[str, Any], *args: str, build: Path = BUILD, **env: str
    ) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / "config.json"
        path.write_text(json.dumps({"ask": config}))
        self.heard: list[dict[str, Any]] = []
        self.errors = folder / "stderr"
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "CELLPOD_LOG": "debug",
            "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:exitcode=99",
            **env,
        }
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [build / "tests/bridge/ask_driver", "--config", path, *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environ,
            )

    def say(self, **command: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self, *keys: str, patience: float = PATIENCE) -> dict[str, Any]:
        """The next line that has one of these members; progress is passed over."""
        assert self.process.stdout
        until = time.monotonic() + patience
        while True:
            left = max(0.0, until - time.monotonic())
            if not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError(f"no {keys}; heard {self.heard[-5:]}")
            line = self.process.stdout.raw.readline()  # type: ignore[attr-defined]
            assert line, f"it ended: {self.errors.read_text()[-3000:]}"
            self.heard.append(json.loads(line))
            if any(key in self.heard[-1] for key in keys):
                return self.heard[-1]

    def ask(self, cell: str = "%%ask\nTotal profit", **more: Any) -> None:
        self.say(ask=cell, **{"profile": PROFILE, **more})

    def answer(self, *runs: dict[str, Any]) -> dict[str, Any]:
        """Plays the sandbox: the n-th run ends with the n-th of `runs`, then the end is awaited."""
        for run in runs:
            line = self.hear("run", "finished")
            assert "run" in line, line
            self.say(ran=run)
        return self.hear("finished")

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        for step in (lambda: self.say(quit=True), self.process.stdin.close):
            with contextlib.suppress(BrokenPipeError):  # it may have quit already
                step()
        self.process.stdout.read()  # what it still says when it ends
        status = self.process.wait(timeout=PATIENCE)
        assert status == 0, self.errors.read_text()[-6000:]


OK = {"showed": True}
SILENT = {"showed": False}


def error(number: int = 0) -> dict[str, Any]:
    return {
        "ename": f"Error{number}",
        "evalue": f"'Profitt{number}'",
        "traceback": ["Cell In[1], line 1\n----> 1 df"],
        "showed": True,
    }


def fenced(code: str = "df['Profit'].sum()") -> str:
    return f"```python\n{code}\n```\n"


Opener = Callable[..., Bridge]


def config_for(wire: Wire, url: str, **more: Any) -> dict[str, Any]:
    """The stand-in as the default provider."""
    settings = {**wire.settings(url), "model": "m-1", "key_env": "STANDIN_KEY", **more}
    return {"provider": "standin", "cache": False, "providers": {"standin": settings}}
