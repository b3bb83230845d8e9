"""What the zygote loads because notebooks have imported it: never what a sandbox could have chosen."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from driver import WORKER_DIR, Driver

TRIES = """
import json, os, select, signal, site, sys
worker, packages, beside, names = sys.argv[1:5]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as in a zygote
sys.path.insert(0, worker)
import numpy
from cellpod import preload
preload.PROBE_SECONDS = float(sys.argv[5])
site.getsitepackages = lambda: [packages]
sys.path[:] = [*sys.path, packages, beside]
channel, settled = os.open(os.devnull, os.O_RDONLY), []
preloads = preload.Preloads(channel, lambda: settled.append(1))
preloads.want(json.loads(names), int(sys.argv[6]))
while True:
    preloads.begin()
    if preloads.file() is None:
        break
    select.select([preloads.file()], [], [], preloads.seconds_left())
    preloads.finish()
assert beside in sys.path
found = [name for name in json.loads(names) if preload.shelf.holds(name)]
assert not [name for name in found if name in sys.modules]
print(json.dumps(found), len(settled))
"""

MODULES = {
    "fine": "x = 1",
    "package/__init__": "",
    "package/part": "import os",
    "threads": "import threading, time; threading.Thread(target=time.sleep, args=[9]).start()",
    "files": "import os; f = open(os.devnull)",
    "socket_left": "import socket; s = socket.socket()",
    "breaks": "1 / 0",
    "ends": "import os; os._exit(0)",
    "slow": "import time; time.sleep(1000)",
    "stuck_in_forks": "import os, signal; os.register_at_fork(after_in_child=signal.pause)",
    "large": "x = b'x' * (80 << 20)",
    "through": "import beside_module",
    "polars": "",
    "with_polars": "import polars",
    "ssl": "",
    "at_home": "import os; assert os.environ['HOME'] == '/home/sandbox'",
}


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages"
    (folder / "package").mkdir(parents=True)
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text)
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside/beside_module.py").write_text("")
    (folder / "linked.py").symlink_to(tmp_path / "beside/beside_module.py")
    (folder / "namespace").mkdir()
    return folder


@pytest.fixture
def loaded(packages: Path):
    def load(*names: object, seconds: float = 100, memory_mb: int = 64) -> list[str]:
        answer = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", "-c", TRIES, WORKER_DIR, packages,
             packages.parent / "beside", json.dumps(names), str(seconds), str(memory_mb)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found, settled = answer.stdout.rsplit(maxsplit=1)
        assert int(settled) >= len(json.loads(found))  # each is followed by a look at threads
        return json.loads(found)

    return load


def test_what_is_harmless_is_loaded(loaded):
    assert loaded("fine", "package.part", "at_home") == ["fine", "package.part", "at_home"]


@pytest.mark.parametrize(
    "name",
    ["threads", "files", "socket_left", "breaks", "ends", "large", "through", "polars",
     "with_polars", "beside_module", "linked", "namespace", "missing", "package.missing"],
)  # fmt: skip
def test_what_is_not_is_left_out_and_the_next_is_tried(loaded, name: str):
    assert loaded(name, "fine") == ["fine"]


def test_what_does_not_end_is_ended(loaded):
    assert loaded("slow", "fine", seconds=5) == ["fine"]


def test_nothing_is_left_of_what_does_not_end(loaded):
    """subprocess.run() waits for all who have the pipe of its output."""
    assert loaded("stuck_in_forks", "fine", seconds=5) == ["fine"]


def test_no_module_of_the_standard_library_is_a_package_of_the_users(loaded):
    assert loaded("antigravity", "fine") == ["fine"]


@pytest.mark.parametrize(
    "name",
    ["", ".", "fine.", ".fine", "a.b.c.d", "../fine", "/etc/passwd", "fine\n", "fine\0", "f ine",
     "f\u00efne", "x" * 65, 3, None, ["fine"]],
)  # fmt: skip
def test_what_is_no_name_is_not_looked_for(loaded, name: object):
    assert loaded(name if isinstance(name, str) else str(name), "fine") == ["fine"]


def test_memory_is_bounded_over_all(loaded):
    assert loaded("large", memory_mb=200) == ["large"]
    assert loaded("large", "fine", memory_mb=10) == ["fine"]


def test_there_are_no_more_than_so_many(loaded):
    assert loaded(*(f"missing{n}" for n in range(32)), "fine") == []


def test_cells_tell_what_they_import(worker: Driver):
    worker.run("import tqdm, os, json.decoder; from tqdm.auto import trange\nimport numpy")
    worker.run("%matplotlib inline\nimport comm")  # no Python, but for the second line
    worker.run("import tqdm")
    worker.run("pass")  # it tells after its reply
    assert worker.imports == ["tqdm", "tqdm.auto", "comm"]


def test_modules_of_the_notebook_are_not_told(worker: Driver, cwd: Path):
    (cwd / "mine.py").write_text("")
    worker.run("import mine")
    worker.run("import tqdm")
    worker.run("pass")
    assert worker.imports == ["tqdm"]
