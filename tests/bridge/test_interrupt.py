"""An interrupt in each state: over at once, the connection closed, nothing leaked.

With the sanitizers' build, where it was made, the driver's exit also proves that nothing was lost.
"""

from __future__ import annotations

import functools
import socket
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from harness import BUILD, KEY, OK, ROOT, Bridge, Opener, config_for, error, fenced
from standin import Hang, StandIn, Step, fault_429, open_stream, stream
from wires import CHAT, WIRES, Wire

SANITIZED = ROOT / "build/asan"


@pytest.fixture(params=[BUILD, SANITIZED], ids=["plain", "sanitized"])
def bridge(request: pytest.FixtureRequest, bridge: Opener) -> Opener:
    if not (request.param / "tests/bridge/ask_driver").exists():
        pytest.skip("not built: make CONFIG=asan unit-programs")
    return functools.partial(bridge, build=request.param)


def interrupt(driver: Bridge) -> None:
    """In each state the other side has nothing more to say: without the interrupt there is no end."""
    driver.say(cancel=True)
    end = driver.hear("finished")
    assert (end["finished"], end["failure"]) == ("cancelled", "cancelled")
    assert driver.hear("cancelled_us")


def and_then_works(driver: Bridge, server: StandIn, wire: Wire = CHAT) -> None:
    """The next question is answered as if nothing had been."""
    server.scripts.extend([stream(*wire.answer(fenced()))] * 1)
    driver.ask()
    assert driver.answer(OK)["finished"] == "answered"


def while_silent(driver: Bridge, server: StandIn, wire: Wire) -> None:
    assert server.arrived.acquire(timeout=200)


def while_writing(driver: Bridge, server: StandIn, wire: Wire) -> None:
    while "writes" not in driver.hear("progress")["progress"]:
        pass


STATES: list[tuple[str, Callable[[Wire], list[Step]], Callable[..., None]]] = [
    ("before the first byte", lambda w: [Hang()], while_silent),
    ("in the headers", lambda w: [b"HTTP/1.1 200 OK\r\nContent-", Hang()], while_silent),
    ("in the stream", lambda w: open_stream(*w.begin, w.text("```python"), Hang()), while_writing),
]


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
@pytest.mark.parametrize("state", STATES, ids=lambda state: state[0])
def test_while_the_model_is_asked(bridge: Opener, wire: Wire, state: Any) -> None:
    _, script, wait = state
    with StandIn([script(wire)]) as server:
        driver = bridge(config_for(wire, server.url), STANDIN_KEY=KEY)
        driver.ask()
        wait(driver, server, wire)
        interrupt(driver)
        assert server.closed.acquire(timeout=50), "the connection must be closed"
        and_then_works(driver, server, wire)


def test_at_once(bridge: Opener) -> None:
    with StandIn([]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask()
        interrupt(driver)
        and_then_works(driver, server)


def test_while_waiting_to_try_again(bridge: Opener) -> None:
    with StandIn([fault_429("50")]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask()
        while driver.hear("progress")["stage"] != "waiting":
            pass
        interrupt(driver)
        and_then_works(driver, server)


def test_while_the_code_is_checked(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask(check=True)
        driver.hear("check")
        interrupt(driver)
        and_then_works(driver, server)


def test_while_the_code_runs(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask()
        driver.hear("run")
        interrupt(driver)
        and_then_works(driver, server)


def test_while_it_is_corrected(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced())), [Hang()]]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask()
        driver.hear("run")
        driver.say(ran=error())
        for _ in range(2):
            assert server.arrived.acquire(timeout=200)
        interrupt(driver)
        and_then_works(driver, server)


def test_when_it_is_over_already(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask()
        driver.answer(OK)
        driver.say(cancel=True)
        assert driver.hear("cancelled_us")


@pytest.fixture
def mute_listener() -> Iterator[int]:
    """Takes connections and never says a word: a TLS handshake hangs in it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_in_a_handshake_that_hangs(bridge: Opener, mute_listener: int) -> None:
    driver = bridge(config_for(CHAT, f"https://127.0.0.1:{mute_listener}"))
    driver.ask()
    driver.hear("progress")
    interrupt(driver)


def test_while_a_connection_is_not_answered(bridge: Opener) -> None:
    with socket.socket() as listener:  # bound, but nobody listens behind a full queue
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(address)
            fillers.append(filler)
        driver = bridge(config_for(CHAT, f"http://127.0.0.1:{address[1]}"))
        driver.ask()
        driver.hear("progress")
        interrupt(driver)
        for filler in fillers:
            filler.close()


def vertex(url: str, **more: Any) -> dict[str, Any]:
    settings = {"api": "vertex", "base_url": url, "project": "p", "model": "m-1", **more}
    return {"provider": "vertex", "cache": False, "providers": {"vertex": settings}}


def test_while_a_token_is_fetched(bridge: Opener) -> None:
    with StandIn([[Hang()]]) as metadata:
        driver = bridge(vertex("http://127.0.0.1:1", metadata_url=f"{metadata.url}/token"))
        driver.ask()
        assert metadata.arrived.acquire(timeout=200)
        interrupt(driver)
        assert metadata.closed.acquire(timeout=50)


def test_while_a_token_command_runs(bridge: Opener, tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = ["sh", "-c", f"echo $$ > {started}.new; mv {started}.new {started}; exec sleep 1000"]
    driver = bridge(vertex("http://127.0.0.1:1", token_command=command))
    driver.ask()
    until = time.monotonic() + 20
    while not started.exists() and time.monotonic() < until:
        time.sleep(0.01)
    interrupt(driver)
    assert not Path(f"/proc/{started.read_text().strip()}").exists()


def test_quitting_in_the_middle_leaks_nothing(bridge: Opener) -> None:
    with StandIn([open_stream(*CHAT.begin, Hang())]) as server:
        driver = bridge(config_for(CHAT, server.url), STANDIN_KEY=KEY)
        driver.ask()
        assert server.arrived.acquire(timeout=200)
        driver.say(models=True)
        driver.say(quit=True)
        assert driver.hear("finished")["finished"] == "cancelled"
