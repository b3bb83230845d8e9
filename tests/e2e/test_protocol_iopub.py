"""What is published: welcomes, order, merging, parents, displays, and hostile output."""

import base64
import io
import re
import struct
import zlib

import pytest
from PIL import Image

from support import processes
from support.client import PATIENCE, Message



@pytest.fixture
def client(request, client):
    """Whatever a cell has done, the next one runs."""
    yield client
    if not getattr(request.node, "failed", False):
        assert client.run("'next'", timeout=30).types == ["execute_result"]


# --- welcome ------------------------------------------------------------------------------------


def is_welcome(message: Message) -> bool:
    return message.type == "iopub_welcome"


def test_welcome_is_the_first_message(start_kernel):
    client = start_kernel().client()
    welcome = client.published()
    assert is_welcome(welcome)
    assert welcome.content == {"subscription": ""}
    assert welcome.parent == {} and welcome.metadata == {}


@pytest.mark.beyond_ipykernel("without XPUB_VERBOSE only the first subscriber is welcomed")
def test_each_subscriber_is_welcomed(kernel):
    for _ in range(3):
        assert is_welcome(kernel.client().published())


def test_welcome_names_the_topic(kernel):
    client = kernel.client(subscribe=b"stream.std")
    assert client.published(is_welcome).content == {"subscription": "stream.std"}


def test_topic_that_is_not_utf8_gets_no_welcome(kernel):
    client = kernel.client(subscribe=b"\xff\xfe")
    client.sockets["iopub"].subscribe(b"second")
    assert client.published().content == {"subscription": "second"}


def test_welcome_has_the_session_of_all_messages(kernel):
    client = kernel.client(subscribe=b"one more topic")
    welcome = client.published(is_welcome)
    reply = client.reply_to(client.send("kernel_info_request"))
    assert welcome.header["session"] == reply.header["session"]


def test_topics(client):
    cell = client.run("import sys\nprint('x')\nprint('y', file=sys.stderr)\ndisplay('z')\n1")
    topics = {m.content.get("name") or m.type: m.idents[0] for m in cell.messages}
    assert topics["stdout"] == b"stream.stdout" and topics["stderr"] == b"stream.stderr"
    assert topics["display_data"] == b"display_data"
    for msg_type in ("status", "execute_input", "execute_result"):
        assert topics[msg_type].startswith(b"kernel") and topics[msg_type].endswith(
            b"." + msg_type.encode())


def test_every_client_sees_every_cell(client, connect):
    other = connect()
    msg_id = client.send_execute("print('for all')")
    assert other.finish(msg_id, reply=False).stdout == "for all\n"


# --- order, merging, promptness ---------------------------------------------------------------

EVERY_WAY_TO_PRINT = """
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None)
print('print')
print('to stderr', file=sys.stderr)
subprocess.run(['echo', 'subprocess'])
libc.printf(b'from C\\n'); libc.fflush(None)
display('displayed')
os.write(1, b'descriptor\\n')
display('again')
os.system('echo shell')
print('print')
os.write(2, b'descriptor 2\\n')
print('after')
!echo magic
sys.stdout.write('no newline')
display('last')
"""


@pytest.mark.beyond_ipykernel("order is lost between streams, and with descriptors")
def test_exact_order(client):
    transcript = client.run(EVERY_WAY_TO_PRINT).transcript
    # IPython's !command runs in a pseudo-terminal, which ends lines its own way.
    assert [(kind, text.replace("\r\n", "\n")) for kind, text in transcript] == [
        ("stdout", "print\n"), ("stderr", "to stderr\n"), ("stdout", "subprocess\nfrom C\n"),
        ("display_data", "'displayed'"), ("stdout", "descriptor\n"),
        ("display_data", "'again'"), ("stdout", "shell\nprint\n"),
        ("stderr", "descriptor 2\n"), ("stdout", "after\nmagic\nno newline"),
        ("display_data", "'last'")]


@pytest.mark.beyond_ipykernel("streams are buffered one by one")
def test_alternating_streams_keep_their_order(client):
    cell = client.run("import sys\nfor i in range(500):\n    print(i)\n"
                      "    print(-i, file=sys.stderr)")
    assert cell.transcript == [pair for i in range(500)
                               for pair in (("stdout", f"{i}\n"), ("stderr", f"{-i}\n"))]


