"""`cellpod cp` to and from the sandbox of a notebook whose cells run elsewhere."""

import contextlib
import json
import os
import socket
import subprocess

import pytest

from support import remote
from support.client import START
from support.kernel import BUILD

pytestmark = pytest.mark.cellpod_only("other kernels have no cellpod")


place, folder, start_with = remote.place, remote.folder, remote.start


@pytest.fixture
def start(start_with, folder):
    def start_one(name="a.ipynb", *arguments):
        return start_with("--carry", "none", *arguments,
                          env={"JPY_SESSION_NAME": str(folder / name)} if name else None)
    return start_one


@pytest.fixture
def cp(folder, laboratory):
    def run(*words, status=0):
        done = subprocess.run([BUILD / "bin/cellpod", "cp", *words], cwd=folder, timeout=60,
                              capture_output=True, text=True, check=False)
        assert done.returncode == status, (done.stdout, done.stderr)
        return done.stdout + done.stderr
    return run


def test_a_file_goes_there_and_comes_back(start, cp, folder):
    client = start()
    client.execute("pass", timeout=START)
    data = os.urandom(3_000_000)
    (folder / "big ü.bin").write_bytes(data)
    cp("big ü.bin", "a.ipynb:data/in.bin")
    cp("big ü.bin", "a.ipynb:")
    client.run("import os, shutil; assert os.path.getsize('big ü.bin') == 3_000_000; "
               "shutil.copy('data/in.bin', 'out.bin'); print(oct(os.stat('out.bin').st_mode)[-3:])")
    assert cp("a.ipynb:out.bin", ".") == ""
    assert (folder / "out.bin").read_bytes() == data
    assert cp("a.ipynb:") == ("       3000000  big ü.bin\n       3000000  data/in.bin\n"
                              "       3000000  out.bin\n")
    assert cp("a.ipynb:data") == "       3000000  data/in.bin\n"


def test_what_exists_is_replaced_only_by_force(start, cp, folder):
    client = start()
    client.execute("open('a.csv', 'w').write('theirs')", timeout=START)
    (folder / "a.csv").write_text("mine")
    assert "a.csv exists there; --force replaces it" in cp("a.csv", "a.ipynb:a.csv", status=1)
    assert "a.csv exists; --force replaces it" in cp("a.ipynb:a.csv", ".", status=1)
    cp("--force", "a.ipynb:a.csv", ".")
    assert (folder / "a.csv").read_text() == "theirs"
    (folder / "a.csv").write_text("mine")
    cp("--force", "a.csv", "a.ipynb:a.csv")
    assert client.execute("print(open('a.csv').read())").stdout == "mine\n"


def test_a_copy_is_not_written_through_a_link_and_leaves_no_half(start, cp, folder):
    client = start()
    client.execute("open('a.csv', 'w').write('theirs')", timeout=START)
    (folder / "b.csv").write_text("mine")
    (folder / "a.csv").symlink_to("b.csv")
    cp("--force", "a.ipynb:a.csv", ".")
    assert (folder / "b.csv").read_text() == "mine"
    assert not (folder / "a.csv").is_symlink()
    assert "nowhere.csv" in cp("a.ipynb:nowhere.csv", ".", status=1)
    assert sorted(os.listdir(folder)) == ["a.csv", "b.csv"]


@pytest.mark.parametrize("words, says", [
    (["a.ipynb:../x", "."], "without . and .."),
    (["a.csv", "a.ipynb:/etc/x"], "without . and .."),
    (["a.csv", "a.ipynb:../x"], "without . and .."),
    (["a.ipynb:", "out"], "name one file"),
    ([".", "a.ipynb:x"], "is not a file: to send a folder, make an archive"),
    (["a.csv", "other.ipynb:a.csv"], "no kernel of yours runs cells of other.ipynb in a pod"),
    (["a.ipynb:a.csv", "nowhere/"], "there is no folder nowhere/"),
])
def test_what_is_wrong_is_said(start, cp, folder, words, says):
    (folder / "a.csv").write_text("mine")
    start().execute("pass", timeout=START)
    assert says in cp(*words, status=1)


def test_a_sandbox_without_room_says_so(start, cp, folder):
    start("a.ipynb", "--disk-mb", "4").execute("pass", timeout=START)
    (folder / "big.bin").write_bytes(os.urandom(8_000_000))
    assert "space" in cp("big.bin", "a.ipynb:", status=1)


def test_two_notebooks_of_a_folder_are_told_apart(start, cp, folder):
    for name in ("a.ipynb", "b.ipynb"):
        start(name).execute(f"open('who', 'w').write('{name}')", timeout=START)
    cp("b.ipynb:who", ".")
    assert (folder / "who").read_text() == "b.ipynb"
    assert "2 kernels run notebooks of .: name the notebook" in cp(".:who", status=1)


def test_the_kernel_tells_its_own_user_and_nobody_else(start, cp, folder):
    client = start()
    client.execute("pass", timeout=START)
    name = f"\0cellpod-reach-{os.geteuid()}-{client.kernel.pid}"
    assert json.loads(asked(name))["folder"] == str(folder)
    if os.geteuid() == 0:
        with as_user(65534):
            assert asked(name) == ""
    client.kernel.close()
    assert "work in that folder itself" in cp("a.ipynb:x", status=1)


def test_what_another_user_says_is_not_believed(cp, folder):
    """Who takes the name of a kernel of ours."""
    if os.geteuid() != 0:
        pytest.skip("needs another user")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0cellpod-reach-0-{os.getpid()}")
        with as_user(65534):
            server.listen()  # a peer's uid is that of who listens
        assert "work in that folder itself" in cp("a.ipynb:x", status=1)


def asked(name) -> str:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(name)
        return peer.makefile().read()


@contextlib.contextmanager
def as_user(uid):
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
