"""What a cell shows cannot keep the kernel busy, nor make it large: docs/security.md.

Nothing here asserts a time. That the kernel goes on answering is seen in the order of what
arrives: many answers on control before the output that it was given first.
"""

import time

import psutil
import pytest

from support.client import START
from support.processes import peak_memory_mb

from .counterparts import works_where_it_may

pytestmark = pytest.mark.cellpod_only("the limits are cellpod's")

GROWTH_MB = 64
ANSWERS = 10  # on control, while one output is looked at: hundreds where nothing else runs, some 30 on a busy machine

# A picture of one colour: a thousandth of what it decodes to. Of one compressed piece again and
# again, since it is only the kernel that is to do the work.
PNG = """
import base64, struct, zlib

PIECE = 1 << 20
packer = zlib.compressobj(9, wbits=-15)
packed = packer.compress(bytes(PIECE)) + packer.flush(zlib.Z_FULL_FLUSH)

def noughts(size):
    packer = zlib.compressobj(9, wbits=-15)
    rest = packer.compress(bytes(size % PIECE)) + packer.flush()
    adler = size % 65521 << 16 | 1
    return b"\\x78\\xda" + packed * (size // PIECE) + rest + struct.pack(">I", adler)

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(width, height, depth=16, colour=6, more=b""):
    data = noughts(height * (1 + width * {0: 1, 2: 3, 6: 4}[colour] * depth // 8))
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return (b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", data)
            + chunk(b"IEND", b""))

def show(*pictures):
    for picture in pictures:
        display({"image/png": base64.b64encode(picture).decode(), "text/plain": "picture"}, raw=True)
"""


@pytest.fixture(params=["full", "reduced"])
def client(request, start_kernel):
    """Its outputs are the user's own, or treated as a model's."""
    kernel = start_kernel(env={"CELLPOD_HTML": request.param})
    client = kernel.ready_client()
    client.process, client.log = psutil.Process(kernel.pid), kernel.log
    client.run(PNG, timeout=START)
    return client


@pytest.fixture
def kernel(client):
    return client.process


@pytest.fixture(autouse=True)
def growth(kernel, capsys):
    before = peak_memory_mb(kernel.pid)
    yield
    grown = peak_memory_mb(kernel.pid) - before
    with capsys.disabled():
        print(f"\n    the kernel grew by {grown:.0f} MB", end="")
    assert grown < GROWTH_MB


def answers_before(client, cell: str, last: str, capsys) -> int:
    """Answers to kernel_info on control until this type of message of the cell arrives."""
    answers, slowest, seen = 0, 0.0, []
    while last not in seen:
        begun = time.monotonic()
        asked = client.send("kernel_info_request", channel="control")
        client.reply_to(asked, "control", timeout=START)
        slowest = max(slowest, time.monotonic() - begun)
        client.wait_idle(asked, timeout=START)
        answers += 1
        seen = [m.type for m in client.unclaimed() if m.parent_id == cell]
    with capsys.disabled():
        print(f"\n    {answers} answers meanwhile, the slowest in {slowest * 1000:.0f} ms", end="")
    return answers


def processor(kernel) -> tuple[float, float]:
    """What the kernel's first thread, which answers, and all of them have computed, in seconds."""
    threads = {thread.id: thread.user_time for thread in kernel.threads()}
    return threads[kernel.pid], kernel.cpu_times().user


def begin(client, code: str) -> str:
    """Sends it, and waits until the kernel has heard of its first output."""
    cell = client.send_execute(code)
    client.wait_for_text(cell, "now", timeout=START)
    return cell


@pytest.mark.parametrize("picture, said", [
    ("png(10000, 10000)", "decoded it takes 762 MiB, at most 256 are shown"),
    ("png(16384, 16384, 8, 0)", "16384 x 16384 pixels, at most 104857600 are shown"),
])
def test_cannot_show_a_picture_that_decodes_to_gigabytes(client, kernel, picture, said):
    small = client.run("show(png(64, 64))", timeout=START).one("display_data")
    works_where_it_may("image/png" in small.content["data"])
    client.run(f"huge = {picture}", timeout=START)
    spent = kernel.cpu_times().user
    cell = client.run("show(huge)", timeout=START)
    assert said in cell.stderr
    assert cell.one("display_data").content["data"] == {"text/plain": "picture"}
    assert kernel.cpu_times().user - spent < 0.5


