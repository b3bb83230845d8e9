"""Text: its order, its amount, its form."""

import os
import select

import pytest
from driver import Driver

PRINTF = "import ctypes, sys, os, subprocess\nlibc = ctypes.CDLL(None)\n"


def test_stdout_and_stderr_keep_their_order(worker: Driver):
    code = "import sys\nfor i in range(3):\n    print('o', i)\n    print('e', i, file=sys.stderr)"
    answer = worker.run(code)
    assert answer.everything == "o 0\ne 0\no 1\ne 1\no 2\ne 2\n"
    assert answer.text("stderr") == "e 0\ne 1\ne 2\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('a'); libc.puts(b'b'); print('c')", "a\nb\nc\n"),
        ("libc.puts(b'a'); print('b'); libc.puts(b'c')", "a\nb\nc\n"),
        ("print('a'); os.write(1, b'b\\n'); print('c')", "a\nb\nc\n"),
        ("print('a'); os.system('echo b'); print('c')", "a\nb\nc\n"),
        ("print('a'); subprocess.run(['echo', 'b']); print('c')", "a\nb\nc\n"),
        ("print('a', end=' '); os.system('printf b'); print(' c')", "a b c\n"),
        ("print('a'); os.popen('echo b >&2').close(); print('c')", "a\nb\nc\n"),
        ("print('a', end=' '); os.write(1, b'b '); print('c')", "a b c\n"),
        ("print('a', end=' '); os.write(2, b'b '); print('c')", "a b c\n"),
        ("for i in range(200): print(i); libc.puts(b'x')",
         "".join(f"{i}\nx\n" for i in range(200))),
    ],
)  # fmt: skip
def test_python_c_and_subprocesses_in_one_order(worker: Driver, code, expected):
    assert worker.run(PRINTF + code).everything == expected


def test_what_another_thread_has_read_comes_first(worker: Driver):
    code = """
import time
pipe = sys.stdout._output.pipes[0]
empty = pipe.empty
def slow(journal):
    empty(journal)
    time.sleep(0.1)
pipe.empty = slow
print("a")
os.write(1, b"b\\n")
while pipe.holds(): pass
print("c")
"""
    assert worker.run(PRINTF + code).everything == "a\nb\nc\n"


def test_a_handler_may_print_in_the_middle_of_a_drain(worker: Driver):
    code = """
import signal
pipe = sys.stdout._output.pipes[0]
empty = pipe.empty
def interrupted(journal):
    pipe.empty = empty
    signal.raise_signal(signal.SIGALRM)
    empty(journal)
signal.signal(signal.SIGALRM, lambda *_: print("rang"))
pipe.empty = interrupted
sys.stdout._output.drain()
"""
    assert worker.run(PRINTF + code).everything == "rang\n"


def test_text_comes_merged(worker: Driver):
    answer = worker.run("for i in range(20000): print(i)")
    assert answer.text() == "".join(f"{i}\n" for i in range(20000))
    assert len(answer.of("stream")) < 30


@pytest.mark.parametrize("silence", ["import time; time.sleep(600)", "while True: pass"])
def test_a_line_is_seen_before_a_long_silence(worker: Driver, silence: str):
    request = worker.start(f"print('now')\n{silence}")
    while worker.receive().type != "stream":
        pass
    worker.interrupt()
    worker.until_reply(request)


def test_the_lines_of_a_short_cell_make_one_message(worker: Driver):
    worker.run("import sys; sys.modules['cellpod.streams'].GATHER = 1  # as if nothing took time")
    answer = worker.run("print('a')\nprint('b')")
    assert [message.content["text"] for message in answer.of("stream")] == ["a\nb\n"]


@pytest.mark.parametrize("code", ["print('tick', end='')", "import os; os.write(1, b'tick')"])
def test_a_partial_line_is_seen_while_the_cell_runs(worker: Driver, code):
    request = worker.start(f"{code}\nimport time\ntime.sleep(30)")
    text = ""
    while text != "tick":
        text += worker.receive().content.get("text", "")
    worker.interrupt()
    worker.until_reply(request)


def test_big_text_is_cut_into_pieces_of_a_mebibyte(worker: Driver):
    answer = worker.run("print('x' * (5 << 20)); print('\\u20ac' * (1 << 20))")
    assert len(answer.everything) == (5 << 20) + (1 << 20) + 2
    assert all(len(m.content["text"].encode()) <= 1 << 20 for m in answer.of("stream"))


def test_a_flood_from_a_subprocess(worker: Driver):
    answer = worker.run("import os; os.system('head -c 20000000 /dev/zero | tr \"\\\\0\" x')")
    assert len(answer.text()) == 20_000_000


@pytest.mark.parametrize(
    ("literal", "shown"),
    [
        ("'a\\0b'", "a\0b"),
        ("'\\ud83d'", "\\ud83d"),
        ("'\\ud83d\\ude00'", "\\ud83d\\ude00"),
        ("'\\U0001f600'", "\U0001f600"),
        ("'\\x1b[31mred\\x7f\\x80'", "\x1b[31mred\x7f\x80"),
        ("'\\u2028\\ufeff\\uffff'", "\u2028\ufeff\uffff"),
        ("'\"\\\\'", '"\\'),
        ("'a\\r\\nb\\r'", "a\r\nb\r"),
    ],
)
def test_odd_text_arrives_whole(worker: Driver, literal, shown):
    assert worker.run(f"print({literal}, end='')").text() == shown
    assert worker.run(f"print({literal}, end='')\n1/0").status == "error"
    assert worker.run("1").result == "1"


