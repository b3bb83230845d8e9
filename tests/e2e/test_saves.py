"""A cell that takes the worker with it costs nothing but itself."""

import time

import pytest

from support.client import START
from support.kernel import connection_info
from support.saves import wait_for_checkpoint

pytestmark = pytest.mark.cellpod_only("other kernels die with their worker")

BEFORE = "The variables are those from before this cell."


@pytest.fixture
def start(start_kernel):
    def start(*flags: str):
        kernel = start_kernel.on(connection_info(), arguments=flags) if flags else start_kernel()
        client = kernel.ready_client()
        client.run("import numpy, os, signal, time", timeout=START)
        return client

    return start


@pytest.fixture
def client(start):
    return start()


def dies(client, code: str):
    cell = client.execute(code, timeout=START)
    assert (cell.status, cell.content["ename"]) == ("error", "WorkerDied"), cell.content
    return cell


ENDS = {
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "SIGSEGV: native code accessed memory"),
    "exit": ("os._exit(3)", "ended by itself, with exit code 3"),
    "abort": ("os.abort()", "SIGABRT"),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
}


@pytest.mark.parametrize(("code", "says"), ENDS.values(), ids=ENDS)
def test_the_variables_are_those_from_before_the_cell(client, code, says):
    client.run("x = [1]; array = numpy.arange(10); handle = open('read.txt', 'w+')\n"
               "handle.write('one\\ntwo\\n'); handle.seek(0); line = handle.readline()")
    wait_for_checkpoint(client)
    count = int(client.value("get_ipython().execution_count"))
    cell = dies(client, f"x.append(2); array[:] = 0; handle.read(); new = 1; print('shown')\n{code}")
    assert says in cell.content["evalue"] and BEFORE in cell.content["evalue"]
    assert cell.content["execution_count"] == count
    assert cell.one("execute_input").content["execution_count"] == count
    assert cell.one("error").content["traceback"] == [f"WorkerDied: {cell.content['evalue']}"]
    assert cell.stdout == "shown\n"
    assert client.value("(x, int(array.sum()), line, 'new' in globals())") == "([1], 45, 'one\\n', False)"
    assert client.value("handle.readline()") == "'two\\n'"
    assert client.value("get_ipython().execution_count") == str(count + 1)
    assert client.run(f"print(In[{count}].endswith({code!r}), _ih[{count}] == In[{count}])"
                      ).stdout == "True True\n"


def test_one_death_after_the_other(client):
    client.run("x = 0")
    wait_for_checkpoint(client)
    for number in range(4):
        assert BEFORE in dies(client, "x = -1; os._exit(1)").content["evalue"]
        assert client.value("x") == str(number)
        client.run(f"x = {number + 1}")
        wait_for_checkpoint(client)


def test_a_death_right_after_a_death(client):
    client.run("x = 1")
    wait_for_checkpoint(client)
    dies(client, "os._exit(1)")
    wait_for_checkpoint(client)
    dies(client, "os._exit(1)")
    assert client.value("x") == "1"


