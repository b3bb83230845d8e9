"""A real llama-server from Debian sid, with a model file that types given programs.

CELLPOD_LLAMA names the folder that tools/fetch-debian filled; `make test-llama`
does both. Nothing here is a stand-in but the model: tests/bridge/llama/scripted_model.py.
"""

import os
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pytest

HERE = Path(__file__).parents[1] / "bridge/llama"
SERVER = os.environ.get("CELLPOD_LLAMA")
KEY = "testkey"  # what run-llama-server asks for
APIS = ["chat", "completions", "responses", "anthropic"]

needs_llama = pytest.mark.skipif(
    not SERVER, reason="no llama-server here: make test-llama fetches one from Debian sid"
)


@contextmanager
def llama_server(folder: Path) -> Iterator[str]:
    """Its URL, once it answers; it has ended when this returns."""
    model = folder / "scripted.gguf"
    subprocess.run(["python3", HERE / "scripted_model.py", model], check=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [HERE / "run-llama-server", str(SERVER), model, str(port)], stdout=log, stderr=log
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, server, folder / "log")
        yield url
    finally:
        server.kill()  # how it ends is not our subject
        server.wait()


def wait_until_healthy(url: str, server: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return
        except OSError:
            assert server.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.05)


def llama_config(url: str, api: str, **more: Any) -> dict[str, Any]:
    """The "ask" of a configuration in which this server answers, with the key of LLAMA_KEY."""
    base = url if api == "anthropic" else f"{url}/v1"
    settings = {"api": api, "base_url": base, "key_env": "LLAMA_KEY", "model": "scripted", **more}
    return {"provider": "llama", "cache": False, "providers": {"llama": settings}}
