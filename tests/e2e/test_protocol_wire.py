"""Frames, signatures and headers: what is refused, and that the next good request is answered."""

import json
import socket
from contextlib import suppress

import pytest
import zmq

from support.client import DELIMITER, PATIENCE, free_identity
from support.kernel import connection_info

LIMIT_WIRE_FRAMES = 1024
LIMIT_WIRE_BYTES = 512 << 20


def assert_dropped(client, send, channel: str = "shell"):
    """send() leaves no trace, and a good request after it is answered."""
    send()
    good = client.send("kernel_info_request", channel=channel)
    assert client.finish(good, channel).status == "ok"
    assert client.unclaimed() == []


def execute_frames(client, code: str = "ran = True") -> list[bytes]:
    return client.frames("execute_request", {"code": code})


BAD_SIGNATURES = {
    "empty": lambda good: b"",
    "of zeros": lambda good: b"0" * len(good),
    "one digit wrong": lambda good: good[:-1] + (b"0" if good[-1:] != b"0" else b"1"),
    "short": lambda good: good[:-1],
    "very short": lambda good: good[:1],
    "long": lambda good: good + b"0",
    "followed by NUL": lambda good: good + b"\0",
    "huge": lambda good: good * 4096,
    "upper case": lambda good: good.upper(),
    "raw bytes": lambda good: bytes.fromhex(good.decode()),
    "not text": lambda good: b"\xff" * len(good),
}


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("spoil", BAD_SIGNATURES.values(), ids=BAD_SIGNATURES.keys())
def test_bad_signature_is_dropped(client, spoil, channel):
    client.run("ran = False")

    def send():
        frames = execute_frames(client)
        frames[1] = spoil(frames[1])
        client.send_frames(frames, channel)

    assert_dropped(client, send, channel)
    assert client.value("ran") == "False"


def test_signature_of_another_key_is_dropped(client):
    def send():
        frames = execute_frames(client)
        frames[1] = client.sign(frames[2:6], key=b"another")
        client.send_frames(frames)

    assert_dropped(client, send)


@pytest.mark.parametrize("part", range(4), ids=["header", "parent", "metadata", "content"])
def test_each_part_is_signed(client, part):
    def send():
        frames = client.frames("execute_request", {"code": "ran = True"}, metadata={"a": 1},
                               parent={"b": 2})
        frames[2 + part] = frames[2 + part].replace(b"{", b"{ ", 1)
        client.send_frames(frames)

    assert_dropped(client, send)


def test_replayed_message_runs_once(client):
    client.run("runs = 0")
    frames = execute_frames(client, "runs += 1")
    client.send_frames(frames)
    client.finish(json.loads(frames[2])["msg_id"])
    assert_dropped(client, lambda: client.send_frames(frames))
    assert_dropped(client, lambda: client.send_frames(frames, "control"), "control")
    assert client.value("runs") == "1"


def test_forged_copy_does_not_block_the_real_message(client):
    frames = execute_frames(client, "'real'")
    forged = [*frames[:5], frames[5].replace(b"real", b"fake")]
    assert_dropped(client, lambda: client.send_frames(forged))
    client.send_frames(frames)
    assert client.finish(json.loads(frames[2])["msg_id"]).status == "ok"


MALFORMED = {
    "no delimiter": lambda f: f[1:],
    "delimiter misspelt": lambda f: [b"<IDS|MSG", *f[1:]],
    "delimiter only": lambda f: f[:1],
    "empty frame": lambda f: [b""],
    "delimiter and signature": lambda f: f[:2],
    "header missing": lambda f: f[:5],
    "content missing": lambda f: f[:-1],
    "delimiter at the end": lambda f: [*f[1:], DELIMITER],
    "two delimiters": lambda f: [DELIMITER, *f],
    "garbage": lambda f: [b"\x00\xff" * 100],
}


