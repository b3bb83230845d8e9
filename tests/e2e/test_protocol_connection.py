"""Connection files, transports and encryption."""

import hashlib
import hmac
import json
import os
import socket
from pathlib import Path

import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from support.client import PATIENCE, START, endpoint
from support.kernel import connection_info
from support.watch import wait_for_file

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


def assert_works(kernel):
    client = kernel.client().ready(timeout=20)
    assert client.run("print('hello'); 6*7", timeout=START).types == ["stdout", "execute_result"]
    assert client.request("kernel_info_request", channel="control").status == "ok"
    assert client.heartbeat() == b"ping"
    asking = client.send_execute("answer = input()", allow_stdin=True)
    client.answer_input("typed")
    client.finish(asking)
    assert client.value("answer") == "'typed'"


@pytest.fixture(params=["tcp", "ipc"])
def transport(request, laboratory):
    """Options for the manager. An ipc address is a path's beginning."""
    return {"tcp": {}, "ipc": {"transport": "ipc", "ip": str(laboratory.root / "ipc")}}[
        request.param]


def test_transport(start_kernel, transport):
    assert_works(start_kernel(**transport))


def test_relative_ipc_path_is_below_the_working_directory(start_kernel, laboratory):
    info = connection_info(transport="ipc", ip="kernel-ipc", **ipc_ports())
    kernel = start_kernel.on(info)
    kernel.connection["ip"] = str(laboratory.work / "kernel-ipc")
    assert_works(kernel)
    kernel.close()
    for path in laboratory.work.glob("kernel-ipc-*"):  # a manager would remove them
        path.unlink()


def ipc_ports() -> dict:
    return {name: number for number, name in enumerate(PORTS, 1)}


def test_curve(start_kernel, transport):
    kernel = start_kernel(**transport, transport_encryption="required")
    assert len(kernel.connection["curve_publickey"]) == 40
    assert_works(kernel)


def test_curve_refuses_plain_clients(start_kernel):
    kernel = start_kernel(transport_encryption="required")
    kernel.ready_client()
    plain = {k: v for k, v in kernel.connection.items() if not k.startswith("curve")}
    with zmq.Context() as context:
        for channel in ("shell", "iopub", "stdin", "control", "hb"):
            kind = zmq.SUB if channel == "iopub" else zmq.DEALER
            assert handshake(context, kind, endpoint(plain, channel)) == "refused", channel


def handshake(context: zmq.Context, kind: int, address: str) -> str:
    socket = context.socket(kind)
    socket.linger = 0
    monitor = socket.get_monitor_socket(zmq.EVENT_ALL)
    socket.connect(address)
    outcome = {
        zmq.EVENT_HANDSHAKE_SUCCEEDED: "accepted",
        zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "refused",
        zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "refused",
        zmq.EVENT_HANDSHAKE_FAILED_AUTH: "refused",
        zmq.EVENT_DISCONNECTED: "refused",
    }
    try:
        while monitor.poll(PATIENCE * 1000):
            event = recv_monitor_message(monitor)["event"]
            if event in outcome:
                return outcome[event]
        return "no answer"
    finally:
        socket.disable_monitor()
        socket.close()


@pytest.mark.beyond_ipykernel("falls back on ports of its own")
def test_ports_as_strings(start_kernel):
    info = connection_info()
    kernel = start_kernel.on({**info, **{name: str(info[name]) for name in PORTS}})
    assert_works(kernel)


def test_port_zero_is_picked_and_written(start_kernel):
    kernel = start_kernel.on(connection_info(**dict.fromkeys(PORTS, 0)))
    wait_for_file(kernel.file, lambda text: all(json.loads(text)[name] for name in PORTS), START)
    kernel.reload()
    assert_works(kernel)


def test_any_interface(start_kernel):
    kernel = start_kernel.on(connection_info(ip="*"))
    kernel.connection["ip"] = "127.0.0.1"
    assert_works(kernel)


