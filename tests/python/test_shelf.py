"""What was loaded ahead is what an import gives if, and only if, it is what Python would load now."""

import subprocess
import sys
from pathlib import Path

import pytest
from driver import WORKER_DIR

BEGIN = """
import builtins, importlib, importlib.util, sys
worker, packages, beside = sys.argv[1:4]
sys.path[:0] = [worker]
sys.path.append(packages)
builtins.loads = []  # each module notes itself
from cellpod import shelf
def load(*names):
    for name in names:
        shelf.load(name)
    builtins.loads.clear()
"""

MODULES = {
    "plain": "",
    "package/__init__": "",
    "package/part": "from . import other",
    "package/other": "",
    "uses": "import plain",
    "uses_more": "import uses, colorsys",
    "uses_late": "def late():\n    import plain\n    return plain",
    "breaks": "import plain; 1 / 0",
    "classes": "class Point:\n    pass",
}
NOTES = "import builtins; builtins.loads.append(__name__)\n"


@pytest.fixture
def python(tmp_path: Path):
    """Runs what is given; what it has printed."""
    packages, beside = tmp_path / "packages", tmp_path / "beside"
    (packages / "package").mkdir(parents=True)
    beside.mkdir()
    for name, text in MODULES.items():
        (packages / f"{name}.py").write_text(NOTES + text)
    (packages / "package/data.txt").write_text("data")
    for name in ("plain", "package", "colorsys"):
        (beside / f"{name}.py").write_text("mine = True")

    def run(code: str) -> str:
        command = [sys.executable, "-I", "-X", "utf8", "-c", BEGIN + code]
        answer = subprocess.run([*command, WORKER_DIR, packages, beside], text=True,
                                stdout=subprocess.PIPE, check=True)  # fmt: skip
        return answer.stdout.strip()

    return run


def test_it_is_out_of_sight_until_it_is_imported(python):
    assert python("""
load("package.part")
print([n for n in sys.modules if n.startswith("package")], shelf.holds("package.part"))
import package.part
from package import other
print(loads, package.part.other is other, shelf.holds("package"))
""") == "[] True\n[] True False"


def test_what_it_uses_comes_with_it(python):
    assert python("""
load("uses_more")
import uses_more, plain, uses
print(loads, uses_more.uses is uses, uses.plain is plain, "colorsys" in sys.modules)
""") == "[] True True True"


def test_a_module_that_comes_first_is_the_one_that_is_meant(python):
    assert python("""
load("plain", "package.part")
sys.path.insert(0, beside)
import plain, package
print(plain.mine, package.mine, loads)
""") == "True True []"


@pytest.mark.parametrize("name", ["plain", "colorsys"])
def test_nothing_is_handed_out_that_used_another_one(python, name: str):
    """Nor what uses it in turn."""
    assert python(f"""
load("uses_more", "package")
sys.path.insert(0, beside)
import uses_more
print(sys.modules[{name!r}].mine, "uses_more" in loads)
sys.path.remove(beside)
import package
print("package" in loads)
""") == "True True\nFalse"


def test_what_was_used_once_is_remembered(python):
    """It was handed out to the one that was loaded next."""
    assert python("""
load("uses", "uses_more")
sys.path.insert(0, beside)
import uses
print(uses.plain.mine, loads)
""") == "True ['uses']"


def test_looking_for_it_changes_nothing(python):
    assert python("""
load("package.part")
spec = importlib.util.find_spec("package")
print(spec.origin == packages + "/package/__init__.py", shelf.holds("package"), loads)
print(spec.loader.get_source("package").startswith("import builtins"))
""") == "True True []\nTrue"


def test_it_has_its_own_spec_and_can_be_loaded_again(python):
    assert python("""
import pkgutil
load("package.part")
import package
print(package.__spec__.loader is package.__loader__, pkgutil.get_data("package", "data.txt"))
print(importlib.reload(package) is package, loads)
""") == "True b'data'\nTrue ['package']"


def test_an_import_that_fails_leaves_nothing_in_sight(python):
    assert python("""
try:
    load("breaks")
except ZeroDivisionError:
    print("plain" in sys.modules, shelf.holds("plain"), shelf.holds("breaks"))
""") == "False True False"


def test_a_class_of_it_can_be_unpickled(python):
    assert python("""
import pickle
load("classes")
print(pickle.loads(b"cclasses\\nPoint\\n.").__name__, loads)
""") == "Point []"


def test_many_threads_get_the_same_one(python):
    assert python("""
import threading
load("uses_more", "package.part")
found, together = [], threading.Barrier(16)
def get():
    together.wait()
    import uses_more, uses, plain, package
    found.append((uses_more, uses, plain, package))
threads = [threading.Thread(target=get) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found), all(each == found[0] for each in found), loads)
""") == "16 True []"


def test_what_no_finder_has_made_stays_where_it_is(python):
    assert python("""
import types
open(packages + "/makes.py", "w").write("import sys, types; sys.modules['made'] = types.ModuleType('made')")
load("makes")
print("made" in sys.modules, "makes" in sys.modules)
""") == "True False"
