"""What a cell printed just before its worker died is seen, once, before the exit report."""

import pytest

from support.client import START
from support.kernel import connection_info

pytestmark = pytest.mark.cellpod_only("other kernels die with their worker")

KILL = "os.kill(os.getpid(), signal.SIGKILL)"
ENDS = {
    "kill": KILL,
    "segmentation fault": "ctypes.string_at(0)",
    "abort": "libc.abort()",
    "exit": "libc._exit(3)",
    "memory": "np.ones(1 << 30, 'u1')",
}
PREPARE = """
import ctypes, os, signal, subprocess, sys, threading
import numpy as np
libc = ctypes.CDLL(None)
"""


@pytest.fixture
def client(start_kernel):
    kernel = start_kernel.on(connection_info(), arguments=["--memory-mb", "384"])
    client = kernel.ready_client()
    client.run(PREPARE, timeout=START)
    return client


def transcript(client, code: str) -> list[tuple[str, str]]:
    """What the cell showed before its exit report."""
    cell = client.execute(f"{PREPARE}\n{code}", timeout=START)
    assert cell.content["ename"] == "WorkerDied", cell.content
    assert cell.types[-1] == "error" and cell.types.count("error") == 1
    return cell.transcript[:-1]


def test_what_was_printed_is_seen_once(client):
    lines = "".join(f"line {i}\n" for i in range(50))
    for name, end in ENDS.items():
        code = f"for i in range(50): print('line', i)\nprint('é€\\0!', end='')\n{end}"
        assert transcript(client, code) == [("stdout", lines + "é€\0!")], name


def test_streams_keep_their_order(client):
    code = "for i in range(3):\n  print('o', i)\n  print('e', i, file=sys.stderr)\n"
    shown = transcript(client, code + KILL)
    assert shown == [(s, f"{s[3]} {i}\n") for i in range(3) for s in ("stdout", "stderr")]


def test_text_of_c_code_and_of_programs_is_seen_too(client):
    code = ("print('a'); libc.puts(b'b'); print('c'); subprocess.run(['echo', 'd'], check=True)\n"
            "libc.puts(b'e'); os.write(2, b'f\\n')\n")
    shown = transcript(client, code + KILL)
    assert shown == [("stdout", "a\nb\nc\nd\ne\n"), ("stderr", "f\n")]


def test_what_was_taken_out_of_a_pipe_is_seen_however_far_it_came(client):
    """The thread that empties the pipes gets no further, as on a busy machine."""
    code = ("out = sys.stdout._output.pipes[0]\nempty = out.empty\n"
            "def stop_behind(journal): empty(journal); threading.Event().wait()\n"
            "out.empty = stop_behind\n"
            "print('a')\nos.write(1, 'b é\\nc '.encode() + b'\\xc3')\n"
            "while out.holds(): pass\nos.write(2, b'd\\n')\n")
    shown = transcript(client, code + KILL)
    text = "".join(part for stream, part in shown if stream == "stdout")
    assert text == "a\nb é\nc \N{REPLACEMENT CHARACTER}", shown
    assert ("stderr", "d\n") in shown


def test_much_text_is_neither_lost_nor_doubled(client):
    """Some of it was sent by the worker, the rest is what it had kept."""
    code = "for i in range(30000): print(i)\n"
    assert transcript(client, code + KILL) == [("stdout", "".join(f"{i}\n" for i in range(30000)))]


def test_text_of_threads_is_complete(client):
    code = ("def count(name):\n  for i in range(2000): print(f'{name}{i}\\n', end='')\n"
            "threads = [threading.Thread(target=count, args=(n,)) for n in 'abc']\n"
            "[t.start() for t in threads]; [t.join() for t in threads]\n")
    (kind, text), = transcript(client, code + KILL)
    assert sorted(text.split()) == sorted(f"{n}{i}" for n in "abc" for i in range(2000))


def test_an_earlier_cells_thread_speaks_under_its_own_cell(client):
    first = client.execute(
        f"{PREPARE}\nimport time\ngo = threading.Event()\n"
        f"def late():\n  go.wait(); print('late'); {KILL}\n"
        "threading.Thread(target=late).start()", timeout=START)
    second = client.execute("print('now'); go.set(); time.sleep(60)", timeout=START)
    assert (second.stdout, second.content["ename"]) == ("now\n", "WorkerDied")
    said = ""
    while not said.endswith("\n"):
        said += client.published_for(first.msg_id, "stream").content["text"]
    assert said == "late\n"
