"""Everything a server can do wrong, for every provider: what it is called, how often it is tried
again, and how long that takes on the virtual clock."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from dataclasses import dataclass, replace
from email.utils import formatdate
from pathlib import Path
from typing import Any, Callable

import pytest

from harness import KEY, OK, Opener, config_for, fenced
from standin import (
    Hang,
    Reset,
    StandIn,
    Step,
    Wait,
    certificate,
    http,
    open_stream,
    stream,
    until_close,
)
from wires import ANTHROPIC, CHAT, COMPLETIONS, GEMINI, PROVIDERS, VERTEX, Wire, event

GOOD = fenced()
HTML = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


def fault(
    number: int, message: str = "no", headers: dict[str, str] | None = None, **more: Any
) -> list[Step]:
    return http(number, json.dumps({"error": {"message": message, **more}}), headers=headers)


def cut(wire: Wire) -> list[bytes]:
    """An answer whose code is whole and whose end marker never comes."""
    return [*wire.begin, wire.text(GOOD)]


def whole(wire: Wire) -> list[bytes]:
    return wire.answer(GOOD)


@dataclass
class Fault:
    name: str
    script: Callable[[Wire], list[Step]]
    failure: str
    requests: int = 1
    waited_ms: int = 0
    says: str = ""


RETRIED = {"requests": 3, "waited_ms": 1500}  # 500 and 1000 ms
ONCE = {"requests": 2, "waited_ms": 500}  # an answer that had begun is begun anew once

FAULTS = [
    Fault("400", lambda w: fault(400, "bad field"), "bad_request", says="bad field"),
    Fault("401", lambda w: fault(401, "bad key"), "auth", says="STANDIN_KEY"),
    Fault("402", lambda w: fault(402), "quota"),
    Fault("403", lambda w: fault(403), "auth"),
    Fault("404", lambda w: fault(404, "no such model"), "bad_request", says="no such model"),
    Fault("408", lambda w: fault(408), "timeout", **RETRIED),
    Fault("409", lambda w: fault(409), "server", **RETRIED),
    Fault("413", lambda w: fault(413), "bad_request"),
    Fault(
        "422",
        lambda w: http(422, '{"detail":[{"msg":"field required"}]}'),
        "bad_request",
        says="field required",
    ),
    Fault("429", lambda w: fault(429), "rate", **RETRIED),
    Fault("429, wait 2 s", lambda w: fault(429, headers={"Retry-After": "2"}), "rate", 3, 4000),
    Fault(
        "429, wait 250 ms", lambda w: fault(429, headers={"Retry-After-Ms": "250"}), "rate", 3, 500
    ),
    Fault(
        "429, past date",
        lambda w: fault(429, headers={"Retry-After": formatdate(0, usegmt=True)}),
        "rate",
        3,
        0,
    ),
    Fault(
        "429, wait an hour",
        lambda w: fault(429, headers={"Retry-After": "3600"}),
        "rate",
        says="3600 s",
    ),
    Fault(
        "429, nonsense", lambda w: fault(429, headers={"Retry-After": "later"}), "rate", **RETRIED
    ),
    Fault(
        "429, no money",
        lambda w: fault(429, code="insufficient_quota", headers={"Retry-After": "1"}),
        "quota",
    ),
    Fault("429, should not", lambda w: fault(429, headers={"x-should-retry": "false"}), "rate"),
    Fault(
        "400, should",
        lambda w: fault(400, headers={"x-should-retry": "true"}),
        "bad_request",
        **RETRIED,
    ),
    Fault("500", lambda w: fault(500), "server", **RETRIED),
    Fault(
        "502 in HTML",
        lambda w: http(502, HTML, "text/html"),
        "server",
        **RETRIED,
        says="Bad Gateway",
    ),
    Fault(
        "503, loading",
        lambda w: fault(503, "Loading model"),
        "server",
        **RETRIED,
        says="Loading model",
    ),
    Fault("504", lambda w: fault(504), "timeout", **RETRIED),
    Fault("529", lambda w: fault(529), "server", **RETRIED),
    Fault(
        "307",
        lambda w: http(307, "", headers={"Location": "http://127.0.0.1:1/"}),
        "protocol",
        says="redirect",
    ),
    Fault(
        "request id",
        lambda w: fault(400, headers={"x-request-id": "req-77"}),
        "bad_request",
        says="request req-77",
    ),
    Fault("huge error", lambda w: http(500, "x" * 300_000, "text/plain"), "server", **RETRIED),
    Fault("closed at once", lambda w: [], "network", **RETRIED),
    Fault("reset at once", lambda w: [Reset()], "network", **RETRIED),
    Fault("chunks cut", lambda w: open_stream(*cut(w)), "truncated", **ONCE),
    Fault("closed half way", lambda w: until_close(*cut(w)), "truncated", **ONCE),
    Fault("ended without its marker", lambda w: stream(*cut(w)), "truncated", **ONCE),
    Fault("cut in an event", lambda w: stream(*w.begin, w.text(GOOD)[:-9]), "truncated", **RETRIED),
    Fault("short of its length", lambda w: [http(200, "x" * 50)[0][:-20]], "truncated", **RETRIED),
    Fault(
        "error in mid-stream", lambda w: stream(*cut(w), w.error), "server", **ONCE, says="it broke"
    ),
    Fault(
        "error, then [DONE]", lambda w: stream(*cut(w), w.error, event("[DONE]")), "server", **ONCE
    ),
    Fault("error instead of a stream", lambda w: stream(w.error), "server", **RETRIED),
    Fault(
        "error with status 200",
        lambda w: http(200, '{"error":{"message":"overloaded","code":503}}'),
        "server",
        **RETRIED,
    ),
    Fault("HTML with status 200", lambda w: http(200, HTML, "text/html"), "protocol"),
    Fault("nothing with status 200", lambda w: http(200), "protocol"),
    Fault("no JSON", lambda w: stream(*w.begin, b"data: {oops\n\n"), "protocol"),
    Fault(
        "10 MB line",
        lambda w: stream(*w.begin, b"data: " + b"x" * 10_000_000 + b"\n\n"),
        "protocol",
        says="too long",
    ),
    Fault(
        "nested 10,000 deep",
        lambda w: stream(*w.begin, b'data: {"a":' + b"[" * 10_000 + b"\n\n"),
        "protocol",
    ),
    Fault(
        "gzip, unasked",
        lambda w: http(
            200, gzip.compress(b"".join(whole(w))), headers={"Content-Encoding": "gzip"}
        ),
        "protocol",
    ),
    Fault("no HTTP", lambda w: [b"SSH-2.0-OpenSSH_9.2\r\n"], "protocol"),
    Fault("NUL", lambda w: stream(*w.begin, w.text("a@b").replace(b"@", b"\0")), "protocol"),
    Fault("array", lambda w: http(200, "[1, 2]"), "protocol"),
    Fault(
        "error in an array",
        lambda w: http(503, '[{"error":{"message":"it broke"}}]'),
        "server",
        **RETRIED,
        says="it broke",
    ),
    Fault("empty answer", lambda w: stream(*w.answer(" \n")), "empty"),
]


# A token may have expired: a fresh one is tried, once.
FRESH_TOKEN = {"401": replace(next(c for c in FAULTS if c.name == "401"), requests=2, says="bad key")}

each_wire = pytest.mark.parametrize("wire", PROVIDERS, ids=lambda wire: wire.name)


@each_wire
@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case.name)
def test_each_fault_has_its_name_and_its_retries(bridge: Opener, wire: Wire, case: Fault) -> None:
    if wire is VERTEX:
        case = FRESH_TOKEN.get(case.name, case)
    with StandIn([case.script(wire)] * 4) as server:
        driver = bridge(config_for(wire, server.url), "--virtual", STANDIN_KEY=KEY)
        driver.ask()
        end = driver.hear("finished", "run")
        assert len(server.requests) == case.requests
    assert "run" not in end, "nothing that a broken answer holds may run"
    assert (end["finished"], end["failure"]) == ("failed", case.failure)
    assert end["now_ms"] == case.waited_ms
    message = end["message"]
    assert message.startswith("standin (m-1) ") and message.endswith(".") and "\n" not in message
    assert case.says in message


TOLERATED: list[tuple[str, Callable[[Wire], list[Step]]]] = [
    ("byte by byte", lambda w: until_close(*(bytes([b]) for part in whole(w) for b in part))),
    ("CRLF", lambda w: stream(*(part.replace(b"\n", b"\r\n") for part in whole(w)))),
    ("CR", lambda w: stream(*(part.replace(b"\n", b"\r") for part in whole(w)))),
    ("BOM", lambda w: stream(b"\xef\xbb\xbf", *whole(w))),
    ("keep-alives", lambda w: stream(*(b": ping\n\n" + part for part in whole(w)))),
    ("NUL, escaped", lambda w: stream(*w.answer(GOOD.replace("sum", "s\0um")))),
    ("unknown event", lambda w: stream(b'event: news\ndata: {"type":"news"}\n\n', *whole(w))),
    ("wrong content type", lambda w: stream(*whole(w), kind="text/plain")),
    ("until close", lambda w: until_close(*whole(w))),
    ("garbage after the end", lambda w: stream(*whole(w), b"data: [DONE]\n\n")),
    ("no blank line at the end", lambda w: stream(*whole(w)[:-1], whole(w)[-1].rstrip(b"\n"))),
]


@each_wire
@pytest.mark.parametrize("case", TOLERATED, ids=lambda case: case[0])
def test_what_is_merely_odd_is_taken(bridge: Opener, wire: Wire, case: Any) -> None:
    with StandIn([case[1](wire)]) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        end = driver.answer(OK)
    assert (end["finished"], end["code"]) == ("answered", "df['Profit'].sum()")
    assert end["now_ms"] == 0


@each_wire
def test_bytes_that_are_no_utf8_do_no_harm(bridge: Opener, wire: Wire) -> None:
    broken = wire.text("```python\ndf.head()  # XX\n```").replace(b"XX", b"\xff\xfe")
    with StandIn([stream(*wire.begin, broken, *wire.end)]) as server:
        driver = bridge(config_for(wire, server.url))
        driver.ask()
        end = driver.answer(OK)
    assert "df.head()" in end["code"]


@each_wire
def test_the_second_try_may_succeed(bridge: Opener, wire: Wire) -> None:
    scripts = [until_close(*cut(wire)), stream(*whole(wire))]
    with StandIn(scripts) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        end = driver.answer(OK)
    assert end["code"] == "df['Profit'].sum()"  # and not twice: the first half was thrown away
    assert end["metadata"]["attempts"][0]["network_retries"] == 1
    waits = [line for line in driver.heard if line.get("stage") == "waiting"]
    assert len(waits) == 1 and "asking again in 0.5 s" in waits[0]["progress"]


@each_wire
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nContent-"], ids=["nothing", "half a head"])
def test_a_server_that_says_nothing_is_left_after_its_time(
    bridge: Opener, wire: Wire, said: bytes
) -> None:
    with StandIn([[said, Hang()]]) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        assert server.arrived.acquire(timeout=200)
        driver.say(advance=119_000)
        driver.say(advance=1_001)
        end = driver.hear("finished")
        assert server.closed.acquire(timeout=200)
    assert (end["failure"], end["now_ms"]) == ("timeout", 120_001)
    assert "120 s" in end["message"] and len(server.requests) == 1


@each_wire
def test_a_stream_that_is_reset_is_begun_anew_once(bridge: Opener, wire: Wire) -> None:
    wait = Wait()  # what has not been read yet, a reset takes back
    with StandIn([[*open_stream(*cut(wire)), wait, Reset()]] * 3) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        for _ in range(2):
            while "writes" not in driver.hear("progress")["progress"]:
                pass
            wait.semaphore.release()
        end = driver.hear("finished")
        assert len(server.requests) == 2
    assert (end["failure"], end["now_ms"]) == ("truncated", 500)


@each_wire
def test_a_stream_that_stalls_is_begun_anew_once(bridge: Opener, wire: Wire) -> None:
    with StandIn([open_stream(*cut(wire), Hang())] * 3) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        for _ in range(2):
            while "writes" not in driver.hear("progress")["progress"]:
                pass
            driver.say(advance=120_000)  # the deadline was set for the first byte
        end = driver.hear("finished")
        assert len(server.requests) == 2
    assert end["failure"] == "timeout" and "60 s" in end["message"]


def test_a_turn_has_a_limit_that_no_ping_puts_off(bridge: Opener) -> None:
    with StandIn([open_stream(*cut(CHAT), Hang())]) as server:
        driver = bridge(config_for(CHAT, server.url, turn_seconds=50), "--virtual")
        driver.ask()
        while "writes" not in driver.hear("progress")["progress"]:
            pass
        driver.say(advance=50_000)
        end = driver.hear("finished")
    assert (end["failure"], end["now_ms"]) == ("timeout", 50_000)


@each_wire
def test_a_date_says_when_to_come_back(bridge: Opener, wire: Wire) -> None:
    """It has whole seconds, and some pass until it is read."""
    later = formatdate(time.time() + 30, usegmt=True)
    script = fault(429, headers={"Retry-After": later})
    with StandIn([script, stream(*whole(wire))]) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        assert 15_000 < driver.answer(OK)["now_ms"] <= 30_000


ODD_CHOICES = {
    "no choices": event({"choices": []}),
    "another choice": event(
        {"choices": [{"index": 1, "delta": {"content": "no"}, "text": "no", "finish_reason": "stop"}]}
    ),
    "usage so far": event({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 3}}),
    "null": event({"choices": [{"index": 0, "delta": {"content": None}, "text": None}], "usage": None}),
}


@pytest.mark.parametrize("wire", [CHAT, COMPLETIONS], ids=lambda wire: wire.name)
@pytest.mark.parametrize("odd", ODD_CHOICES.values(), ids=ODD_CHOICES)
def test_odd_chunks_between_the_others(bridge: Opener, wire: Wire, odd: bytes) -> None:
    script = stream(odd, *(part for each in whole(wire)[:-1] for part in (each, odd)),
                    *whole(wire)[-2:])  # fmt: skip
    with StandIn([script]) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        end = driver.answer(OK)
    assert end["code"] == "df['Profit'].sum()"
    assert end["metadata"]["tokens"] == {"prompt": 1000, "completion": 7}  # the last, no sum


@each_wire
def test_nobody_listens(bridge: Opener, wire: Wire) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    driver = bridge(config_for(wire, f"http://127.0.0.1:{port}"), "--virtual")
    driver.ask()
    end = driver.hear("finished")
    assert (end["failure"], end["now_ms"]) == ("network", 1500)


def test_a_name_that_does_not_exist(bridge: Opener) -> None:
    driver = bridge(config_for(CHAT, "https://cellpod.invalid"), "--virtual")
    driver.ask()
    assert driver.hear("finished")["failure"] == "network"


@each_wire
def test_a_certificate_that_nobody_vouches_for(
    bridge: Opener, tmp_path: Path, wire: Wire
) -> None:
    _, context = certificate(tmp_path)
    with StandIn([], tls=context) as server:
        driver = bridge(config_for(wire, server.url), "--virtual", STANDIN_KEY=KEY)
        driver.ask()
        end = driver.hear("finished")
        assert not server.requests
    assert (end["failure"], end["now_ms"]) == ("tls", 0)


def test_a_certificate_of_ones_own_may_be_named(bridge: Opener, tmp_path: Path) -> None:
    file, context = certificate(tmp_path)
    with StandIn([stream(*CHAT.answer(GOOD))], tls=context) as server:
        driver = bridge(config_for(CHAT, server.url, ca_file=str(file)), STANDIN_KEY=KEY)
        driver.ask()
        assert driver.answer(OK)["finished"] == "answered"
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_server_that_speaks_no_tls(bridge: Opener) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer_in_clear() -> None:
            for _ in range(3):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(10)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer_in_clear, daemon=True).start()
        driver = bridge(config_for(CHAT, f"https://127.0.0.1:{port}"), "--virtual")
        driver.ask()
        assert driver.hear("finished")["failure"] == "tls"


def test_no_key_travels_to_where_a_redirect_points(bridge: Opener) -> None:
    with StandIn([]) as elsewhere:
        for wire in PROVIDERS:
            for status in (301, 302, 303, 307, 308):
                script = http(status, headers={"Location": f"{elsewhere.url}/v1"})
                with StandIn([script]) as server:
                    driver = bridge(config_for(wire, server.url), STANDIN_KEY=KEY)
                    driver.ask()
                    assert driver.hear("finished")["failure"] == "protocol"
        assert not elsewhere.requests


@pytest.mark.parametrize(
    ("wire", "words", "status"),
    [
        (CHAT, [CHAT.text("A"), CHAT.end[0].replace(b'"stop"', b'"content_filter"')], "filtered"),
        (
            CHAT,
            [
                event(
                    {
                        "choices": [
                            {"index": 0, "delta": {"refusal": "No."}, "finish_reason": "stop"}
                        ]
                    }
                )
            ],
            "refused",
        ),
        (COMPLETIONS, [COMPLETIONS.end[0].replace(b'"stop"', b'"content_filter"')], "filtered"),
        (GEMINI, [event({"promptFeedback": {"blockReason": "SAFETY"}})], "filtered"),
        (GEMINI, [GEMINI.end[0].replace(b"STOP", b"RECITATION")], "filtered"),
        (
            ANTHROPIC,
            [*ANTHROPIC.begin, ANTHROPIC.end[0].replace(b"end_turn", b"refusal"), ANTHROPIC.end[1]],
            "refused",
        ),
    ],
)
def test_refusals_are_neither_retried_nor_corrected(
    bridge: Opener, wire: Wire, words: Any, status: str
) -> None:
    with StandIn([stream(*words)]) as server:
        driver = bridge(config_for(wire, server.url), "--virtual")
        driver.ask()
        end = driver.hear("finished")
        assert len(server.requests) == 1
    assert (end["finished"], end["failure"], end["now_ms"]) == ("refused", status, 0)


def test_gemini_says_how_long_to_wait_in_its_error(bridge: Opener) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]
    scripts = [
        fault(429, code=429, status="RESOURCE_EXHAUSTED", details=details),
        stream(*GEMINI.answer(GOOD)),
    ]
    with StandIn(scripts) as server:
        driver = bridge(config_for(GEMINI, server.url), "--virtual")
        driver.ask()
        assert driver.answer(OK)["now_ms"] == 7000


def test_a_daily_quota_is_final(bridge: Opener) -> None:
    details = [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}]
    with StandIn([fault(429, code=429, status="RESOURCE_EXHAUSTED", details=details)]) as server:
        driver = bridge(config_for(GEMINI, server.url), "--virtual")
        driver.ask()
        end = driver.hear("finished")
    assert (end["failure"], end["now_ms"]) == ("quota", 0)


def test_a_server_that_cut_the_prompt_is_found_out(bridge: Opener) -> None:
    usage = event({"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 7}})
    with StandIn([stream(*CHAT.begin, CHAT.text(GOOD), CHAT.end[0], usage, CHAT.end[2])]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask()
        assert "context size" in driver.answer(OK)["metadata"]["warning"]