def test_bytes_that_are_no_utf8(worker: Driver):
    answer = worker.run("import os; os.write(1, b'a\\xff\\xc3'); os.write(1, b'\\xa9\\n')")
    assert answer.text() == "a\ufffd\xe9\n"


def test_a_character_split_between_reads_is_put_together(worker: Driver):
    code = "import os\nfor b in '\\u20ac'.encode():\n    os.write(1, bytes([b]))\n    print(end='')"
    assert worker.run(code).text() == "\u20ac"


def test_write_refuses_what_is_no_text(worker: Driver):
    answer = worker.run("import sys; sys.stdout.write(b'x')")
    assert answer.content["ename"] == "TypeError"
    assert worker.run("class S(str): pass\nsys.stdout.write(S('sub')); pass").text() == "sub"


def test_streams_look_like_streams(worker: Driver):
    assert worker.run("import sys; sys.stdout.fileno(), sys.stderr.fileno()").result == "(1, 2)"
    code = "sys.stdout.isatty(), sys.stdout.encoding, sys.stdout.writable(), sys.stdout.name"
    assert worker.run(code).result == "(False, 'UTF-8', True, '<stdout>')"
    assert worker.run("sys.stdout.buffer.write('h\\xe9'.encode()); pass").text() == "h\xe9"
    worker.run("sys.stdout.reconfigure(encoding='utf-8'); sys.stdout.close()")
    assert worker.run("print('still here')").text() == "still here\n"
    code = "import subprocess; subprocess.run(['echo', 'x'], stdout=sys.stderr); pass"
    assert worker.run(code).text("stderr") == "x\n"


def test_redirection_still_works(worker: Driver):
    code = """
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as caught:
    print('caught')
caught.getvalue()"""
    answer = worker.run(code)
    assert (answer.result, answer.text()) == ("'caught\\n'", "")
    assert worker.run("%%capture c\nprint(1); display(2)").types == ["execute_input"]
    assert worker.run("c.stdout").result == "'1\\n'"


def test_a_thread_prints_into_the_cell_that_started_it(worker: Driver):
    code = """
import threading, time
go = threading.Event()
def work():
    print('early')
    go.wait()
    print('late')
    display('shown')
thread = threading.Thread(target=work); thread.start()"""
    first = worker.run(code)
    second = worker.run("print('mine'); go.set(); thread.join()")
    late = [m for m in second.messages if m.parent == first.request]
    assert first.everything + "".join(m.content.get("text", "") for m in late) == "early\nlate\n"
    assert [m.type for m in late if m.type != "stream"] == ["display_data"]
    mine = [m.content["text"] for m in second.of("stream") if m.parent == second.request]
    assert "".join(mine) == "mine\n"


def test_a_pool_prints_into_the_cell_that_submitted(worker: Driver):
    first = worker.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(1)\npool.submit(print, 'one').result()"
    )
    second = worker.run("pool.submit(print, 'two').result()")
    assert (first.text(), second.text()) == ("one\n", "two\n")
    assert second.of("stream")[0].parent == second.request


def test_after_the_reply_text_is_still_sent(worker: Driver):
    code = "import threading, time\n"
    code += "threading.Timer(0.05, lambda: print('later')).start()"
    request = worker.run(code).request
    text = ""
    while text != "later\n":
        message = worker.receive()
        assert (message.type, message.parent) == ("stream", request)
        text += message.content["text"]


def test_background_processes_print_into_the_cell_that_runs(worker: Driver):
    worker.run("import subprocess; p = subprocess.Popen(['sh', '-c', 'sleep .1; echo done'])")
    assert worker.receive().content["text"] == "done\n"


def test_forked_children_print_and_leave_the_channel_alone(worker: Driver):
    code = """
import multiprocessing, os
def work(n):
    print('child', n)
    return n * n
print('before')
with multiprocessing.get_context('fork').Pool(2) as pool:
    print(pool.map(work, range(4)))
print('after')"""
    text = worker.run(code).everything
    assert text.startswith("before\n")
    assert text.endswith("[0, 1, 4, 9]\nafter\n")
    assert sorted(line for line in text.split("\n") if "child" in line) == [
        f"child {n}" for n in range(4)
    ]
    answer = worker.run("pid = os.fork()\nif not pid:\n    display(1); os._exit(0)\nos.wait()[1]")
    assert answer.result == "0"


def test_os_exit_does_not_lose_what_was_printed(worker: Driver):
    worker.start("import os\nfor i in range(5): print(i)\nos._exit(3)")
    messages = []
    with pytest.raises(EOFError):
        while True:
            messages.append(worker.receive())
    text = "".join(m.content["text"] for m in messages if m.type == "stream")
    assert text == "0\n1\n2\n3\n4\n"


def test_a_million_displays(worker: Driver):
    answer = worker.run("for i in range(20000): display({'text/plain': 'x'}, raw=True)")
    assert len(answer.of("display_data")) == 20000


def wait_until_it_waits_for_its_reader(worker: Driver):
    """Something can be read, and the worker sleeps, at every look for a while."""
    with open(f"/proc/{worker.pid}/stat") as stat:
        looks = 0
        while looks < 20:
            select.select([worker.socket], [], [], 10)
            stat.seek(0)
            asleep = stat.read().rpartition(")")[2].split()[0] == "S"
            looks = looks + 1 if asleep else 0
            os.sched_yield()


def resident(worker: Driver) -> int:
    with open(f"/proc/{worker.pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_backpressure_bounds_memory(worker: Driver):
    worker.run("1")
    before = resident(worker)
    request = worker.start("for i in range(100): print('y' * 1000000)")
    wait_until_it_waits_for_its_reader(worker)
    assert resident(worker) - before < 50 << 20
    assert len(worker.until_reply(request).text()) == 100 * 1000001
