"""cellpod cp: what cells wrote gets out, and nothing else comes with it."""

import hashlib
import os
import resource
import signal
import socket
import stat

import pytest

from support.cli import cellpod

pytestmark = pytest.mark.cellpod_only("cellpod's own command line")

NOTEBOOK = "/tmp/analysis.ipynb"


@pytest.fixture
def state(tmp_path):
    path = tmp_path / "state"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def kept(state):
    """The folder in which cells of notebooks in /tmp work, as they have left it."""
    path = state / "cellpod/folders" / hashlib.sha256(b"/tmp").hexdigest()[:16]
    path.mkdir(parents=True)
    (state / "cellpod").chmod(0o700)
    return path


@pytest.fixture
def out(tmp_path):
    path = tmp_path / "out"
    path.mkdir()
    return path


@pytest.fixture
def cp(state, out):
    def run(*words, limit=None, action=signal.SIG_IGN):
        def bound():
            signal.signal(signal.SIGXFSZ, action)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return cellpod("cp", *words, cwd=out, env={"XDG_STATE_HOME": str(state)},
                       **({"preexec_fn": bound, "restore_signals": False} if limit else {}))
    return run


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_file_is_copied_into_a_folder_or_under_another_name(cp, kept, out):
    (kept / "result.csv").write_text("a,b\n")
    for to in (".", "other.csv"):
        done = cp(f"{NOTEBOOK}:result.csv", to)
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert names(out) == ["other.csv", "result.csv"]
    assert (out / "other.csv").read_text() == "a,b\n"


def test_a_folder_and_all_of_it_are_copied(cp, kept, out):
    (kept / "charts/old").mkdir(parents=True)
    (kept / "charts/old/1.png").write_bytes(b"png")
    (kept / "a.txt").write_text("a")
    assert cp("/tmp:charts", ".").returncode == 0
    assert cp(f"{NOTEBOOK}:", "all").returncode == 0
    assert names(out) == ["all", "all/a.txt", "all/charts", "all/charts/old",
                          "all/charts/old/1.png", "charts", "charts/old", "charts/old/1.png"]


def test_it_lists(cp, kept):
    (kept / "b.txt").write_text("four")
    (kept / "a\x1b[2J\n.txt").touch()
    (kept / "charts").mkdir()
    (kept / "link").symlink_to("/etc/passwd")
    (kept / "charts/1.png").touch()
    assert [line.split(maxsplit=1) for line in cp(f"{NOTEBOOK}:").stdout.splitlines()] == [
        ["0", "a?[2J?.txt"], ["4", "b.txt"], ["folder", "charts"], ["not", "a file  link"]]
    assert cp(f"{NOTEBOOK}:charts").stdout.split() == ["0", "1.png"]
    refused = cp(f"{NOTEBOOK}:b.txt")
    assert refused.returncode == 1 and "where to copy this" in refused.stderr


def test_what_exists_is_replaced_only_by_force_and_a_link_not_written_through(cp, kept, out):
    (kept / "a").write_text("new")
    (out / "mine").write_text("mine")
    (out / "a").symlink_to("mine")
    done = cp(f"{NOTEBOOK}:a", ".")
    assert done.returncode == 1 and "the copy exists; --force replaces it" in done.stderr
    assert (out / "a").is_symlink()
    assert cp("--force", f"{NOTEBOOK}:a", ".").returncode == 0
    assert (out / "a").read_text() == "new" and not (out / "a").is_symlink()
    assert (out / "mine").read_text() == "mine" and names(out) == ["a", "mine"]


def test_a_folder_that_exists_is_added_to_only_by_force(cp, kept, out):
    (kept / "bin").mkdir()
    (kept / "bin/ls").write_text("theirs")
    (out / "bin").mkdir()
    done = cp(f"{NOTEBOOK}:bin", ".")
    assert done.returncode == 1 and "--force adds to it" in done.stderr
    assert names(out) == ["bin"]
    assert cp("--force", f"{NOTEBOOK}:bin", ".").returncode == 0
    assert names(out) == ["bin", "bin/ls"]


def test_a_folder_is_not_copied_through_a_link_of_the_users(cp, kept, out, tmp_path):
    (kept / "d").mkdir()
    (kept / "d/a").touch()
    (tmp_path / "elsewhere").mkdir()
    (out / "d").symlink_to(tmp_path / "elsewhere")
    assert cp("--force", f"{NOTEBOOK}:d", ".").returncode == 1
    assert names(tmp_path / "elsewhere") == []


def test_copies_have_the_modes_of_new_files_and_the_users_owner(cp, kept, out):
    (kept / "d").mkdir()
    (kept / "d/tool").write_text("#!/bin/sh\n")
    (kept / "d/tool").chmod(0o6755)
    (kept / "d").chmod(0o1777)
    assert cp(f"{NOTEBOOK}:d", ".").returncode == 0
    mask = os.umask(0)
    os.umask(mask)
    file, folder = (out / "d/tool").stat(), (out / "d").stat()
    assert stat.S_IMODE(file.st_mode) == 0o666 & ~mask
    assert stat.S_IMODE(folder.st_mode) == 0o777 & ~mask
    assert {file.st_uid, folder.st_uid} == {os.geteuid()}


def test_links_pipes_and_sockets_cannot_be_copied(cp, kept, out):
    secret = out.parent / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    (kept / "d").mkdir()
    (kept / "d/to a file").symlink_to(secret / "key")
    (kept / "d/to a folder").symlink_to(secret)
    os.mkfifo(kept / "d/pipe")
    here = os.getcwd()
    os.chdir(kept / "d")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("socket")
    os.chdir(here)
    (kept / "d/good").write_text("good")
    done = cp(f"{NOTEBOOK}:d", ".")
    assert done.returncode == 1 and "1 copied, 4 left out" in done.stderr
    assert names(out) == ["d", "d/good"]
    assert cp(f"{NOTEBOOK}:d/to a folder/key", ".").returncode == 1
    assert cp(f"{NOTEBOOK}:d/to a file", ".").returncode == 1
    assert names(out) == ["d", "d/good"]


