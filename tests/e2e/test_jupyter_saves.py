"""A real Jupyter server saves a notebook, whatever a cell has done to the folder.

The server's requests are those of JupyterLab's "save": the contents, then a checkpoint.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from support.client import START
from support.grammars import WITHOUT_GRAMMARS
from support.kernel import environment, free_ports
from support.watch import wait_for_file

pytestmark = pytest.mark.cellpod_only("other kernels' cells do to the folder what they like")

FILES = int(os.environ.get("SAVE_FILES", "20000"))
NAME = "own.ipynb"
TRY = """
import contextlib, fcntl, os, pathlib, shutil, signal, threading
held = []

@contextlib.contextmanager
def refused_or_not():
    try:
        yield
    except OSError as error:
        print(type(error).__name__, error.errno)
"""

# Says at which port it listens, which need not be the one that it was given, or why it does not.
SERVE = f"""
import pathlib, sys
{WITHOUT_GRAMMARS}
from jupyter_server.serverapp import ServerApp
server = ServerApp.instance()
ready = pathlib.Path(sys.argv[1])
try:
    server.initialize(sys.argv[2:])
except BaseException as error:
    ready.write_text(repr(error))
    raise
server.io_loop.add_callback(lambda: ready.write_text(str(server.port)))
server.start()
"""

# What a cell tries; most of it is refused, and what is not stays as it is while the server saves.
ATTEMPTS = {
    "nothing": "pass",
    "leases": """
for name in ('own.ipynb', 'data.csv', '.'):
    for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK):
        with refused_or_not():
            held.append(os.open(name, os.O_RDONLY)); fcntl.fcntl(held[-1], fcntl.F_SETLEASE, kind)
""",
    "notices": """
for name in ('own.ipynb', '.'):
    with refused_or_not():
        held.append(os.open(name, os.O_RDONLY)); fcntl.fcntl(held[-1], fcntl.F_NOTIFY, 0x80000FFF)
""",
    "locks": """
for name in ('own.ipynb', '.', '.ipynb_checkpoints'):
    for lock in (fcntl.flock, fcntl.lockf):
        for kind in (fcntl.LOCK_EX, fcntl.LOCK_SH):
            with refused_or_not():
                held.append(os.open(name, os.O_RDONLY)); lock(held[-1], kind | fcntl.LOCK_NB)
""",
    "pipes": """
for name in ('.~own.ipynb', 'own.ipynb', '.ipynb_checkpoints/own-checkpoint.ipynb'):
    with refused_or_not():
        os.unlink(name)
    with refused_or_not():
        os.mkfifo(name)
""",
    "links": """
for name in ('.~own.ipynb', 'own.ipynb', '.ipynb_checkpoints/own-checkpoint.ipynb'):
    with refused_or_not():
        os.symlink('/dev/full', name)
""",
    "renames": """
for old, new in (('own.ipynb', 'gone.ipynb'), ('data.csv', 'own.ipynb'), ('.ipynb_checkpoints', 'old')):
    with refused_or_not():
        os.rename(old, new)
""",
    "modes": """
for name in ('own.ipynb', '.', '.ipynb_checkpoints'):
    with refused_or_not():
        os.chmod(name, 0)
""",
    "much": f"""
for number in range({FILES}):
    os.close(os.open(f'many-{{number}}', os.O_CREAT | os.O_WRONLY))
""",
    "deep": """
path = pathlib.Path('.')
for number in range(100):
    path = path / ('d' * 30)
    path.mkdir()
""",
    "renames without end": """
def swap():
    pathlib.Path('a').touch()
    while True:
        os.rename('a', 'b'); os.rename('b', 'a')
threading.Thread(target=swap, daemon=True).start()
""",
}

ONCE = ("much", "deep", "renames without end")


class Server:
    """One for all tests: each saves in a folder of its own."""

    def __init__(self, root: Path, log: Path):
        self.root = root
        port, = free_ports(1)
        self.token = secrets.token_hex(16)
        ready = log.with_suffix(".ready")
        command = [sys.executable, "-c", SERVE, str(ready), "--no-browser", "--allow-root",
                   f"--ServerApp.port={port}",
                   f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={root}"]
        with log.open("w") as out:
            self.process = subprocess.Popen(command, cwd=root, env=environment(), stdout=out,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        self.port = wait_for_file(ready, bool, START)
        assert self.port.isdigit(), (self.port, log.read_text())

    def request(self, method: str, path: str, content: dict | None = None) -> dict:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/contents/{path}", method=method,
            data=json.dumps(content).encode() if content else None,
            headers={"Authorization": f"token {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=2 * START) as response:
            return json.loads(response.read())

    def save(self, folder: Path, notebook) -> float:
        """Seconds that it took."""
        path = f"{folder.relative_to(self.root)}/{NAME}"
        begun = time.perf_counter()
        self.request("PUT", path, {"type": "notebook", "format": "json", "content": notebook})
        self.request("POST", f"{path}/checkpoints")
        return time.perf_counter() - begun

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(START)


@pytest.fixture(scope="module")
def server(laboratory):
    root = laboratory.folder("saves")
    server = Server(root, laboratory.root / "saves.log")
    yield server
    server.close()


@pytest.fixture
def folder(server):
    folder = Path(tempfile.mkdtemp(dir=server.root))
    (folder / "data.csv").write_text("a\n1\n")
    return folder


def assert_saves(server, folder, notebook, capsys) -> None:
    notebook.cells.append(new_code_cell(f"x = {len(notebook.cells)}"))
    took = server.save(folder, notebook)
    with capsys.disabled():
        print(f"\n    saved in {took * 1000:.0f} ms", end="")
    kept = nbformat.read(folder / NAME, as_version=4)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in notebook.cells]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_cannot_keep_jupyter_from_saving(start_kernel, server, folder, attempt, capsys):
    notebook = new_notebook()
    assert_saves(server, folder, notebook, capsys)
    client = start_kernel(cwd=folder).ready_client()
    client.run(TRY, timeout=START)
    client.run(ATTEMPTS[attempt], timeout=4 * START)
    assert_saves(server, folder, notebook, capsys)
    if attempt not in ONCE:
        client.run(ATTEMPTS[attempt], timeout=START)
    assert_saves(server, folder, notebook, capsys)


def test_a_folder_in_the_way_of_a_save_is_named(start_kernel, server, folder, capsys):
    """No wall can refuse a name. Jupyter says that it cannot save, and the notice below the cell why."""
    name = f".~{NAME}"
    notebook = new_notebook()
    (folder / NAME).write_text(nbformat.writes(notebook))
    client = start_kernel(cwd=folder).ready_client()
    made = client.send_execute(f"import os; os.mkdir({name!r})")
    told = client.published_for(made, "stream", timeout=START).content["text"]
    assert f"{name} (Jupyter cannot save while it is there)" in told
    client.finish(made, timeout=START)
    with pytest.raises(urllib.error.HTTPError):
        server.save(folder, notebook)
    client.run(f"os.rmdir({name!r})")
    assert_saves(server, folder, notebook, capsys)
