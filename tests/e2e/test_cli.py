"""The command line: run, ps, rm, install, doctor."""

import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from support.cli import PROGRAM, PYTHON, cellpod
from support.kernel import BUILD, REPOSITORY

pytestmark = pytest.mark.cellpod_only("cellpod's own command line")


@pytest.fixture
def folder(laboratory, tmp_path):
    """A workspace, in a laboratory whose sandboxd the commands find."""
    path = tmp_path / "work"
    path.mkdir()
    return path


def run(folder, code, *words, **options):
    return cellpod("run", "-c", code, *words, cwd=folder, **options)


# --- run ------------------------------------------------------------------------------------


def test_run_has_the_streams_and_the_status_of_python(folder):
    done = run(folder, "import sys; print('out'); print('err', file=sys.stderr); 6 * 7")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 0)


@pytest.mark.parametrize("code, status", [
    ("import sys; sys.exit(3)", 3),
    ("import sys; sys.exit()", 0),
    ("import sys; sys.exit('why')", 1),
    ("1 / 0", 1),
    ("def", 1),
    ("import os; os._exit(7)", 7),
    ("import os; os.kill(os.getpid(), 9)", 137),
])
def test_run_ends_with_the_status_that_python_would_give(folder, code, status):
    assert run(folder, code).returncode == status


def test_run_tells_an_exception_on_stderr_without_colours(folder):
    done = run(folder, "print('before')\n1 / 0")
    assert done.stdout == "before\n"
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert "\033" not in done.stderr


def test_run_gives_a_program_its_name_and_arguments(folder):
    (folder / "program.py").write_text(
        "from __future__ import annotations\nimport sys\n"
        "print(sys.argv, __file__, __name__)\n")
    done = cellpod("run", "program.py", "a b", "--out", "ü", cwd=folder)
    assert done.stdout == "['program.py', 'a b', '--out', 'ü'] program.py __main__\n"
    done = cellpod("run", "-", "x", cwd=folder, stdin="import sys; print(sys.argv)")
    assert done.stdout == "['-', 'x']\n"


def test_run_answers_input_from_stdin_and_does_not_wait_past_its_end(folder):
    done = run(folder, "print('hello', input('name? '))", stdin="bob\n")
    assert (done.stdout, done.returncode) == ("name? hello bob\n", 0)
    done = run(folder, "input()")
    assert done.returncode == 130


def test_run_writes_pictures_into_files_and_overwrites_none(folder):
    code = "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show(); display({1: 2})"
    for expected in ("charts/001.png\n{1: 2}\n", "charts/002.png\n{1: 2}\n"):
        done = cellpod("run", "--out", "charts", "-c", code, cwd=folder)
        assert (done.stdout, done.returncode) == (expected, 0), done.stderr
    for name in ("001.png", "002.png"):
        assert (folder / "charts" / name).read_bytes().startswith(b"\x89PNG")


def test_run_sees_the_folder_and_nothing_else_of_the_users(folder):
    (folder / "data.txt").write_text("here")
    (folder.parent / "secret.txt").write_text("not here")
    done = run(folder, "print(open('data.txt').read()); open('../secret.txt')")
    assert done.stdout == "here\n" and "FileNotFoundError" in done.stderr


def test_run_takes_the_settings_as_options(folder):
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    assert cellpod("run", "--open-files", "321", "-c", code, cwd=folder).stdout == "321\n"
    done = cellpod("run", "--open-files", "many", "-c", code, cwd=folder)
    assert done.returncode == 2 and "open" in done.stderr


def test_an_interrupt_ends_what_runs(folder):
    command = [PROGRAM, "run", "-c", "print('on', flush=True)\nimport time\ntime.sleep(600)"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "CELLPOD_PYTHON": str(PYTHON)}) as process:
        assert process.stdout.readline() == "on\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=600)
    assert process.returncode == 130 and "KeyboardInterrupt" in told


# --- ps and rm ------------------------------------------------------------------------------