def test_text_and_displays_keep_their_order(client):
    cell = client.run("for i in range(200):\n    print(i)\n    display(i)")
    assert cell.transcript == [pair for i in range(200)
                               for pair in (("stdout", f"{i}\n"), ("display_data", f"{i}"))]


def test_everything_comes_before_the_reply_is_idle(client):
    cell = client.run("import os, subprocess\nsubprocess.run(['echo', 'child'])\n"
                      "os.write(1, b'raw\\n')\n42")
    assert "child\n" in cell.stdout and "raw\n" in cell.stdout
    assert cell.messages[-1].state == "idle"


def test_prints_are_merged(client):
    """A server lets 1,000 messages a second through, then drops."""
    cell = client.run("for i in range(100_000): print(i)", timeout=30)
    assert cell.stdout == "".join(f"{i}\n" for i in range(100_000))
    assert len(cell.of_type("stream")) < 1000


UNTIL_THERE = "\nimport os, time\nwhile not os.path.exists('go'): time.sleep(0.01)"


@pytest.mark.parametrize("code", ["print('here')", "print('here', end='')",
                                  "import sys; print('here', file=sys.stderr)",
                                  "import os; os.write(1, b'here')", "!printf here",
                                  "import sys; sys.stdout.write('\\rhere')"])
def test_text_arrives_while_the_cell_goes_on(client, laboratory, code):
    """The cell ends only when the file is there, which is after its text has come."""
    go = laboratory.work / "go"
    msg_id = client.send_execute(code + UNTIL_THERE)
    client.wait_for_text(msg_id, "here")
    go.touch()
    assert client.finish_rest(msg_id).content["status"] == "ok"
    go.unlink()


@pytest.mark.beyond_ipykernel("decodes each piece by itself")
def test_split_characters_are_joined(client):
    cell = client.run("import os, time\nfor byte in '\N{SNOWMAN}\N{GRINNING FACE}'.encode():\n"
                      "    os.write(1, bytes([byte]))\n    time.sleep(0.06)")
    assert cell.stdout == "\N{SNOWMAN}\N{GRINNING FACE}"


# --- parents --------------------------------------------------------------------------------------

THREAD = """
import threading
go = threading.Event()
def late():
    go.wait()
    print('from the thread')
    display('shown by the thread')
thread = threading.Thread(target=late)
thread.start()
"""


@pytest.mark.beyond_ipykernel("the newest cell gets it")
def test_thread_output_goes_to_the_cell_that_started_it(client):
    first = client.run(THREAD)
    second = client.run("print('second'); go.set(); thread.join()")
    assert second.stdout == "second\n" and second.types == ["stdout"]
    client.wait_for_text(first.msg_id, "from the thread")
    client.published_for(first.msg_id, "display_data")


def test_task_output_goes_to_the_cell_that_created_it(client):
    first = client.run("import asyncio\ngo = asyncio.Event()\nasync def late():\n"
                       "    await go.wait()\n    print('from the task')\n"
                       "task = asyncio.get_running_loop().create_task(late())\n"
                       "await asyncio.sleep(0)")
    second = client.run("print('second')\ngo.set()\nawait task")
    assert second.stdout == "second\n"
    client.wait_for_text(first.msg_id, "from the task")


def test_thread_prints_while_the_kernel_is_idle(client):
    first = client.run("import threading\ndef tick(): print('tick')\n"
                       "threading.Timer(0.2, tick).start()")
    client.wait_for_text(first.msg_id, "tick")


# --- displays -------------------------------------------------------------------------------------


def test_display_data_is_complete(client):
    message = client.run("display({'text/plain': 'x', 'text/html': '<b>x</b>'}, raw=True,"
                         " metadata={'text/html': {'isolated': True}})").one("display_data")
    assert message.content["data"] == {"text/plain": "x", "text/html": "<b>x</b>"}
    assert message.content["metadata"] == {"text/html": {"isolated": True}}
    assert message.content["transient"] == {}


