"""The notebook's folder travels to a sandbox that is elsewhere: a sandboxd on TCP, as in a pod."""

import os
import shutil
import socket
import stat

import nbformat
import pytest

from support import remote
from support.client import START
from support.kernel import REPOSITORY

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


place, folder, start = remote.place, remote.folder, remote.start


LIST = """
import pathlib
print(sorted(str(path) for path in pathlib.Path(".").rglob("*") if path.is_file()))
"""


def listed(client) -> str:
    return client.execute(LIST, timeout=START).stdout.strip()


def said(cell) -> str:
    """What the kernel said, without what it waited for."""
    return "".join(line for line in cell.stderr.splitlines(keepends=True) if "cellpod: " in line)


# --- there --------------------------------------------------------------------------------


def test_the_first_cell_reads_what_lies_beside_the_notebook(start, folder):
    (folder / "sales.csv").write_text("day,sum\nmon,3\ntue,4\n")
    (folder / "data").mkdir()
    (folder / "data/more.csv").write_text("a\n1\n")
    (folder / "prüfung und %41.txt").write_text("x")
    (folder / "empty").touch()
    client = start()
    cell = client.execute("import pandas; print(pandas.read_csv('sales.csv')['sum'].sum())", timeout=START)
    assert cell.stdout == "7\n"
    assert said(cell) == "cellpod: sent 4 files of the notebook's folder to the sandbox (25 bytes).\n"
    assert listed(client) == "['data/more.csv', 'empty', 'prüfung und %41.txt', 'sales.csv']"


def test_what_has_changed_is_sent_again_and_nothing_else(start, folder):
    (folder / "a.csv").write_text("1")
    (folder / "b.csv").write_text("1")
    client = start()
    code = "import os; print(open('a.csv').read(), os.stat('a.csv').st_ino, os.stat('b.csv').st_ino)"
    first = client.execute(code, timeout=START).stdout.split()
    (folder / "a.csv").write_text("2")
    os.utime(folder / "b.csv", (1, 1))
    cell = client.execute(code)
    second = cell.stdout.split()
    assert (first[0], second[0]) == ("1", "2")
    assert second[1] != first[1] and second[2] == first[2]
    assert said(cell) == ""


def test_what_is_left_out_is_said_once(start, folder):
    (folder / "fine.csv").write_text("1")
    with (folder / "big.bin").open("wb") as big:
        big.truncate(10_000_000_000)
    (folder / "link.csv").symlink_to("fine.csv")
    os.mkfifo(folder / "pipe")
    os.mknod(folder / "device", stat.S_IFCHR | 0o600, 0)  # of number 0, which anybody may make
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    os.close(os.open(os.fsencode(folder) + b"/latin-\xe9.csv", os.O_CREAT | os.O_WRONLY))
    client = start()
    cell = client.execute(LIST, timeout=START)
    assert cell.stdout == "['fine.csv']\n"
    assert "sent 1 file of" in said(cell)
    for told in ("big.bin (10.0 GB, larger than carry_file_mb)", "link.csv (links are not followed)",
                 "device and 2 more (not a regular file)", "latin-?.csv (a name that is not UTF-8, or too long)",
                 "docs/cluster.md"):
        assert told in said(cell)
    assert said(client.execute("1")) == ""


def test_what_is_hidden_and_what_is_named_stays_here(start, folder):
    (folder / ".cellpodignore").write_text("# not these\n*.key\nraw/\nout/*.tmp\n")
    for path in ("a.csv", "b.key", ".env", ".git/config", "raw/x.csv", "out/y.tmp", "out/y.csv",
                 "env/pyvenv.cfg", "env/lib/z.py", "__pycache__/m.pyc", "nb.ipynb"):
        (folder / path).parent.mkdir(exist_ok=True, parents=True)
        (folder / path).write_text("x")
    client = start(env={"JPY_SESSION_NAME": str(folder / "nb.ipynb")})
    assert listed(client) == "['a.csv', 'out/y.csv']"


def test_many_small_files_are_bounded(start, folder):
    for i in range(100_000):
        os.close(os.open(folder / f"{i:06d}", os.O_CREAT | os.O_WRONLY))
    client = start("--carry-files", "50")
    cell = client.execute("import os; print(len(os.listdir()))", timeout=START)
    assert cell.stdout == "50\n"
    assert "more than carry_files files" in said(cell)
    assert "too many names to look at" in said(cell)


def test_more_than_there_may_be_in_all(start, folder):
    for name in "abc":
        (folder / name).write_bytes(b"x" * 700_000)
    client = start("--carry-mb", "2")
    cell = client.execute(LIST, timeout=START)
    assert cell.stdout == "['a', 'b']\n"
    assert "c (more than carry_mb in all)" in said(cell)