def test_transport_in_capitals(start_kernel):
    kernel = start_kernel.on(connection_info(transport="TCP"))
    kernel.connection["transport"] = "tcp"
    assert_works(kernel)


def test_unknown_keys_are_ignored(start_kernel):
    assert_works(start_kernel.on(connection_info(jupyter_session="a.ipynb", surprise=[1])))


def test_file_is_left_as_it_is(start_kernel):
    """The manager compares it with its own values, and deletes one that differs."""
    kernel = start_kernel.on(connection_info())
    before = kernel.file.read_bytes(), kernel.file.stat().st_mtime_ns
    assert_works(kernel)
    assert (kernel.file.read_bytes(), kernel.file.stat().st_mtime_ns) == before


def test_unknown_arguments_are_ignored(start_kernel):
    """nbclient adds one to kernels of some names."""
    assert_works(start_kernel.on(connection_info(),
                                 arguments=["--HistoryManager.hist_file=:memory:"]))


def test_f_with_an_equals_sign(start_kernel):
    kernel = start_kernel.on(connection_info())
    argv = kernel.command()
    kernel.process.kill()
    kernel.wait_exit()
    position = argv.index("-f")
    kernel.command = lambda: [*argv[:position], f"--f={kernel.file}", *argv[position + 2:]]
    kernel.start_again()
    assert_works(kernel)


# --- files that are wrong -------------------------------------------------------------------

WITHOUT = object()
BAD_FIELDS = {
    "shell_port missing": ("shell_port", WITHOUT),
    "hb_port missing": ("hb_port", WITHOUT),
    "ip missing": ("ip", WITHOUT),
    "key missing": ("key", WITHOUT),
    "transport missing": ("transport", WITHOUT),
    "port too big": ("control_port", 65536),
    "port negative": ("iopub_port", -1),
    "port not a number": ("stdin_port", "12a"),
    "port empty": ("stdin_port", ""),
    "port a fraction": ("shell_port", 1.5),
    "port null": ("shell_port", None),
    "ip a number": ("ip", 127),
    "ip no address": ("ip", "not an address"),
    "key a number": ("key", 5),
    "key null": ("key", None),
    "transport unknown": ("transport", "carrier-pigeon"),
    "scheme unknown": ("signature_scheme", "hmac-rot13"),
    "scheme no hmac": ("signature_scheme", "sha256"),
    "one curve key": ("curve_secretkey", "a" * 40),
    "curve key too short": ("curve_publickey", "a" * 39),
}


def assert_refused(kernel, word: str):
    assert kernel.wait_exit() not in (0, None)
    lines = [line for line in kernel.log_text().splitlines() if line.strip()]
    assert len(lines) == 1, lines
    assert word in lines[0]


@pytest.mark.cellpod_only("ipykernel replaces what is wrong by defaults")
@pytest.mark.parametrize("field, value", BAD_FIELDS.values(), ids=BAD_FIELDS.keys())
def test_wrong_field_is_named(start_kernel, field, value):
    info = connection_info(**{field: value})
    if value is WITHOUT:
        del info[field]
    if field == "curve_publickey":
        info["curve_secretkey"] = "a" * 40
    assert_refused(start_kernel.on(info), field.removesuffix("_secretkey"))


@pytest.mark.cellpod_only("ipykernel replaces what is wrong by defaults")
@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\xff\xfe", "{}" * 2, "[" * 100_000],
                         ids=["empty", "cut off", "array", "null", "not utf-8", "twice", "deep"])
def test_file_that_is_not_an_object(start_kernel, text):
    assert_refused(start_kernel.on(text), "kernel.json")


@pytest.mark.cellpod_only("ipykernel writes a file where there is none")
def test_missing_file(start_kernel):
    assert_refused(start_kernel.on(None), "kernel.json")


@pytest.mark.cellpod_only("ipykernel starts on a folder")
def test_file_is_a_folder(start_kernel, laboratory):
    kernel = start_kernel.on(None)
    kernel.wait_exit()
    kernel.file.mkdir()
    kernel.start_again()
    assert_refused(kernel, "kernel.json")