def test_ps_lists_what_runs_and_rm_ends_it(folder):
    command = [PROGRAM, "run", "-c", "print('on', flush=True)\nimport time\ntime.sleep(600)"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "CELLPOD_PYTHON": str(PYTHON)}) as process:
        assert process.stdout.readline() == "on\n"
        known = json.loads(cellpod("ps", "--json").stdout)["sandboxes"]
        (mine,) = [s for s in known if s.get("workspace") == str(folder)]
        assert mine["owner"]["pid"] == process.pid
        assert mine["running"]["type"] == "execute_request"
        lines = cellpod("ps").stdout.splitlines()
        assert lines[0].split() == ["ID", "OWNER", "AGE", "MEMORY", "RUNS", "FOLDER"]
        (line,) = [line for line in lines if str(folder) in line]
        assert re.search(rf" {process.pid} +\d+s +\d+M +execute_request ", line)
        assert cellpod("rm", mine["id"][:10]).returncode == 0
        _, told = process.communicate(timeout=600)
    assert process.returncode == 1 and "the sandbox has ended: it was deleted" in told
    assert str(folder) not in cellpod("ps").stdout


def test_warm_starts_a_python_that_waits_for_notebooks():
    """In folders of its own, with short names: no sandboxd runs there yet."""
    with tempfile.TemporaryDirectory(prefix="cellpod-", dir="/tmp") as base:
        env = {"XDG_RUNTIME_DIR": f"{base}/runtime", "XDG_STATE_HOME": f"{base}/state"}
        for folder in env.values():
            os.mkdir(folder, mode=0o700)
        runtime, log = Path(base, "runtime"), Path(base, "state/cellpod/sandboxd.log")
        assert cellpod("ps", env=env).returncode == 0
        assert not list(runtime.rglob("*.sock"))
        try:
            for _ in range(2):  # the second time it is there
                done = cellpod("warm", env=env)
                assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
            deadline = time.monotonic() + 120
            while "zygote ready" not in log.read_text():
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.01)
        finally:
            end_daemon(next(runtime.rglob("*.sock")))
        assert cellpod("warm", "now", env=env).returncode == 2