@pytest.mark.parametrize("channel", ["shell", "control", "stdin"])
@pytest.mark.parametrize("spoil", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_frames_are_dropped(client, spoil, channel):
    answered_on = "control" if channel == "control" else "shell"
    assert_dropped(client, lambda: client.send_frames(spoil(execute_frames(client)), channel),
                   answered_on)


BAD_JSON = [b"", b"{", b"}", b"null", b"[]", b"1", b'"text"', b"{'a': 1}", b'{"a":1}{}',
            b'{"a":NaN}', b'{"a":\xff}', b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"a":' * 100_000]


@pytest.mark.parametrize("bad", BAD_JSON, ids=lambda bad: repr(bad[:12]))
@pytest.mark.parametrize("part", range(4), ids=["header", "parent", "metadata", "content"])
def test_signed_bad_json_does_no_harm(client, part, bad):
    """The header must be good. For the rest an error reply, or silence, is as good."""
    parts = execute_frames(client)[2:6]
    parts[part] = bad
    client.send_frames([DELIMITER, client.sign(parts), *parts])
    assert client.run("'alive'").types == ["execute_result"]


HEADERS = {
    "without msg_id": {"msg_id": None},
    "without msg_type": {"msg_type": None},
    "msg_id a number": {"msg_id": 7},
    "msg_type a list": {"msg_type": []},
    "session an object": {"session": {}},
    "empty msg_type": {"msg_type": ""},
}


@pytest.mark.parametrize("fields", HEADERS.values(), ids=HEADERS.keys())
def test_bad_header_does_no_harm(client, fields):
    header = {k: v for k, v in {**client.header("kernel_info_request"), **fields}.items()
              if v is not None}
    client.send_frames(client.frames("kernel_info_request", header=header))
    assert client.run("'alive'").types == ["execute_result"]


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("msg_type", ["another_subshell_request", "a_request"])
@pytest.mark.beyond_ipykernel("is silent")
def test_unknown_request_gets_a_reply_with_an_error(client, channel, msg_type):
    reply = client.request(msg_type, channel=channel).reply  # which is of its type
    assert reply.content["status"] == "error"
    assert msg_type in reply.content["evalue"]


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("msg_type", ["no_such_type", "execute_reply", "x" * 1000 + "_request", "_request",
                                      "ünknown_request", "a\"b_request"],
                         ids=["unknown", "a reply", "long", "no name", "not ascii", "quote"])
def test_unknown_type_gets_busy_and_idle_only(client, channel, msg_type):
    msg_id = client.send(msg_type, channel=channel)
    client.finish(msg_id, channel, reply=False)
    client.request("kernel_info_request", channel=channel)
    assert not client.pending[channel]


@pytest.mark.beyond_ipykernel("writes the date anew")
def test_parent_header_is_the_request_header(client):
    extra = {"subshell_id": None, "unknown": {"deep": [1, 2.5, "ü\u2028"]}, "username": "Zoë"}
    frames = client.frames("execute_request", {"code": "1"},
                           header=client.header("execute_request", **extra))
    client.send_frames(frames)
    header = json.loads(frames[2])
    cell = client.finish(header["msg_id"])
    assert all(m.parent == header for m in [cell.reply, *cell.messages])


IDENTS = {
    "one": [b"router"],
    "three": [b"a", b"bb", b"ccc"],
    "binary": [free_identity(), bytes(range(256))],
    "empty": [b""],
}


@pytest.mark.parametrize("idents", IDENTS.values(), ids=IDENTS.keys())
def test_idents_are_copied_to_the_reply(client, idents):
    frames = client.frames("kernel_info_request")
    client.send_frames([*idents, *frames])
    reply = client.finish(json.loads(frames[2])["msg_id"]).reply
    assert reply.idents == idents


def test_peer_without_identity_is_answered(kernel):
    client = kernel.client(identity=b"").ready()
    assert client.run("1").types == ["execute_result"]


def test_same_identity_may_reconnect_while_a_cell_runs(kernel):
    """A browser tab that reconnects uses its old identity, and its old connection may linger."""
    identity = b"the-same-tab"
    first = kernel.client(identity=identity, reconnects=False).ready()
    # All its connections are up, or a late one would take the identity back.
    first.request("kernel_info_request", channel="control")
    busy = first.send_execute("print('held'); input()", allow_stdin=True)
    first.wait_for_text(busy, "held")
    second = kernel.client(identity=identity).ready_on_control()
    second.request("kernel_info_request", channel="control")
    second.request("interrupt_request", channel="control")
    assert second.request("kernel_info_request", timeout=PATIENCE).status == "ok"


def test_replies_to_a_vanished_peer_are_harmless(kernel, client):
    gone = kernel.ready_client()
    msg_id = gone.send_execute("'nobody waits'")
    client.published(lambda m: m.parent_id == msg_id and m.state == "idle")
    gone.close()
    assert client.run("1").types == ["execute_result"]


def test_most_frames_that_are_allowed(client):
    frames = execute_frames(client)
    # The kernel also counts the identity that ROUTER puts in front.
    frames += [b""] * (LIMIT_WIRE_FRAMES - len(frames) - 1)
    client.send_frames(frames)
    assert client.finish(json.loads(frames[2])["msg_id"]).status == "ok"


@pytest.mark.cellpod_only("other kernels have no such limit")
def test_too_many_frames_are_dropped(client):
    frames = execute_frames(client)
    frames += [b""] * (LIMIT_WIRE_FRAMES + 1 - len(frames))
    assert_dropped(client, lambda: client.send_frames(frames))


def test_oversized_frame_does_not_disturb_others(kernel, connect):
    """libzmq may cut the sender's connection; nobody else notices."""
    victim, attacker = connect(), connect()
    attacker.sockets["shell"].send(bytes(LIMIT_WIRE_BYTES + 1), copy=False)
    assert victim.run("'alive'").types == ["execute_result"]
    assert kernel.is_alive


@pytest.mark.parametrize("channel", ["shell", "iopub", "stdin", "control", "hb"])
@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 10_000, b""],
                         ids=["http", "noise", "nothing"])