def test_update_display(client):
    cell = client.run("handle = display('one', display_id='the id')\nhandle.update('two')")
    shown, updated = cell.outputs
    assert (shown.type, updated.type) == ("display_data", "update_display_data")
    assert shown.content["transient"] == updated.content["transient"] == {"display_id": "the id"}
    assert updated.content["data"]["text/plain"] == "'two'"
    later = client.run("handle.update('three')").one("update_display_data")
    assert later.content["transient"] == {"display_id": "the id"}


def test_clear_output(client):
    cell = client.run("from IPython.display import clear_output\nprint('a')\n"
                      "clear_output(wait=True)\nprint('b')\nclear_output()")
    assert cell.types == ["stdout", "clear_output", "stdout", "clear_output"]
    assert [m.content["wait"] for m in cell.of_type("clear_output")] == [True, False]


def test_json_stays_json(client):
    message = client.run("from IPython.display import JSON\nJSON({'a': [1, None, 'ü']})")
    assert message.one("execute_result").content["data"]["application/json"] == {
        "a": [1, None, "ü"]}


def test_dataframe(client):
    data = client.run("import pandas\npandas.DataFrame({'a': [1]})").one("execute_result").content
    assert "<table" in data["data"]["text/html"] and "a" in data["data"]["text/plain"]


def image_of(message: Message) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(message.content["data"]["image/png"])))


def test_open_figures_are_shown_and_closed(client):
    client.run("%matplotlib inline")
    cell = client.run("import matplotlib.pyplot as plt\nfor n in (1, 2):\n"
                      "    plt.figure(figsize=(n, 1)); plt.plot([1, 2])", timeout=30)
    first, second = cell.of_type("display_data")
    assert image_of(first).width < image_of(second).width
    assert client.run("plt.get_fignums()").one("execute_result").content["data"][
        "text/plain"] == "[]"


@pytest.mark.beyond_ipykernel("tells the size of retina figures only")
def test_charts_tell_their_size(client):
    chart = client.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", timeout=30)
    message = chart.one("display_data")
    picture = image_of(message)
    assert message.content["metadata"]["image/png"] == {
        "width": picture.width, "height": picture.height}


# --- hostile output -------------------------------------------------------------------------------


def test_nul_is_only_a_character(client):
    cell = client.run("print('a\\0b'); display({'text/plain': 'c\\0d'}, raw=True); 'e\\0f'")
    assert cell.stdout == "a\0b\n"
    assert cell.one("display_data").content["data"]["text/plain"] == "c\0d"


LONE = {
    "print": "print('a\\ud800b')",
    "stderr": "import sys; print('a\\ud800b', file=sys.stderr)",
    "display": "display({'text/plain': 'a\\ud800b'}, raw=True)",
    "result": "class R:\n    def __repr__(self): return 'a\\ud800b'\nR()",
}


REPLACED = re.compile(r"a(\N{REPLACEMENT CHARACTER}|\?|\\ud800)b")


@pytest.mark.beyond_ipykernel("the message is lost")
@pytest.mark.parametrize("code", LONE.values(), ids=LONE.keys())
def test_lone_surrogates_are_replaced(client, code):
    assert any(REPLACED.search(text) for _, text in client.run(code).transcript)


# Where the surrogate is not in the text that a person sees.
LONE_BELOW = {
    "display key": "display({'application/json': {'a\\ud800b': 1}, 'text/plain': 'x'}, raw=True)",
    "metadata": "display({'text/plain': 'x'}, raw=True, metadata={'x': 'a\\ud800b'})",
    "display id": "_ = display('x', display_id='a\\ud800b')",
    "comm": "import comm; _ = comm.create_comm(target_name='a\\ud800b', data={'x': '\\ud800'})",
}


@pytest.mark.beyond_ipykernel("such output is lost, or breaks the client's decoder")
@pytest.mark.parametrize("code", LONE_BELOW.values(), ids=LONE_BELOW.keys())
def test_lone_surrogates_below_the_surface(client, code):
    """The client itself refuses a message that holds one."""
    assert len(client.run(code).outputs) == 1


@pytest.mark.beyond_ipykernel("the error is lost")
def test_lone_surrogate_in_an_error(client):
    cell = client.execute("raise ValueError('a\\ud800b')")
    assert cell.content["ename"] == "ValueError"
    assert cell.content["evalue"].startswith("a") and cell.content["evalue"].endswith("b")