def test_cannot_keep_the_kernel_from_answering_with_pictures(client, capsys):
    """Three at the limit: each is decoded beside the event loop, and they keep their order."""
    client.run("large = png(8192, 4096)", timeout=START)
    cell = begin(client, "print('now', flush=True)\nshow(*[large] * 3)\nprint('then')")
    assert answers_before(client, cell, "display_data", capsys) >= ANSWERS
    done = client.finish(cell, timeout=START)
    assert [m.type for m in done.outputs] == ["display_data"] * 3 + ["stream"]
    works_where_it_may(all("image/png" in m.content["data"] for m in done.of_type("display_data")))


def test_cannot_have_more_pictures_decoded_than_a_cell_may(client):
    client.run("large = png(8192, 4096)", timeout=START)
    cell = client.run("show(*[large] * 9)", timeout=4 * START)
    shown = ["image/png" in m.content["data"] for m in cell.of_type("display_data")]
    assert shown == [True] * 8 + [False]
    assert "the pictures of this cell take over 2048 MiB" in cell.stderr
    again = client.run("show(large)", timeout=START).one("display_data")
    works_where_it_may("image/png" in again.content["data"])


def test_cannot_fill_the_kernel_with_texts_of_a_picture(client, kernel):
    """Each inflates from 8 KB to 7 MB."""
    client.run("text = chunk(b'zTXt', b'k\\0\\0' + zlib.compress(bytes([65]) * (7 << 20), 9))\n"
               "wordy = png(16, 16, 8, 0, text * 300)", timeout=START)
    spent = kernel.cpu_times().user
    cell = client.run("show(wordy)", timeout=START)
    works_where_it_may("image/png" in cell.one("display_data").content["data"])
    assert kernel.cpu_times().user - spent < 0.5


@pytest.mark.parametrize("value, said", [
    ("[[]] * (11 << 20)", "it has 33 MiB, at most 24 are shown"),
    ("'x' * (100 << 20)", "it has 100 MiB, at most 24 are shown"),
    ("[1] * 1100000", "JSON values"),
])
def test_cannot_show_json_without_end(client, kernel, value, said):
    few = client.run("display({'application/json': [1], 'text/plain': 'x'}, raw=True)")
    works_where_it_may(few.one("display_data").content["data"].get("application/json") == [1])
    client.run(f"value = {value}", timeout=START)
    spent = kernel.cpu_times().user
    cell = client.run("print('before')\ndisplay({'application/json': value, 'text/plain': 'x'}, "
                      "raw=True)\nprint('after')", timeout=2 * START)
    assert cell.of_type("display_data") == []
    assert cell.stdout == "before\nafter\n"
    assert said in cell.stderr
    assert kernel.cpu_times().user - spent < 2


def test_cannot_keep_the_kernel_from_answering_with_json(client, kernel, capsys):
    """As much as is shown, of what takes longest to look at: another thread does."""
    client.run("value = {'text/plain': 'x', 'application/json': [{'a': 'é' * 4}] * 300000}",
               timeout=START)
    before = processor(kernel)
    cells = [client.run("display(value, raw=True)", timeout=START) for _ in range(5)]
    works_where_it_may(all(cell.of_type("display_data") or "JSON values" in cell.stderr
                           for cell in cells))
    first, all_of_it = (now - then for now, then in zip(processor(kernel), before))
    assert first < all_of_it / 2
    cell = begin(client, "print('now', flush=True)\ndisplay(value, raw=True)\n1/0")
    assert answers_before(client, cell, "error", capsys) >= ANSWERS
    works_where_it_may(client.finish(cell, reply=True, timeout=START).status == "error")


def test_cannot_fill_the_log_of_jupyter(client):
    """The notebook gets each line; the log one, and then a count."""
    cell = client.run("for _ in range(3000): display({'image/png': 'x'}, raw=True), "
                      "display({'not a type': 'x'}, raw=True)", timeout=2 * START)
    works_where_it_may(cell.stderr.count("is not a MIME type") == 3000)
    log = client.log.read_text()
    assert "refused type=display_data" in log
    assert "(the 2048th of its kind)" in log
    assert len(log) < 4000


def test_cannot_have_a_reply_without_end(client, kernel):
    few = client.run("1", user_expressions={"a": "'many ' * 200"})
    works_where_it_may("many many" in str(few.content["user_expressions"]))
    cell = client.execute("1", timeout=2 * START,
                          user_expressions={"a": "type('E', (), {'__repr__': lambda s: 'x' * (40 << 20)})()"})
    assert cell.content["status"] == "error"
    assert "at most 24 are shown" in cell.content["evalue"]
    assert client.run("print('next')", timeout=START).stdout == "next\n"
