"""A canary key goes to its provider, and appears nowhere else."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness import BUILD, KEY, OK, Bridge, Opener, config_for, error, fenced
from standin import Hang, StandIn, certificate, http, open_stream, stream
from wires import CHAT, WIRES, Wire, event

each_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
SANITIZED = "asan" in str(BUILD)


def everything_said(driver: Bridge) -> str:
    files = [p for p in driver.errors.parent.rglob("*") if p.is_file()]
    return json.dumps(driver.heard) + "".join(p.read_text(errors="replace") for p in files)


@each_wire
def test_nothing_that_is_written_has_it(bridge: Opener, wire: Wire) -> None:
    scripts = [stream(*wire.answer(fenced("df.x"))), stream(*wire.answer(fenced("df.y")))]
    with StandIn(scripts) as server:
        driver = bridge({**config_for(wire, server.url), "cache": True}, STANDIN_KEY=KEY)
        driver.ask()
        driver.answer(error(), OK)
        driver.say(models=True)
        driver.hear("models")
        driver.say(show="%ask --show Total")
        driver.hear("show")
        assert all(KEY in request.headers[wire.auth] for request in server.requests[:2])
    assert KEY not in everything_said(driver)


@each_wire
def test_a_server_that_quotes_it_does_not_spread_it(bridge: Opener, wire: Wire) -> None:
    message = f"Incorrect API key provided: {KEY}."
    scripts = [
        http(
            401,
            json.dumps({"error": {"message": message, "code": KEY}}),
            headers={"x-request-id": KEY},
        ),
        http(502, f"<p>{KEY}</p>", "text/html"),
        stream(*wire.begin, event({"error": {"message": message, "code": 400}})),
        stream(*wire.answer(f"The key is {KEY}.\n" + fenced(f"key = '{KEY}'"))),
    ]
    with StandIn(scripts) as server:
        driver = bridge({**config_for(wire, server.url), "cache": True}, STANDIN_KEY=KEY)
        for _ in range(2):  # the 502 is tried again, and gets the third script
            driver.ask()
            driver.hear("finished")
        driver.ask()
        driver.answer(OK)
        assert len(server.requests) == 4
    said = everything_said(driver)
    assert KEY not in said and "*" * len(KEY) in said


@each_wire
def test_a_masked_key_that_was_pasted_is_refused_in_one_sentence(
    bridge: Opener, wire: Wire
) -> None:
    key = "*" * 48
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {key}.", "code": key}})
    with StandIn([http(401, body, headers={"x-request-id": key})] * 2) as server:
        driver = bridge(config_for(wire, server.url), STANDIN_KEY=key)
        driver.ask()
        end = driver.hear("finished")
        assert key in server.requests[0].headers[wire.auth]
    assert (end["finished"], end["failure"]) == ("failed", "auth")
    assert end["message"].startswith("standin (m-1) ") and "\n" not in end["message"]


def test_the_environment_of_the_process_has_it_no_more(bridge: Opener) -> None:
    names = [
        "STANDIN_KEY",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "CELLPOD_API_KEY",
    ]
    with StandIn([[Hang()]]) as server:
        driver = bridge(config_for(CHAT, server.url), **{name: KEY + name for name in names})
        driver.ask()
        assert server.arrived.acquire(timeout=200)
        environ = Path(f"/proc/{driver.process.pid}/environ").read_bytes()
        assert b"CELLPOD_LOG" in environ and KEY.encode() not in environ
        cmdline = Path(f"/proc/{driver.process.pid}/cmdline").read_bytes()
        assert KEY.encode() not in cmdline


def test_a_token_command_does_not_inherit_it(bridge: Opener, tmp_path: Path) -> None:
    out = tmp_path / "environ"
    command = ["sh", "-c", f"cat /proc/self/environ > {out}; echo token-1"]
    settings = {"api": "vertex", "project": "p", "model": "m-1", "token_command": command}
    with StandIn(
        [
            stream(
                event(
                    {
                        "candidates": [
                            {"content": {"parts": [{"text": fenced()}]}, "finishReason": "STOP"}
                        ]
                    }
                )
            )
        ]
    ) as server:
        driver = bridge(
            {
                "provider": "v",
                "cache": False,
                "providers": {"v": {**settings, "base_url": server.url}},
            },
            OPENAI_API_KEY=KEY,
        )
        driver.ask()
        driver.answer(OK)
        assert server.requests[0].headers["authorization"] == "Bearer token-1"
    assert KEY.encode() not in out.read_bytes()


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's own records are no core dump of ours")
@pytest.mark.skipif(not shutil.which("gcore"), reason="needs gdb's gcore")
@pytest.mark.parametrize("over", ["http", "https"])
@pytest.mark.parametrize("moment", ["while asking", "when done"])
def test_a_core_dump_does_not_have_it(
    bridge: Opener, tmp_path: Path, moment: str, over: str
) -> None:
    scripts = [
        (
            open_stream(CHAT.begin[0], Hang())
            if moment == "while asking"
            else stream(*CHAT.answer(fenced()))
        )
    ]
    file, context = certificate(tmp_path)
    with StandIn(scripts, tls=context if over == "https" else None) as server:
        driver = bridge(config_for(CHAT, server.url, ca_file=str(file)), STANDIN_KEY=KEY)
        driver.ask()
        assert server.arrived.acquire(timeout=200)
        if moment == "when done":
            driver.answer(OK)
        driver.say(show="%ask --show x")  # when it answers, libcurl is done with sending
        driver.hear("show")
        subprocess.run(
            ["gcore", "-o", tmp_path / "core", str(driver.process.pid)],
            check=True,
            capture_output=True,
            timeout=60,
        )
        core = next(tmp_path.glob("core.*")).read_bytes()
    assert b"STANDIN_KEY" in core  # it is a core of this process
    assert core.count(KEY.encode()) == 0


def locked_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmLck:\s+(\d+) kB", status).group(1))  # type: ignore[union-attr]


@pytest.mark.skipif(SANITIZED, reason="sanitizers make mlock do nothing")
def test_it_is_in_locked_memory(bridge: Opener) -> None:
    with StandIn([[Hang()]]) as server:
        driver = bridge(config_for(CHAT, server.url), STANDIN_KEY=KEY)
        driver.ask()
        assert server.arrived.acquire(timeout=200)
        assert locked_kb(driver.process.pid) > 0


@pytest.mark.parametrize(
    ("mode", "text", "says"),
    [
        (0o600, KEY + "\n", None),
        (0o400, KEY, None),
        (0o644, KEY, "chmod 600"),
        (0o640, KEY, "chmod 600"),
        (0o600, "", "1 to 4096 printable"),
        (0o600, "two words", "printable"),
        (0o600, "x" * 5000, "printable"),
        (0o600, "a\nb", "printable"),
    ],
)
def test_a_key_file_must_be_private_and_hold_a_key(
    bridge: Opener, tmp_path: Path, mode: int, text: str, says: str | None
) -> None:
    file = tmp_path / "key"
    file.write_text(text)
    file.chmod(mode)
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        settings = {**CHAT.settings(server.url), "model": "m-1", "key_file": str(file)}
        driver = bridge({"provider": "x", "cache": False, "providers": {"x": settings}})
        driver.ask()
        end = driver.hear("finished", "run")
        if says is None:
            assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
            driver.say(ran=OK)
            end = driver.hear("finished")
        else:
            assert end["failure"] == "config" and says in end["message"]
            assert str(file) in end["message"] and not server.requests


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")
def test_a_mounted_secret_may_have_the_clusters_modes(bridge: Opener, tmp_path: Path) -> None:
    libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    folder = tmp_path / "secret"
    folder.mkdir()
    read_only = 1
    if libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 0, b"size=64k") != 0:
        pytest.skip("this machine lets nobody mount")
    try:
        (folder / "key").write_text(KEY)
        (folder / "key").chmod(0o644)
        assert libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 32 | read_only, None) == 0
        with StandIn([stream(*CHAT.answer(fenced()))]) as server:
            settings = {
                **CHAT.settings(server.url),
                "model": "m-1",
                "key_file": str(folder / "key"),
            }
            driver = bridge({"provider": "x", "cache": False, "providers": {"x": settings}})
            driver.ask()
            assert driver.answer(OK)["finished"] == "answered"
            assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    finally:
        libc.umount2(bytes(folder), 2)


@pytest.mark.parametrize(
    "host",
    ["models.example", "127.models.example", "127.0.0.1.models.example", "localhost.example", "[::2]"],
)
def test_no_key_travels_in_clear_text(bridge: Opener, host: str) -> None:
    settings: dict[str, Any] = {
        "api": "chat",
        "base_url": f"http://{host}/v1",
        "key_env": "STANDIN_KEY",
    }
    driver = bridge({"provider": "x", "providers": {"x": settings}}, STANDIN_KEY=KEY)
    driver.ask()
    end = driver.hear("finished")
    assert end["failure"] == "config" and "sent unencrypted" in end["message"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "[::1]"])
def test_to_this_machine_it_may(bridge: Opener, host: str) -> None:
    """Nobody listens there: the key is not what is complained about."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    settings = {"api": "chat", "base_url": f"http://{host}:{port}/v1", "key_env": "STANDIN_KEY"}
    driver = bridge({"provider": "x", "providers": {"x": settings}}, "--virtual", STANDIN_KEY=KEY)
    driver.ask()
    assert driver.hear("finished")["failure"] == "network"