def end_daemon(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
        peer = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    gone = os.pidfd_open(struct.unpack("3i", peer)[0])
    signal.pidfd_send_signal(gone, signal.SIGTERM)
    select.select([gone], [], [], 120)
    os.close(gone)


def test_rm_refuses_what_is_none_or_several(folder):
    done = cellpod("rm", "zz")
    assert done.returncode == 1 and "no sandbox begins with `zz'" in done.stderr


# --- doctor ---------------------------------------------------------------------------------


def checks_of(done) -> dict:
    report = json.loads(done.stdout)
    assert report["ok"] == (done.returncode == 0)
    return {check["name"]: check for check in report["checks"]}


def test_doctor_finds_this_machine_well_and_runs_a_cell(folder):
    done = cellpod("doctor", "--json", cwd=folder)
    checks = checks_of(done)
    assert done.returncode == 0, done.stdout
    for name in ("processes", "files", "network", "limits", "users", "privileges", "landlock",
                 "seccomp", "workspace", "python", "start", "cell"):
        assert checks[name]["status"] == "ok", checks[name]
    assert str(folder) in checks["workspace"]["detail"]
    text = cellpod("doctor", cwd=folder)
    assert text.returncode == 0 and "Everything that sandboxes need works." in text.stdout


def test_doctor_prints_the_walls_from_the_tables_of_the_filter(folder):
    text = cellpod("doctor", "--walls", cwd=folder)
    assert text.returncode == 0
    for words in ("seccomp", "memory", "system calls are allowed", "openat", "fcntl: argument 1 = 0x406",
                  "prctl: argument 0 = 0xf ", "renameat2: argument 4 & 0x4 = 0x4", "clone3, openat2, and calls newer"):
        assert words in text.stdout, words
    assert " ptrace" not in text.stdout
    assert cellpod("doctor", "--walls", "--json", cwd=folder).returncode == 2


def test_the_page_on_security_has_the_layers_that_the_doctor_prints(folder):
    said = cellpod("doctor", "--walls", cwd=folder).stdout.split("\n\n")[0]
    layers = re.findall(r"^  (\w+) +takes away (.*?)(; cannot be waived)?$", said, re.MULTILINE)
    page = (REPOSITORY / "docs/security.md").read_text()
    assert len(layers) == 8
    for name, takes, stays in layers:
        assert f"| {name} | {takes} | {'no' if stays else 'yes'} |\n" in page


def test_doctor_names_a_python_without_ipython_and_the_remedy(folder):
    done = cellpod("doctor", "--json", cwd=folder, env={"CELLPOD_PYTHON": "/usr/bin/python3"})
    start = checks_of(done)["start"]
    assert done.returncode == 1 and start["status"] == "failed"
    assert start["remedy"].startswith("/usr/bin/python3 -m pip install ipython")


def test_doctor_tells_of_a_waived_layer(folder):
    checks = checks_of(cellpod("doctor", "--json", cwd=folder, env={"CELLPOD_WAIVE": "landlock"}))
    assert checks["landlock"]["status"] == "note" and "waived" in checks["landlock"]["detail"]


def test_doctor_tells_of_a_broken_configuration(folder, tmp_path):
    (tmp_path / "config/cellpod").mkdir(parents=True)
    (tmp_path / "config/cellpod/config.json").write_text('{"sandbox": {"memroy": 1}}')
    done = cellpod("doctor", "--json", cwd=folder, env={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    settings = checks_of(done)["settings"]
    assert done.returncode == 1 and settings["status"] == "failed"
    assert "memroy" in settings["detail"]


def test_doctor_tells_where_a_key_comes_from_and_never_the_key(folder):
    done = cellpod("doctor", cwd=folder, env={
        "ANTHROPIC_API_KEY": "sk-very-secret", "CELLPOD_MODEL": "anthropic/some-model"})
    assert "ANTHROPIC_API_KEY" in done.stdout
    assert "sk-very-secret" not in done.stdout + done.stderr


# --- install, and how it is used -------------------------------------------------------------


def test_install_writes_a_kernelspec_that_starts_this_build(tmp_path):
    done = cellpod("install", "--prefix", tmp_path, "--python", PYTHON)
    assert done.returncode == 0, done.stderr
    place = tmp_path / "share/jupyter/kernels/cellpod"
    spec = json.loads((place / "kernel.json").read_text())
    assert spec["argv"][0] == str(BUILD / "bin/cellpod-kernel")
    assert spec["env"]["CELLPOD_PYTHON"] == str(PYTHON)
    assert (place / "logo-64x64.png").is_file()
    assert sorted(p.name for p in place.iterdir()) == [
        "kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"]


def test_install_for_the_user_goes_where_jupyter_looks(laboratory):
    done = cellpod("install")
    assert done.returncode == 0, done.stderr
    path = f"{os.environ['JUPYTER_DATA_DIR']}/kernels/cellpod/kernel.json"
    assert json.load(open(path))["display_name"] == "Python (cellpod)"


@pytest.mark.parametrize("words", [
    [], ["bogus"], ["run"], ["run", "-c"], ["run", "--bogus", "x"], ["ps", "--bogus"], ["rm"],
    ["rm", "-f"], ["doctor", "--bogus"], ["install", "--bogus"], ["install", "--prefix"],
    ["install", "--user", "--sys-prefix"],
])
def test_wrong_usage_is_told_and_has_status_2(words):
    done = cellpod(*words)
    assert done.returncode == 2 and "cellpod --help" in done.stderr and not done.stdout


@pytest.mark.parametrize("program", ["cellpod", "cellpod-kernel", "cellpod-sandboxd",
                                     "cellpod-runsc"])
def test_each_program_says_the_version(program):
    version = (BUILD.parent / "VERSION").read_text().strip()
    done = subprocess.run([BUILD / "bin" / program, "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert re.fullmatch(rf"{program} {re.escape(version)} \([0-9a-f]{{12}}\)\n", done.stdout)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"],
                                   ["doctor", "--help"]])
def test_help_is_for_stdout(words):
    done = cellpod(*words)
    assert done.returncode == 0 and done.stdout and not done.stderr