def test_surrogate_in_the_code_itself(client):
    """JSON can say it, so a client can send it."""
    frames = client.frames("execute_request", {"code": "'a\ud800b'"})
    client.send_frames(frames)
    assert client.run("1").types == ["execute_result"]


@pytest.mark.parametrize("value", ["float('nan')", "float('inf')", "[1, {'x': -float('inf')}]"])
def test_nan_never_reaches_a_client(client, value):
    """The strict client fails on NaN; here it also sees that something arrived."""
    cell = client.execute(f"display({{'application/json': {value}, 'text/plain': 'x'}}, raw=True)")
    assert "display_data" in cell.types


WRONG_TYPES = {
    "number as text": "display({'text/plain': 5}, raw=True)",
    "list as html": "display({'text/html': ['<b>']}, raw=True)",
    "number as type": "display({5: 'x', 'text/plain': 'x'}, raw=True)",
    "bad type": "display({'not a type': 'x', 'text/plain': 'x'}, raw=True)",
    "empty": "display({}, raw=True)",
    "set in json": "display({'application/json': {1, 2}}, raw=True)",
    "object in json": "display({'application/json': object()}, raw=True)",
    "array in json": "import numpy; display({'application/json': numpy.zeros(3)}, raw=True)",
    "bytes in json": "display({'application/json': {'b': b'x'}}, raw=True)",
    "big integer": "display({'application/json': 10**400}, raw=True)",
    "integer keys": "display({'application/json': {1: 2, None: 3}}, raw=True)",
    "cycle": "a = []; a.append(a); display({'application/json': a}, raw=True)",
    "deep": "a = []\nfor _ in range(5000): a = [a]\ndisplay({'application/json': a}, raw=True)",
    "text as metadata": "display({'text/plain': 'x'}, raw=True, metadata='x')",
    "display id a list": "display('x', display_id=[1])",
    "publisher": "get_ipython().display_pub.publish(data=None)",
    "publisher, number": "get_ipython().display_pub.publish(5, metadata=7, transient=9)",
    "comm data": "import comm; comm.create_comm(target_name='x', data=object())",
    "comm name": "import comm; comm.create_comm(target_name=5)",
    "comm id": "import comm; comm.create_comm(target_name='x', comm_id='y' * 100_000)",
    "payload": "get_ipython().payload_manager.write_payload({'source': object()})",
    "clear_output": "get_ipython().display_pub.clear_output(wait='perhaps')",
}


@pytest.mark.cellpod_only("what ipykernel does with these is its own affair")
@pytest.mark.parametrize("code", WRONG_TYPES.values(), ids=WRONG_TYPES.keys())
def test_displays_of_wrong_types(client, code):
    """The client checks what arrives. It may be an error, but the worker must not die of it."""
    client.run("alive = True")
    cell = client.execute(code)
    assert cell.status in ("ok", "error")
    assert client.value("alive") == "True"