def test_code_that_is_deaf_to_interrupts(client):
    client.run("x = 1")
    wait_for_checkpoint(client)
    cell = client.send_execute("x = 2; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                               "print('go', flush=True)\nwhile True: pass")
    client.wait_for_text(cell, "go")
    client.request("interrupt_request", channel="control")
    client.wait_for_text(cell, "what it has changed is then undone", timeout=START)
    client.request("interrupt_request", channel="control")
    done = client.finish_rest(cell, timeout=START)
    assert "did not react to an interrupt" in done.content["evalue"], done.content
    assert client.value("x") == "1"


def test_memory_that_runs_out(start):
    client = start("--memory-mb", "400")
    client.run("x = 1")
    wait_for_checkpoint(client)
    cell = dies(client, "held = []; x = 2\nwhile True:\n"
                        "    try: held.append(numpy.ones(20 << 20, 'u1'))\n"
                        "    except MemoryError: pass")
    assert "killed for memory" in cell.content["evalue"] and BEFORE in cell.content["evalue"]
    assert client.value("(x, 'held' in globals())") == "(1, False)"


def test_a_checkpoint_gives_way_to_the_users_memory(start):
    """It would hold the old array beside the new one: more than there is."""
    client = start("--memory-mb", "500")
    client.run("a = numpy.ones(220 << 20, 'u1')")
    wait_for_checkpoint(client)
    for number in range(2, 5):
        client.run(f"a[:] = {number}")
        assert client.value("int(a[0])") == str(number)
        wait_for_checkpoint(client)


def test_what_does_not_come_back_is_named(client):
    client.run("import threading, socket\n"
               "threading.Thread(target=time.sleep, args=(1000,), name='progress', daemon=True).start()\n"
               "listener = socket.create_server(('127.0.0.1', 0))\n"
               "a = socket.create_connection(listener.getsockname()); b, _ = listener.accept()")
    wait_for_checkpoint(client)
    lost = dies(client, "os._exit(1)").content["evalue"]
    assert "Not brought back: thread progress, " in lost and "connection" in lost, lost
    with pytest.raises(AssertionError, match="Error"):
        client.run("a.sendall(b'x')")


SERVER = """
import socket, subprocess, sys, textwrap
code = textwrap.dedent(r'''
    import itertools, socket, threading
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    rows, log = {}, open("/tmp/said.txt", "w", buffering=1)
    def serve(peer, number):
        wanted = {}
        for line in peer.makefile():
            log.write(f"{number} {line}")
            verb, *words = line.split()
            if verb == "SET": wanted[words[0]] = words[1]
            if verb == "COMMIT": rows.update(wanted)
            peer.sendall((rows.get(words[0], "none") if verb == "GET" else "OK").encode() + b"\\n")
        log.write(f"{number} end\\n")
    for number in itertools.count():
        threading.Thread(target=serve, args=(server.accept()[0], number), daemon=True).start()
''')
process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
port = int(process.stdout.readline())
class Database:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.file = self.socket.makefile()
    def ask(self, line):
        self.socket.sendall(line.encode() + b"\\n")
        return self.file.readline().strip()
db = Database(); db.ask("SET a 1"), db.ask("COMMIT")
"""


def test_a_session_with_a_database_is_over_and_nothing_is_said_into_it(client):
    """What the dead worker had begun is not committed by who comes after it."""
    client.run(SERVER)
    wait_for_checkpoint(client)
    lost = dies(client, "db.ask('SET a 2'); os._exit(1)").content["evalue"]
    assert "connection" in lost
    cell = client.execute("db.ask('COMMIT')")
    assert cell.status == "error" and cell.content["ename"] in ("BrokenPipeError", "ConnectionResetError")
    assert client.value("Database().ask('GET a')") == "'1'"
    said = "open('/tmp/said.txt').read().split('\\n')[:4]"
    assert client.value(said) == "['0 SET a 1', '0 COMMIT', '0 SET a 2', '0 end']"
    client.run("process.kill()")


def test_a_checkpoint_keeps_nothing_open(client):
    """Who waits for the worker to close its end does not wait for the checkpoint."""
    client.run("import socket\nlistener = socket.create_server(('127.0.0.1', 0)); address = listener.getsockname()\n"
               "a = socket.create_connection(address); b, _ = listener.accept(); r, w = os.pipe()")
    wait_for_checkpoint(client)
    assert client.run("a.close(); print(b.recv(1)); b.close(); listener.close(); os.close(w)\n"
                      "print(os.read(r, 1)); socket.create_server(address).close()").stdout == "b''\nb''\n"


def test_a_users_threads_and_tasks_go_on(client):
    client.run("import asyncio, threading\nticks = [0, 0]\n"
               "def tick():\n    while True: ticks[0] += 1; time.sleep(.001)\n"
               "async def tock():\n    while True: ticks[1] += 1; await asyncio.sleep(.001)\n"
               "threading.Thread(target=tick, daemon=True).start(); task = asyncio.create_task(tock())\n"
               "await asyncio.sleep(0)")
    wait_for_checkpoint(client)
    before = client.value("list(ticks)")
    client.run("await asyncio.sleep(.1)")
    after = client.value("list(ticks)")
    assert all(a < b for a, b in zip(eval(before), eval(after), strict=True)), (before, after)


def test_nobody_meets_the_checkpoint_who_waits_for_children(client):
    wait_for_checkpoint(client)
    assert client.run("try: os.waitpid(-1, os.WNOHANG)\nexcept ChildProcessError: print('none')"
                      ).stdout == "none\n"


def test_a_death_between_two_cells_is_told_at_once(client):
    client.run("x = 1; import threading\n"
               "def end(): time.sleep(1); os.kill(os.getpid(), signal.SIGKILL)")
    wait_for_checkpoint(client)
    pid = client.value("os.getpid()")
    cell = client.run("threading.Thread(target=end).start()").msg_id
    client.wait_for_text(cell, "The variables are those from after In [", timeout=START)
    assert client.value("os.getpid()") != pid
    assert client.value("x") == "1"


def test_a_question_and_then_a_death(client):
    client.run("import pandas as pd; df = pd.DataFrame({'region': ['N', 'S'], 'profit': [1, 2]})", timeout=START)
    client.run("%ask total profit", timeout=START)
    wait_for_checkpoint(client)
    dies(client, "os._exit(1)")
    assert client.value("len(df)") == "2"
    assert "3" in client.run("%ask total profit", timeout=START).stdout


def test_none_when_they_are_not_wanted(start):
    client = start("--checkpoints", "0")
    client.run("x = 1")
    assert BEFORE not in dies(client, "os._exit(1)").content["evalue"]
    assert client.value("'x' in globals()") == "False"


POLARS = """
import ctypes, sys, types, threading
polars = sys.modules['polars'] = types.ModuleType('polars')
def work(): ctypes.CDLL(None).prctl(15, b'polars-0', 0, 0, 0); time.sleep(1000)
threading.Thread(target=work, daemon=True).start(); time.sleep(.1)
"""


JAX = """
import sys, types
sys.modules['jaxlib'] = types.ModuleType('jaxlib')
bridge = sys.modules['jax._src.xla_bridge'] = types.ModuleType('xla_bridge')
bridge._backends = {'cpu': object()}
"""
IN_THE_WAY = {"polars": (POLARS, "polars"), "jax": (JAX, "JAX")}


def test_no_room_for_one_is_told_before(client):
    client.run("x = 1")
    wait_for_checkpoint(client)
    last = int(client.value("get_ipython().execution_count")) - 1
    client.run("y = 1; real = os.fork\n"
               "def full(): raise OSError(11, 'full')\n"
               "os.fork = full")
    while "there is no room for a copy of the worker (full)" not in (said := client.run("pass").stderr):
        time.sleep(0.03)
    assert "If a cell ends the worker from here on" in said
    assert f"The variables are those from after In [{last}]" in dies(client, "os._exit(1)").content["evalue"]
    assert client.value("(x, 'y' in globals())") == "(1, False)"


@pytest.mark.parametrize(("library", "name"), IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_what_is_in_the_way_is_told_before(client, library, name):
    client.run("x = 1")
    wait_for_checkpoint(client)
    last = int(client.value("get_ipython().execution_count")) - 1
    client.run(f"y = 1{library}")
    while f"{name} computes in threads" not in (said := client.run("pass").stderr):
        time.sleep(0.03)
    assert "If a cell ends the worker from here on" in said
    text = dies(client, "os._exit(1)").content["evalue"]
    assert f"The variables are those from after In [{last}]" in text
    assert client.value("(x, 'y' in globals())") == "(1, False)"
