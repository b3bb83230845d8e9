"""The workspace: what code in a cell cannot leave there for its owner to step into."""

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.zygote_client import PYTHON, Zygote

from .conftest import ACTED_ON, FOLDERS_ACTED_ON, ORDINARY_UID, SECRET, Cell
from .counterparts import works_where_it_may
from .test_whole_kernel import run_cell, wait_for_sandboxd_to_leave


# --- links ------------------------------------------------------------------------------------
def test_cannot_leave_a_symbolic_link(user, cell):
    """results.csv -> ~/.bashrc, for the next program that writes its results."""
    attempt = 'os.symlink(target, "results.csv"); os.unlink("results.csv")'
    target = str(user.home / "diary.txt")
    assert "REACHED" in user.runs(attempt, target=target)
    assert cell.runs(attempt, target=target) == "STOPPED EACCES"
    assert cell.runs('os.symlink(target, "/tmp/link")', target=target) == "REACHED"


def test_cannot_move_a_symbolic_link_there(user, cell):
    cell.prints('os.symlink("/etc/passwd", "/tmp/link")')
    for attempt, answer in (('os.rename(link, "link")', "STOPPED EXDEV"),
                            ('import shutil; shutil.move(link, "link")', "STOPPED EACCES")):
        (user.home / "link-to-move").symlink_to("/etc/passwd")
        assert "REACHED" in user.runs(attempt, link=str(user.home / "link-to-move"))
        (user.workspace / "link").unlink()
        assert cell.runs(attempt, link="/tmp/link") == answer
    assert not os.path.lexists(user.workspace / "link")


def test_cannot_give_the_users_symbolic_links_other_places(user, cell):
    """A relative one means something else in another folder."""
    move = 'os.rename("relative", other); os.rename(other, "relative")'
    link = 'os.link("relative", other, follow_symlinks=False); os.unlink(other)'
    for attempt, other in ((move, "sub/r"), (move, "free/r"), (link, "alias")):
        assert "REACHED" in user.runs(attempt, other=other)
        if user.is_under_runsc and other == "free/r":
            continue  # gVisor has no Landlock: docs/isolation.md says that it can be moved
        assert cell.runs(attempt, other=other) in ("STOPPED EACCES", "STOPPED EXDEV")


def test_cannot_write_through_a_hard_link_to_a_file_elsewhere(user, cell):
    """The user's own link: pnpm and uv make them, to a store that all projects share."""
    attempt = 'open("alias.js", "a").close()'
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EROFS"
    before = (user.workspace / "alias.js").stat()
    spare = str(user.write(user.workspace / "spare.js"))
    for change in ("os.chmod(path, 0o777)", "os.utime(path)", "os.truncate(path, 0)"):
        assert "REACHED" in user.runs(change, path=spare)
        # gVisor asks its gofer, and does not say that it could not.
        answer = cell.runs(change, path="alias.js")
        assert answer == ("REACHED" if user.is_under_runsc else "STOPPED EROFS")
    assert (user.workspace / "alias.js").stat() == before
    assert cell.prints('print(open("alias.js").read())') == "shared"


def test_cannot_make_a_hard_link_across_the_border(user, cell):
    attempt = "os.link(source, target)"
    linked = user.home / "linked"
    assert "REACHED" in user.runs(attempt, source="data.csv", target=str(linked))
    linked.unlink()
    for source, target in (("data.csv", "/tmp/x"), ("/etc/passwd", "passwd"),
                           ("/usr/bin/env", "program")):
        assert cell.runs(attempt, source=source, target=target) in (
            "STOPPED EXDEV", "STOPPED EPERM", "STOPPED EACCES", "STOPPED ENOENT")


# --- what is not a file --------------------------------------------------------------------------
def test_cannot_leave_a_pipe_that_a_reader_waits_at(user, cell):
    attempt, made = 'os.mkfifo("new.csv")', user.workspace / "new.csv"
    assert "REACHED" in user.runs(attempt) and made.is_fifo()
    made.unlink()
    # gVisor's is in its memory.
    assert cell.runs(attempt) == ("REACHED" if user.is_under_runsc else "STOPPED EACCES")
    assert not os.path.lexists(made)
    assert cell.runs('os.mkfifo("/tmp/pipe")') == "REACHED"


def test_cannot_leave_a_socket(user, cell):
    attempt = 'socket.socket(socket.AF_UNIX).bind("new.sock"); os.unlink("new.sock")'
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EACCES"
    assert cell.runs('socket.socket(socket.AF_UNIX).bind("/tmp/agent.sock")') == "REACHED"