def test_it_can_be_switched_off(start, folder):
    (folder / "sales.csv").write_text("1")
    assert listed(start("--carry", "none")) == "[]"
    assert listed(start(env={"CELLPOD_CARRY": "none"})) == "[]"


def test_a_setting_that_is_none_is_an_error(start):
    cell = start(env={"CELLPOD_CARRY": "yes"}).execute("1", timeout=START)
    assert cell.status == "error" and "CELLPOD_CARRY must be both, send or none" in cell.content["evalue"]


def test_of_a_home_only_what_lies_directly_in_it(start, folder):
    (folder / "a.csv").write_text("1")
    (folder / "sub").mkdir()
    (folder / "sub/b.csv").write_text("1")
    assert listed(start(env={"HOME": str(folder)})) == "['a.csv']"


def test_nothing_of_a_folder_of_the_system(start):
    client = start(cwd="/etc")
    cell = client.execute(LIST, timeout=START)
    assert cell.stdout == "[]\n"
    assert "no files of /etc are sent to the sandbox: it belongs to the system." in said(cell)


# --- back ---------------------------------------------------------------------------------

WRITE = "open({0!r}, 'w').write({1!r})"


def write(client, path: str, text: str):
    return client.execute(WRITE.format(path, text), timeout=START)


def test_what_a_cell_writes_is_beside_the_notebook_when_it_ends(start, folder):
    (folder / "sales.csv").write_text("1")
    client = start()
    cell = client.execute("import os; os.makedirs('out/deep'); open('out/deep/ü.csv', 'w').write('new')\n"
                          "open('sales.csv', 'a').write('2')", timeout=START)
    assert (folder / "out/deep/ü.csv").read_text() == "new"
    assert (folder / "sales.csv").read_text() == "12"
    assert "sent 1 file" in said(cell)
    (folder / "sales.csv").chmod(0o640)
    assert said(write(client, "sales.csv", "three")) == ""
    assert (folder / "sales.csv").read_text() == "three"
    assert (folder / "sales.csv").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["out", "sales.csv"]


def test_a_failed_cell_brings_its_files_too(start, folder):
    client = start()
    assert client.execute("open('a', 'w').write('1'); 1 / 0", timeout=START).status == "error"
    assert (folder / "a").read_text() == "1"


def while_it_asks(client, code: str, meanwhile):
    """Run a cell; `meanwhile` is called while it waits in input()."""
    msg_id = client.send_execute("input()\n" + code, allow_stdin=True)
    asked = client.receive(("stdin",), lambda m: m.type == "input_request", START)
    meanwhile()
    client.send("input_reply", {"value": ""}, "stdin", parent=asked.header)
    return client.finish(msg_id)


def test_what_changed_on_both_sides_is_kept_twice(start, folder):
    sales, copy = folder / "sales.csv", folder / "sales (from the sandbox).csv"
    sales.write_text("sent")
    client = start()
    cell = while_it_asks(client, WRITE.format("sales.csv", "by the cell"),
                         lambda: sales.write_text("by somebody"))
    assert (sales.read_text(), copy.read_text()) == ("by somebody", "by the cell")
    assert ("sales.csv has changed beside the notebook and in the sandbox. Both are kept, the sandbox's as "
            "sales (from the sandbox).csv.\n") in said(cell)
    cell = client.execute("print(open('sales.csv').read(), open('sales (from the sandbox).csv').read())")
    assert cell.stdout == "by somebody by the cell\n"
    write(client, "sales.csv", "again")
    assert (sales.read_text(), copy.read_text()) == ("again", "by the cell")
    cell = while_it_asks(client, WRITE.format("sales.csv", "twice"), lambda: sales.write_text("somebody else"))
    assert sales.read_text() == "somebody else"
    assert (folder / "sales (from the sandbox 2).csv").read_text() == "twice"


def test_what_is_touched_or_made_the_same_is_no_conflict(start, folder):
    (folder / "a.csv").write_text("sent")
    client = start()
    cell = while_it_asks(client, WRITE.format("a.csv", "new") + "\n" + WRITE.format("b.csv", "both"),
                         lambda: (os.utime(folder / "a.csv", (1, 1)), (folder / "b.csv").write_text("both")))
    assert (folder / "a.csv").read_text() == "new"
    assert sorted(os.listdir(folder)) == ["a.csv", "b.csv"]
    assert "Both are kept" not in said(cell)


def test_two_notebooks_write_one_file(start, folder):
    first, second = start(), start()
    first.execute("1", timeout=START)
    second.execute("1", timeout=START)
    write(first, "out.csv", "first")
    cell = while_it_asks(second, WRITE.format("out.csv", "second"), lambda: write(first, "out.csv", "first again"))
    assert (folder / "out.csv").read_text() == "first again"
    assert (folder / "out (from the sandbox).csv").read_text() == "second"
    assert "Both are kept" in said(cell)
    assert first.execute("print(open('out (from the sandbox).csv').read())").stdout == "second\n"


