"""What analysts do must go on working behind all walls."""

import subprocess

import pytest

WORK = {
    "a_subprocess": "print(subprocess.run(['ls', '/usr'], capture_output=True).returncode == 0)",
    "a_shell_pipeline": "print(os.popen('seq 10 | sort -r | head -1').read() == '10\\n' "
                        "or os.popen('seq 3 | tail -1').read() == '3\\n')",
    "threads": "import threading; t = threading.Thread(target=print, args=(True,)); "
               "t.start(); t.join()",
    "multiprocessing": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(sum(pool.map(abs, [-1, -2])) == 3)
""",
    "a_spawned_process_pool": """
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
    print(list(pool.map(abs, [-1, -2])) == [1, 2])
""",
    "a_semaphore": "import multiprocessing; s = multiprocessing.Semaphore(1); s.acquire(); "
                   "print(True)",
    "shared_memory": "from multiprocessing.shared_memory import SharedMemory; "
                     "m = SharedMemory(create=True, size=99); m.close(); m.unlink(); print(True)",
    "a_virtual_environment": """
venv = os.path.expanduser("~/environment")
subprocess.run([sys.executable, "-m", "venv", venv], check=True)
subprocess.run([venv + "/bin/python", "-m", "pip", "--version"], check=True, capture_output=True)
made = subprocess.run([venv + "/bin/python", "-c", "import sys; print(sys.prefix)"],
                      capture_output=True, text=True, check=True).stdout
print(made.strip() == os.path.realpath(venv))
""",
    "numpy": "import numpy as np; a = np.random.rand(300, 300); print((a @ a).shape == (300, 300))",
    "pandas": "import pandas as pd; print(pd.read_csv('data.csv').a[0] == 1)",
    "writing_to_the_workspace": """
Path('new').mkdir(exist_ok=True)
Path('out.txt').write_text('x')
os.rename('out.txt', 'new/o')
os.replace('new/o', 'o')
os.unlink('o')
os.rename('new', 'newer')
os.rmdir('newer')
print(True)
""",
    # A folder with a notebook is a mount of its own.
    "moving_to_where_a_notebook_is": "import shutil; Path('out.txt').write_text('x'); "
                                     "shutil.move('out.txt', 'sub/o'); os.unlink('sub/o'); print(True)",
    "pyarrow": """
import pyarrow.parquet, pandas as pd
pd.DataFrame({"a": [1]}).to_parquet("/tmp/x.parquet")
print(pd.read_parquet("/tmp/x.parquet").a[0] == 1)
""",
    "sqlite": """
import sqlite3
db = sqlite3.connect("/tmp/x.db")
db.execute("create table t (a)"); db.execute("insert into t values (1)"); db.commit()
print(db.execute("select * from t").fetchall() == [(1,)])
""",
    "matplotlib": "import matplotlib.pyplot as plt; plt.plot([1]); plt.savefig('/tmp/x.png'); "
                  "plt.close(); print(os.path.getsize('/tmp/x.png') > 0)",
    "matplotlibs_own_folders": """
import matplotlib
folders = {matplotlib.get_cachedir(), matplotlib.get_configdir()}
print(all(folder.startswith(os.environ["HOME"]) and os.access(folder, os.W_OK) for folder in folders))
""",
    "asyncio": """
import asyncio, threading
async def talk():
    server = await asyncio.start_server(lambda r, w: w.write(b"hi") or w.close(), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    said = await reader.read()
    writer.close(); server.close()
    return said
answers = []
t = threading.Thread(target=lambda: answers.append(asyncio.run(talk()))); t.start(); t.join()
print(answers == [b"hi"])
""",
    "localhost_by_name": "s = socket.create_server(('localhost', 0)); "
                         "socket.create_connection(('localhost', s.getsockname()[1])); print(True)",
    "unix_sockets": "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1) == b'x')",
    "who_am_i": "import getpass; print(getpass.getuser() == 'sandbox')",
    "home": "print(os.path.expanduser('~') == '/home/sandbox')",
    "temporary_files": "import tempfile; print(bool(tempfile.mkdtemp()))",
    "copying_files": "import shutil; shutil.copy2('data.csv', '/tmp/'); "
                     "shutil.copytree('sub', '/tmp/sub'); print(True)",
    "terminals": "import pty; print(pty.spawn(['true']) == 0)",
    "a_fifo": "os.mkfifo('/tmp/fifo'); print(True)",
    "cpu_count": "print(os.cpu_count() >= 1)",
    "hostname": "print(socket.gethostname() == 'sandbox')",
    "tls_certificates": "import ssl; print(ssl.create_default_context().cert_store_stats() "
                        "is not None)",
    "time_zones": "import zoneinfo; print(bool(zoneinfo.ZoneInfo('Europe/Paris')))",
    "file_locks": "import fcntl; fcntl.flock(open('/tmp/lock', 'w'), fcntl.LOCK_EX); print(True)",
    "memory_maps": "import numpy as np; print(np.memmap('/tmp/m', mode='w+', shape=9).sum() == 0)",
    "callbacks_from_c": "f = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 7); print(f() == 7)",
    "signals_to_oneself": "signal.signal(signal.SIGUSR1, lambda *a: print(True)); "
                          "os.kill(os.getpid(), signal.SIGUSR1); time.sleep(0)",
    "pip": "print(subprocess.run([sys.executable, '-m', 'pip', 'list'], "
           "capture_output=True).returncode == 0)",
    "reading_memory_facts": "print('MemTotal' in open('/proc/meminfo').read())",
    "ps": "print(subprocess.run(['ps', 'ax'], capture_output=True).returncode == 0)",
}


@pytest.mark.parametrize("name", WORK)
def test_can_use(cell, name):
    assert cell.prints(WORK[name]).split("\n")[-1] == "True"


def test_can_read_the_git_repository(user, spawn):
    repository = user.workspace / "repository"
    if not repository.exists():
        user.folder(repository)
        for command in (["init", "-q"], ["-c", "user.name=x", "-c", "user.email=x@x", "commit",
                                         "-q", "--allow-empty", "-m", "first"]):
            subprocess.run(["git", "-c", "safe.directory=*", *command], cwd=repository,
                           check=True)
        subprocess.run(["chown", "-R", str(os_uid(user)), repository], check=True)
    cell = spawn()
    log = "print(subprocess.run(['git', 'log', '--oneline'], cwd='repository', text=True, " \
          "capture_output=True))"
    assert "first" in cell.prints(log)


def os_uid(user):
    import os

    return os.getuid() if user.uid is None else user.uid


def test_can_fork_while_it_prints(cell):
    outcome = cell.run("""
for number in range(100):
    print("parent", number)
    pid = os.fork()
    if pid == 0:
        os.write(1, b"child\\n")
        os._exit(0)
    os.waitpid(pid, 0)
""")
    lines = outcome.stdout.split("\n")
    assert lines.count("child") == 100
    assert [line for line in lines if line.startswith("parent")] == [
        f"parent {number}" for number in range(100)]


def test_can_change_its_own_files_as_their_owner(user, cell):
    """Whoever owns the workspace outside owns it inside, and new files are theirs."""
    cell.prints("Path('made-inside').write_text('x')")
    made = user.workspace / "made-inside"
    assert made.stat().st_uid == user.workspace.stat().st_uid
    assert cell.prints("print(os.stat('data.csv').st_uid == os.getuid())") == "True"
    made.unlink()


def test_can_keep_a_state_folder(user, spawn):
    state = user.home / "state"
    if not state.exists():
        user.folder(state)
    spawn(state=str(state)).prints("Path('~/.state/kept').expanduser().write_text('x')")
    assert (state / "kept").read_text() == "x"


def test_workers_do_not_share_their_chances(spawn):
    code = "import numpy, random; print(numpy.random.rand(), random.random())"
    first, second = spawn().prints(code).split(), spawn().prints(code).split()
    assert first[0] != second[0] and first[1] != second[1]


def test_linear_algebra_may_use_all_processors(cell):
    threads = cell.prints("""
import numpy as np
a = np.random.rand(1500, 1500); a @ a
print(len(os.listdir("/proc/self/task")) >= len(os.sched_getaffinity(0)))
""")
    assert threads == "True"