def test_stray_tcp_connections(client, channel, data):
    port = client.connection[f"{channel}_port"]
    with socket.create_connection(("127.0.0.1", port)) as stray, suppress(ConnectionError):
        stray.sendall(data)
    assert client.run("'alive'").types == ["execute_result"]


# --- heartbeat ----------------------------------------------------------------------------


@pytest.mark.parametrize("payload", [b"ping", b"", b"\0\xff" * 50_000],
                         ids=["ping", "empty", "big"])
def test_heartbeat_echoes(client, payload):
    assert client.heartbeat(payload) == payload


def test_heartbeat_echoes_all_frames(kernel):
    client = kernel.client()
    hb = client.sockets["hb"]
    hb.send_multipart([b"one", b"", b"three"])
    assert hb.poll(PATIENCE * 1000)
    assert hb.recv_multipart() == [b"one", b"", b"three"]


def test_heartbeats_of_several_clients(connect):
    clients = [connect() for _ in range(3)]
    for number, client in enumerate(clients):
        client.sockets["hb"].send(b"%d" % number)
    for number, client in enumerate(clients):
        assert client.sockets["hb"].poll(PATIENCE * 1000, zmq.POLLIN)
        assert client.sockets["hb"].recv() == b"%d" % number


# --- keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["hmac-sha256", "hmac-sha512", "hmac-sha1"])
def test_signature_schemes(start_kernel, scheme):
    client = start_kernel.on(connection_info(signature_scheme=scheme)).ready_client()
    assert client.run("1").types == ["execute_result"]


@pytest.mark.parametrize("key", ["k", "ü" * 40, "x" * 1000], ids=["short", "not ascii", "long"])
def test_keys_are_utf8_bytes(start_kernel, key):
    client = start_kernel.on(connection_info(key=key)).ready_client()
    assert client.run("1").types == ["execute_result"]


def test_empty_key_means_unsigned(start_kernel):
    client = start_kernel.on(connection_info(key="")).ready_client()
    assert client.run("1").types == ["execute_result"]
    frames = execute_frames(client, "2")
    frames[1] = b"any signature is ignored"
    client.send_frames(frames)
    assert client.finish(json.loads(frames[2])["msg_id"]).status == "ok"
    client.send_frames(frames)  # nothing is replayed where nothing is signed
    assert client.finish(json.loads(frames[2])["msg_id"]).status == "ok"