def test_links_here_are_not_followed(start, folder, tmp_path):
    (tmp_path / "secret").write_text("outside")
    (tmp_path / "elsewhere").mkdir()
    (folder / "link.csv").symlink_to(tmp_path / "secret")
    (folder / "sub").symlink_to(tmp_path / "elsewhere")
    client = start()
    write(client, "link.csv", "x")
    cell = client.execute("import os; os.mkdir('sub'); open('sub/a', 'w').write('x')")
    assert (tmp_path / "secret").read_text() == "outside"
    assert (folder / "link.csv").is_symlink()
    assert (folder / "link (from the sandbox).csv").read_text() == "x"
    assert not any((tmp_path / "elsewhere").iterdir())
    assert "sub/a (cannot be written here)" in said(cell)


def test_what_programs_act_on_does_not_come(start, folder):
    (folder / "Makefile").write_text("all:")
    (folder / "nb.ipynb").write_text("{}")
    client = start()
    cell = client.execute("""
import os
for path in ("Makefile", "nb.ipynb", "other.IPYNB", "sub/setup.py", "x.pth", ".git/config", ".envrc", "jupyter_server_config.py",
             "__pycache__/m.pyc", "fine.py"):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    open(path, "w").write("evil")
os.symlink("/etc/passwd", "passwd")
os.mkfifo("pipe")
open("line\\nbreak", "w")
open(b"latin-\\xe9", "w")
""", timeout=START)
    assert cell.status == "ok"
    assert (folder / "Makefile").read_text() == "all:"
    assert (folder / "nb.ipynb").read_text() == "{}"
    assert sorted(os.listdir(folder)) == ["Makefile", "fine.py", "nb.ipynb"]
    assert "Makefile and 5 more (programs act on such a file by themselves, or it is a notebook)" in said(cell)
    assert "a file (a name that is not UTF-8, or too long)" in said(cell)
    assert said(client.execute("1")) == ""


def test_what_is_too_large_does_not_come(start, folder):
    client = start("--carry-file-mb", "1", "--carry-files", "3")
    cell = client.execute("open('big', 'wb').truncate(10_000_000_000)\n"
                          "for i in range(5): open(f'f{i}', 'w').write('x')", timeout=START)
    assert sorted(os.listdir(folder)) == ["f0", "f1", "f2"]
    assert "big (10.0 GB, larger than carry_file_mb), f3 and 1 more (more than carry_files files)" in said(cell)


def test_a_disk_that_is_full_there(start, folder):
    (folder / "a.csv").write_bytes(b"x" * 100_000)
    (folder / "b.csv").write_bytes(os.urandom(8_000_000))
    client = start("--disk-mb", "4")
    cell = client.execute(LIST, timeout=START)
    assert cell.stdout == "['a.csv']\n"
    assert "b.csv (no space is left there)" in said(cell)


def test_what_is_read_only_here_stays(start, folder):
    (folder / "a.csv").write_text("sent")
    (folder / "a.csv").chmod(0o444)
    client = start()
    cell = write(client, "a.csv", "new")
    assert (folder / "a.csv").read_text() == "sent"
    assert "a.csv (cannot be written here)" in said(cell)


def test_an_interrupt_ends_a_cell_whose_files_come(start, folder):
    client = start()
    client.execute("1", timeout=START)
    for _ in range(3):  # at whatever moment it comes, the file is there before the next cell
        msg_id = client.send_execute("open('big', 'wb').write(__import__('os').urandom(20_000_000))")
        client.send("interrupt_request", {}, channel="control")
        client.finish(msg_id)
        client.execute("1")
    client.execute("open('done', 'w')")
    assert (folder / "done").exists()


def test_only_there_if_so_wanted(start, folder):
    (folder / "a.csv").write_text("sent")
    client = start("--carry", "send")
    write(client, "a.csv", "new")
    assert (folder / "a.csv").read_text() == "sent"


@pytest.mark.parametrize("name", ["quickstart", "ask"])
def test_the_notebooks_of_the_repository_run_unchanged(start, folder, name):
    shutil.copytree(REPOSITORY / "notebooks", folder, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    client = start(env={"XDG_CONFIG_HOME": str(folder.parent)})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            ran = client.execute(cell.source, timeout=START)
            raises = "raises-exception" in cell.metadata.get("tags", [])
            assert ran.status == "ok" or raises, (cell.source, ran)
    assert [path.name for path in folder.iterdir()] != []