@pytest.mark.parametrize("kind", ["S_IFBLK", "S_IFCHR"])
def test_cannot_leave_a_device(cell, bare, kind):
    attempt = 'os.mknod("disk", getattr(stat, kind) | 0o600, os.makedev(1, 3))'
    bare.reaches(attempt, kind=kind)
    answer = cell.runs(attempt, kind=kind)
    assert answer in ("STOPPED EPERM", "STOPPED EACCES")


def test_cannot_speak_into_the_users_pipes(user, cell):
    """Behind one may wait a shell."""
    reader = os.open(user.workspace / "commands", os.O_RDONLY | os.O_NONBLOCK)
    attempt = """
    file = os.open("commands", os.O_WRONLY | os.O_NONBLOCK)
    os.write(file, b"rm -rf ~")
    """
    try:
        assert "REACHED" in user.runs(attempt)
        assert os.read(reader, 100) == b"rm -rf ~"
        assert cell.runs(attempt) in ("STOPPED EROFS", "STOPPED EACCES")
        assert os.read(reader, 100) == b""  # its end: nobody writes
    finally:
        os.close(reader)


def test_cannot_hang_the_profile_by_a_pipe(cell):
    """%%ask looks at the tables of the working folder."""
    cell.prints('os.chdir("/tmp"); os.mkfifo("data.csv"); Path("real.csv").write_text("a\\n1\\n")')
    content = cell.profile()
    assert content["status"] == "ok"
    assert [f["path"] for f in content["frames"] if f["kind"] == "file"] == ["real.csv"]


# --- programs with the owner's rights ---------------------------------------------------------
def test_cannot_leave_a_set_user_id_program(user, cell):
    """Outside it would run as the workspace's owner, for everybody."""
    made = user.workspace / "new-tool"
    for attempt in (
            'Path("new-tool").touch(); os.chmod("new-tool", 0o4755)',
            'os.fchmod(os.open("new-tool", os.O_CREAT | os.O_WRONLY), 0o4755)',
            'os.close(os.open("new-tool", os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o4755))',
            'os.mknod("new-tool", stat.S_IFREG | 0o4755)'):
        try:
            assert "REACHED" in user.runs(attempt)
            assert made.stat().st_mode & stat.S_ISUID
            made.unlink()
            assert cell.runs(attempt) == "STOPPED EPERM"
            assert not (made.exists() and made.stat().st_mode & stat.S_ISUID)
        finally:
            made.unlink(missing_ok=True)


def test_cannot_leave_one_by_a_call_that_no_filter_can_read(user, cell):
    attempt = """
    how = struct.pack("QQQ", os.O_CREAT | os.O_WRONLY, 0o4755, 0)
    number = {"x86_64": 437, "aarch64": 437}[platform.machine()]
    if libc.syscall(ctypes.c_long(number), -100, b"new-tool", how, len(how)) < 0:
        raise OSError(ctypes.get_errno(), "openat2")
    os.unlink("new-tool")
    """
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED ENOSYS"


def test_cannot_fill_a_set_user_id_program_of_the_users(user, cell):
    attempt = 'open("tool", "r+").close()'
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EROFS"


def test_cannot_give_a_program_capabilities(cell, bare):
    attempt = """
    Path("new-tool").touch()
    try:
        os.setxattr("new-tool", "security.capability", struct.pack("<IIIII", 0x02000001, 1, 0, 0, 0))
    finally:
        os.unlink("new-tool")
    """
    bare.reaches(attempt)
    assert cell.runs(attempt) in ("STOPPED EPERM", "STOPPED ENOTSUP")


MOVED_AND_BACK = "os.rename(path, 'moved'); os.rename('moved', path)"


# --- what programs outside act on -------------------------------------------------------------
def test_cannot_change_what_programs_act_on(user, cell):
    attempt = "open(name, 'a').close()"
    for name in ACTED_ON:
        assert "REACHED" in user.runs(attempt, name=name)
        assert cell.runs(attempt, name=name) == "STOPPED EROFS"
        replace = "os.rename(source, name)"
        spare = [str(user.write(user.workspace / other)) for other in ("one.txt", "two.txt")]
        assert "REACHED" in user.runs(replace, source=spare[0], name=spare[1])
        assert cell.runs(replace, source="data.csv", name=name) == "STOPPED EBUSY"