@pytest.mark.cellpod_only("root reads every file; ipykernel starts on defaults")
@pytest.mark.skipif(os.getuid() == 0, reason="root reads every file")
def test_unreadable_file(start_kernel):
    kernel = start_kernel.on(None)
    kernel.wait_exit()
    kernel.file.write_text(json.dumps(connection_info()))
    kernel.file.chmod(0)
    kernel.start_again()
    assert_refused(kernel, "kernel.json")


@pytest.mark.cellpod_only("ipykernel hangs about")
def test_port_in_use(start_kernel):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        kernel = start_kernel.on(connection_info(stdin_port=port))
        assert_refused(kernel, str(port))


@pytest.mark.cellpod_only("ipykernel prints a traceback")
def test_ipc_path_too_long(start_kernel, laboratory):
    info = connection_info(transport="ipc", ip=str(laboratory.root / ("x" * 120)), **ipc_ports())
    assert_refused(start_kernel.on(info), "ip")


# --- the handshake of protocol 5.6 ----------------------------------------------------------

KEY = b"b2c6d1e0-5f0d"
REFUSED = "register with 127.0.0.1:"


@pytest.fixture
def launcher():
    """The socket of who starts a kernel and wants to hear of its ports."""
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.linger = 0
        router.rcvtimeo = int(PATIENCE * 1000)
        yield router, router.bind_to_random_port("tcp://127.0.0.1")


def registration(port: int) -> dict:
    """As xeus writes it."""
    return {"transport": "tcp", "ip": "127.0.0.1", "kernel_id": "5e1f-registered", "key": KEY.decode(),
            "signature_scheme": "hmac-sha256", "registration_ip": "127.0.0.1",
            "registration_port": str(port)}


def signed(content: bytes) -> bytes:
    return hmac.new(KEY, content, hashlib.sha256).hexdigest().encode()


@pytest.mark.beyond_ipykernel("knows no registration")
def test_ports_are_registered_with_who_started_the_kernel(start_kernel, launcher):
    router, port = launcher
    kernel = start_kernel.on(registration(port))
    peer, delimiter, signature, content = router.recv_multipart()
    assert delimiter == b"<IDS|MSG>"
    assert signature == signed(content)
    told = json.loads(content)
    assert told.pop("kernel_id") == "5e1f-registered"
    assert set(told) == set(PORTS) and all(isinstance(port, str) for port in told.values())

    others = Path(os.environ["JUPYTER_RUNTIME_DIR"]) / "kernel-5e1f-registered.json"
    assert not others.exists()
    router.send_multipart([peer, b"<IDS|MSG>", signed(b"ACK"), b"ACK"])
    wait_for_file(others, bool, PATIENCE)
    kernel.connection = json.loads(others.read_text())
    assert {name: str(kernel.connection[name]) for name in PORTS} == told
    assert others.stat().st_mode & 0o777 == 0o600
    assert_works(kernel)
    kernel.close()
    assert not others.exists()


@pytest.mark.beyond_ipykernel("knows no registration")
@pytest.mark.parametrize("frames", [
    [b"<IDS|MSG>", signed(b"NAK"), b"ACK"],
    [b"<IDS|MSG>", b"", b"ACK"],
    [b"<IDS|MSG>", signed(b"ACK")],
    [b"ACK"],
    [b"<IDS|MSG>", signed(b"ACK"), b"ACK", b"more"],
    [b"<IDS|MSG>", signed(b"A" * 5000), b"A" * 5000],
    None,
], ids=["another signature", "no signature", "no content", "not framed", "too many", "too large", "silence"])
def test_a_kernel_that_is_not_acknowledged_ends(start_kernel, launcher, frames):
    router, port = launcher
    kernel = start_kernel.on(registration(port))
    peer, *_ = router.recv_multipart()
    if frames:
        router.send_multipart([peer, *frames])
    assert kernel.wait_exit() == 1
    assert f"{REFUSED}{port}" in kernel.log_text()