@pytest.mark.parametrize("path", ["../../../secret", "/etc/passwd", "d/../../x", "./a", "d//a"])
def test_a_path_cannot_lead_out(cp, kept, out, path):
    (kept / "d").mkdir()
    done = cp(f"{NOTEBOOK}:{path}", ".")
    assert done.returncode == 1 and "name a path below the cells' folder" in done.stderr
    assert names(out) == []


def test_the_kept_folder_itself_cannot_be_a_link(cp, kept, out, tmp_path):
    kept.rmdir()
    kept.symlink_to(tmp_path)
    assert cp("/tmp:", "all").returncode == 1
    assert names(out) == []


def test_hidden_names_come_only_if_they_are_named(cp, kept, out):
    (kept / ".profile").write_text("rm -rf ~")
    (kept / "a").touch()
    done = cp(f"{NOTEBOOK}:", "all")
    assert done.returncode == 0 and "1 names in folders are left out" in done.stderr
    assert names(out) == ["all", "all/a"]
    assert cp(f"{NOTEBOOK}:.profile", ".").returncode == 0
    assert (out / ".profile").exists()


def test_names_cannot_steer_a_terminal(cp, kept, out):
    (kept / "a\x1b]0;title\x07\nok").touch()
    (kept / "b\u202egpj.exe").touch()
    os.close(os.open(os.fsencode(kept) + b"/\xff\x9b2J", os.O_CREAT))
    done = cp(f"{NOTEBOOK}:", "all")
    assert done.returncode == 1 and "0 copied, 3 left out" in done.stderr
    assert done.stderr.count("\n") == 4 and done.stderr.replace("\n", "").isprintable()
    assert done.stderr.isascii() and names(out) == ["all"]


def test_what_an_error_quotes_cannot_steer_a_terminal(cp):
    told = cp("\x1b[2J\u009b1m/é.ipynb:x", "copy")
    assert told.returncode == 1 and "?[2J?1m/é.ipynb" in told.stderr


def test_what_is_told_of_many_is_bounded(cp, kept):
    for i in range(500):
        (kept / f"link {i}").symlink_to("/etc/passwd")
    done = cp(f"{NOTEBOOK}:", "all")
    assert "0 copied, 500 left out" in done.stderr and done.stderr.count("\n") == 21
    assert done.stderr.startswith("cellpod: link ")


def test_a_deep_tree_is_copied_to_a_bound(cp, kept, out):
    at = os.open(kept, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=at)
        deeper = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = deeper
    os.close(at)
    done = cp(f"{NOTEBOOK}:", "all")
    assert done.returncode == 1 and "it is too deep" in done.stderr
    assert len(names(out)) == 17


def test_a_huge_sparse_file_takes_no_room(cp, kept, out):
    with (kept / "huge").open("wb") as file:
        file.truncate(1 << 28)
        file.seek(1 << 27)
        file.write(b"x" * 4096)
    done = cp(f"{NOTEBOOK}:huge", ".")
    assert (done.stderr, done.returncode) == ("", 0)
    copy = (out / "huge").stat()
    assert copy.st_size == 1 << 28 and copy.st_blocks * 512 < 1 << 20
    with (out / "huge").open("rb") as file:
        file.seek(1 << 27)
        assert file.read(4097) == b"x" * 4096 + b"\0"


def test_a_copy_that_cannot_be_written_leaves_no_half(cp, kept, out):
    (kept / "a").write_bytes(b"x" * 100_000)
    done = cp(f"{NOTEBOOK}:a", ".", limit=10_000)
    assert done.returncode == 1 and "write the copy" in done.stderr
    assert names(out) == []


@pytest.mark.parametrize("options", [(), ("--force",)])
def test_one_that_is_killed_leaves_nothing(cp, kept, out, options):
    (kept / "a").write_bytes(b"x" * 100_000)
    (out / "a").write_text("old") if options else None
    before = names(out)
    done = cp(f"{NOTEBOOK}:a", ".", *options, limit=10_000, action=signal.SIG_DFL)
    assert done.returncode == -signal.SIGXFSZ
    assert names(out) == before
    assert not options or (out / "a").read_text() == "old"


@pytest.mark.parametrize("words, status, text", [
    ((), 2, "NOTEBOOK:PATH"),
    (("--forse", "/tmp:a", "."), 2, "unexpected `--forse'"),
    (("/tmp:a", ".", "b"), 2, "unexpected `b'"),
    (("a.csv", "."), 1, "NOTEBOOK:PATH, such as"),
    (("/tmp:missing", "."), 1, "find missing among the files of the cells"),
    (("/no/such/a.ipynb:x", "."), 1, "find the folder of /no/such/a.ipynb"),
    (("/tmp:a", "/no/such/folder/x"), 1, "/no/such/folder/x"),
    (("/tmp:a", "missing/"), 1, "there is no folder missing/"),
    (("/usr:", "all"), 1, "none has run there"),
])
def test_what_is_wrong_is_said(cp, kept, out, words, status, text):
    (kept / "a").touch()
    done = cp(*words)
    assert done.returncode == status and text in done.stderr
    assert names(out) == []


def test_an_ordinary_folder_has_its_files_itself(cp, out):
    done = cp(f"{out}/a.ipynb:x", ".")
    assert done.returncode == 1 and f"cells of notebooks in {out} work in that folder itself" in done.stderr