@pytest.mark.parametrize("folder", FOLDERS_ACTED_ON)
def test_cannot_add_to_folders_that_programs_act_on(user, cell, folder):
    """An environment among them: it runs outside too, as soon as someone starts it."""
    attempt = 'open(os.path.join(folder, "new"), "w").close(); os.unlink(folder + "/new")'
    assert "REACHED" in user.runs(attempt, folder=folder)
    assert cell.runs(attempt, folder=folder) == "STOPPED EROFS"
    assert "REACHED" in user.runs(MOVED_AND_BACK, path=folder)
    assert cell.runs(MOVED_AND_BACK, path=folder) == "STOPPED EBUSY"


def test_cannot_put_a_folder_in_the_place_of_one_with_a_notebook(user, cell):
    """The notebook itself cannot be changed: but sub/ could be another folder."""
    attempt = """
    os.rename("sub", "moved")
    os.rename("moved", "sub")
    """
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EBUSY"


def test_cannot_exchange_a_folder_with_a_notebook_for_another(user, cell):
    attempt = """
    os.makedirs("other", exist_ok=True)
    try:
        number = {"x86_64": 316, "aarch64": 276}[platform.machine()]
        for _ in range(2):  # and back
            if libc.syscall(ctypes.c_long(number), -100, b"other", -100, b"sub", 2) < 0:
                raise OSError(ctypes.get_errno(), "renameat2")
    finally:
        os.rmdir("other")
    """
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) in ("STOPPED EBUSY", "STOPPED EINVAL")  # gVisor exchanges nothing


def test_cannot_put_another_folder_above_a_notebook(user, cell):
    """Each folder on the way to it stays where it is."""
    for folder in ("deep", "deep/er", "deep/er/still"):
        assert "REACHED" in user.runs(MOVED_AND_BACK, path=folder)
        assert cell.runs(MOVED_AND_BACK, path=folder) in ("STOPPED EBUSY", "STOPPED EXDEV")
    change = "open('deep/er/still/own.ipynb', 'a').close()"
    assert "REACHED" in user.runs(change)
    assert cell.runs(change) == "STOPPED EROFS"
    attempt = "open('deep/er/still/new.csv', 'w').close(); os.unlink('deep/er/still/new.csv')"
    assert cell.runs(attempt) == "REACHED"
    # Folders without one are the cell's to move.
    assert cell.runs(MOVED_AND_BACK, path="free") == "REACHED"


# --- more than can be protected ------------------------------------------------------------------
@pytest.fixture
def crowded(user):
    """Makes folders and files in the workspace; they are gone after the test."""
    made = []

    def crowd(name: str, folders: int, files: int = 0) -> Path:
        top = user.folder(user.workspace / name)
        made.append(top)
        assert user.runs("""
        for number in range(folders):
            os.mkdir(f"{top}/{number:05}")
        for number in range(files):
            os.mknod(f"{top}/{number:05}.csv")
        """, top=str(top), folders=folders, files=files) == "REACHED\n"
        return top

    yield crowd
    subprocess.run(["rm", "-r", *made], check=True)


def assert_protected(user, cell, *paths) -> None:
    for path in paths:
        assert "REACHED" in user.runs("open(path, 'a').close()", path=str(path))
        assert cell.runs("open(path, 'a').close()", path=str(path)) == "STOPPED EROFS", path


# More than an ordinary number of descriptors, than PROTECT_FOLDERS, than PROTECT_ENTRIES.
@pytest.mark.parametrize("folders, files", [(600, 0), (2500, 0), (0, 66000)])
def test_cannot_push_a_notebook_out_of_its_protection(user, spawn, crowded, folders, files):
    """What a cell makes comes before it in the order of names and of depth."""
    crowded("00-crowd", folders, files)
    deep = user.folder(user.folder(crowded("99-project", 1) / "a") / "b")
    user.folder(deep / ".git")
    mine = [user.write(deep / "deep.ipynb"), user.write(deep / ".git/config"),
            user.write(deep / "Makefile")]
    cell = spawn()
    assert_protected(user, cell, *mine, user.workspace / "analysis.ipynb")
    assert "REACHED" in user.runs(MOVED_AND_BACK, path=str(deep))
    assert cell.runs(MOVED_AND_BACK, path=str(deep)) != "REACHED"
    # What is beside all that is the cell's as before.
    assert cell.runs("open('data.csv', 'a').close()") == "REACHED"