def png(width: int, height: int, pixels: bytes | None = None) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    rows = pixels if pixels is not None else (b"\0" + b"\xff\0\0" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def show(client, mime: str, data: str):
    return client.execute(f"display({{{mime!r}: {data!r}, 'text/plain': 'alt'}}, raw=True)")


def test_good_png_passes(client):
    data = base64.b64encode(png(3, 2)).decode()
    message = show(client, "image/png", data).one("display_data")
    assert base64.b64decode(message.content["data"]["image/png"]) == png(3, 2)


GOOD = png(30, 20)
BAD_IMAGES = {
    "no base64": "!!!",
    "empty": "",
    "text": base64.b64encode(b"<script>alert(1)</script>").decode(),
    "cut off": base64.b64encode(GOOD[:60]).decode(),
    "wrong checksum": base64.b64encode(GOOD[:20] + b"\xff" + GOOD[21:]).decode(),
    "too few pixels": base64.b64encode(png(30, 20, b"\0")).decode(),
    "bomb": base64.b64encode(png(60_000, 60_000, b"\0")).decode(),
    "signature only": base64.b64encode(GOOD[:8]).decode(),
}


@pytest.mark.cellpod_only("other kernels pass on what they are given")
@pytest.mark.parametrize("data", BAD_IMAGES.values(), ids=BAD_IMAGES.keys())
def test_bad_png_is_replaced_by_an_error(client, data):
    cell = show(client, "image/png", data)
    assert all("image/png" not in m.content.get("data", {}) for m in cell.outputs)
    text = str([m.content for m in cell.outputs]).lower()
    assert "image" in text or "png" in text


def test_64_mib_of_text(kernel, client):
    processes.forget_peak_memory(kernel.pid)
    cell = client.run("print('x' * (64 << 20))", timeout=50)
    assert cell.stdout == "x" * (64 << 20) + "\n"


@pytest.mark.cellpod_only("a kernel without a relay")
def test_relaying_much_text_takes_little_memory(kernel, client, laboratory):
    for process in (kernel.pid, laboratory.sandboxd().pid):
        processes.forget_peak_memory(process)
    cell = client.run("for _ in range(64): print('x' * (1 << 20))", timeout=50)
    assert len(cell.stdout) == 64 * ((1 << 20) + 1)
    peaks = [processes.peak_memory_mb(p) for p in (kernel.pid, laboratory.sandboxd().pid)]
    assert max(peaks) < 150, peaks


def test_64_mib_from_a_subprocess(client):
    cell = client.run("!head -c 67108864 /dev/zero | tr '\\0' x", timeout=50)
    assert len(cell.stdout) == 64 << 20


def test_noise_from_a_subprocess(client):
    cell = client.run("import os\nfor _ in range(100): os.write(1, bytes(range(256)))\n"
                      "print('end')")
    assert "end\n" in cell.stdout and "ABC" in cell.stdout


def test_ten_thousand_displays(client):
    cell = client.run("for i in range(10_000): display({'text/plain': str(i)}, raw=True)",
                      timeout=50)
    shown = [m.content["data"]["text/plain"] for m in cell.of_type("display_data")]
    assert shown == [str(i) for i in range(10_000)]


def test_huge_error(client):
    cell = client.execute("raise ValueError('x' * 5_000_000)", timeout=30)
    assert cell.content["ename"] == "ValueError"


def test_huge_result(client):
    assert client.run("'y' * 10_000_000", timeout=30).types == ["execute_result"]


MISTREATED = {
    "stdout closed": "import sys; sys.stdout.close()",
    "stdout replaced": "import sys; sys.stdout = None",
    "descriptor 1 closed": "import os; os.close(1)",
    "descriptor 2 closed": "import os; os.close(2)",
    "descriptor 1 moved": "import os; os.dup2(os.open('/dev/null', os.O_WRONLY), 1)",
    "stdin read": "import sys; sys.stdin.read() if hasattr(sys.stdin, 'read') else None",
    "excepthook": "import sys; sys.excepthook = sys.displayhook = None",
    "builtins": "print = display = None",
}


@pytest.mark.cellpod_only("ipykernel breaks of some")
@pytest.mark.parametrize("code", MISTREATED.values(), ids=MISTREATED.keys())
def test_mistreated_streams(start_kernel, code):
    client = start_kernel().ready_client()
    client.execute(code)
    assert client.run("1").content["execution_count"] == 2


@pytest.mark.beyond_ipykernel("its high-water mark drops what a subscriber is too slow for")
@pytest.mark.timeout(600)
def test_stalled_subscriber_misses_nothing(start_kernel, laboratory):
    count = 15_000  # and long texts: more than sockets on the way hold
    kernel = start_kernel()
    stalled = kernel.client(backlog=1).ready()
    runner = kernel.client(subscribe=None)
    msg_id = runner.send_execute(
        f"for i in range({count}): display({{'text/plain': f'{{i:2000}}'}}, raw=True)")
    assert runner.reply_to(msg_id, timeout=60).content["status"] == "ok"
    peaks = [processes.peak_memory_mb(kernel.pid)]
    if laboratory.sandboxd():
        peaks.append(processes.peak_memory_mb(laboratory.sandboxd().pid))
    cell = stalled.finish(msg_id, reply=False, timeout=60)
    shown = [int(m.content["data"]["text/plain"]) for m in cell.of_type("display_data")]
    assert shown == list(range(count))
    assert max(peaks) < 200, peaks


def test_session_and_ids_hold_over_many_messages(client):
    """The client itself fails on a second session or a repeated msg_id."""
    client.run("for i in range(1000): display(i)", timeout=PATIENCE)