def test_says_so_when_the_rest_of_a_folder_is_read_only(user, zygote, crowded):
    crowded("00-crowd", 2500)
    with zygote.spawn(zygote.spec(user.workspace)) as sandbox:
        assert "The rest is read-only for cells, from `" in sandbox.notice


TRAP = """
import os
with open(os.path.expanduser("~/trapped"), "a") as file:
    file.write(__name__ + "\\n")
"""


def springs(user) -> bool:
    """For a program that begins in that folder."""
    subprocess.run([PYTHON, "-c", "import json"], cwd=user.workspace, check=True,
                   env={"HOME": str(user.home)}, **user.credentials)
    (user.home / "trapped").unlink()
    shutil.rmtree(user.workspace / "__pycache__", ignore_errors=True)
    return True


@pytest.mark.timeout(600)
def test_cannot_trap_cellpods_own_programs(user):
    """Modules in the notebook's folder that are named like those that it imports."""
    traps = [user.workspace / f"{name}.py" for name in (
        "usercustomize", "json", "socket", "IPython", "pandas", "cellpod", "ctypes",
        "jupyter_config", "ipython_config")]
    for path in traps:
        user.write(path, TRAP)
    works_where_it_may(springs(user))
    printed = run_cell(user, "import os; print(os.path.exists(os.path.expanduser('~/trapped')))")
    wait_for_sandboxd_to_leave(user)
    for path in traps:
        path.unlink()
    assert printed == "False\n"
    assert not (user.home / "trapped").exists()


# --- nothing of ours ---------------------------------------------------------------------------
def listing(folder) -> dict:
    return {str(path): (path.lstat().st_mode, path.lstat().st_size, path.lstat().st_ino)
            for path in [folder, *folder.rglob("*")]}


def test_cannot_leave_anything_there_just_by_running(user, spawn):
    empty = listing(user.workspace)
    mark = user.write(user.workspace / "mark")
    works_where_it_may(listing(user.workspace) != empty)
    mark.unlink()
    before = listing(user.workspace)
    spawn().prints("import pandas; print(pandas.read_csv('data.csv'))")
    assert listing(user.workspace) == before


# --- groups -------------------------------------------------------------------------------------
GROUP = 54399  # nobody's


@pytest.fixture
def group_home():
    with tempfile.TemporaryDirectory(prefix="cellpod-group-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a user another group")
def test_cannot_reach_more_by_a_group_of_the_users(group_home, bare):
    """An ordinary user's further groups stay: they open what is mounted, as outside, and
    nothing else."""
    shared, private = group_home / "shared", group_home / "private"
    for folder in (shared, private):
        folder.mkdir(mode=0o755)
        (folder / "of-the-group").write_text(SECRET)
        os.chown(folder / "of-the-group", 0, GROUP)
        (folder / "of-the-group").chmod(0o640)
    with Zygote(uid=ORDINARY_UID, groups=[GROUP]) as zygote:
        mount = {"source": str(shared), "target": str(shared), "mode": "rw"}
        with zygote.spawn(zygote.spec(mounts=[mount])) as sandbox:
            cell = Cell(sandbox)
            attempt = "print(open(path).read())"
            assert SECRET in cell.runs(attempt, path=str(shared / "of-the-group"))
            assert cell.runs(attempt, path=str(private / "of-the-group")) == "STOPPED ENOENT"
            for change in ("open(path, 'a')", "os.chmod(path, 0o666)", "os.chown(path, -1, 0)",
                           "os.unlink(path)"):
                own = group_home / "own"
                own.touch()
                bare.reaches(change, path=str(own))
                answer = cell.runs(change, path=str(shared / "of-the-group"))
                assert answer in ("STOPPED EACCES", "STOPPED EPERM", "STOPPED EINVAL"), change
            bare.reaches("os.setgroups([])")
            assert cell.runs("os.setgroups([])") == "STOPPED EPERM"


@pytest.mark.skipif(os.getuid() != 0, reason="of root's sandboxes")
def test_cannot_keep_a_group_of_roots():
    groups = "import os; print(os.getgroups())"
    works_where_it_may(str(GROUP) in subprocess.run(
        [PYTHON, "-c", groups], extra_groups=[GROUP], capture_output=True, text=True).stdout)
    with Zygote(groups=[GROUP]) as zygote, zygote.spawn(zygote.spec()) as sandbox:
        cell = Cell(sandbox)
        assert cell.prints(groups) == "[]"
