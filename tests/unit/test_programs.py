"""The C unit tests and fuzz corpora, as built and under ASan and UBSan; the order of the sources.

`make test` builds the programs; each is one test here, so that one summary counts everything.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILDS = {"release": REPOSITORY / "build", "asan": REPOSITORY / "build/asan"}
UNITS = sorted(p.relative_to(REPOSITORY / "tests/unit").with_suffix("")
               for p in REPOSITORY.glob("tests/unit/*/test_*.c"))
FUZZERS = sorted(p.relative_to(REPOSITORY / "tests/fuzz").with_suffix("")
                 for p in REPOSITORY.glob("tests/fuzz/*/fuzz_*.c"))
CPU_SECONDS = 300  # of one process: it hangs


# With folders for temporary files that are its own: whatever is in them afterwards was left. A
# clone that lies below one of them is there still.
OWN_FOLDERS = """
repository=$1; shift
exec 9< "$repository"
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=1777 tmpfs /var/tmp
case $repository in /tmp/* | /var/tmp/*)
    mkdir -p "$repository"
    mount --no-canonicalize --bind /proc/self/fd/9 "$repository"
    cd "$repository"
esac
exec 9<&-
before=$(find /tmp /var/tmp -xdev)
"$@" || exit
left=$(find /tmp /var/tmp -xdev)
[ "$left" = "$before" ] || { echo "left behind: $left"; exit 1; }
"""


def may_mount() -> bool:
    return os.getuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], stderr=subprocess.DEVNULL).returncode == 0


def run_alone(*command) -> None:
    if may_mount():
        run("unshare", "--mount", "sh", "-ec", OWN_FOLDERS, "sh", REPOSITORY, *command)
    else:
        run(*command)


def run(*command, **environment) -> None:
    """Ends well, within CPU_SECONDS. What it prints is shown when it does not."""
    done = subprocess.run(["prlimit", f"--cpu={CPU_SECONDS}", "--", *map(str, command)],
                          cwd=REPOSITORY, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, errors="replace",
                          env={**os.environ, **environment})
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-8000:]}"


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_unit(unit, build):
    run_alone(BUILDS[build] / "tests/unit" / unit)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("fuzzer", FUZZERS, ids=str)
def test_corpus(fuzzer, build):
    corpus = REPOSITORY / "tests/fuzz/corpus" / fuzzer.name.removeprefix("fuzz_")
    inputs = sorted(corpus.iterdir())
    assert inputs, f"{corpus} is empty"
    run_alone(BUILDS[build] / "tests/replay" / fuzzer, *inputs)


@pytest.mark.parametrize("rule", ["rooms", "headers", "format-check"])
def test_sources(rule):
    # Not as part of the make that runs the tests: its flags are not ours.
    run("make", "--no-print-directory", rule, MAKEFLAGS="")


def test_a_change_of_any_source_is_another_build(tmp_path):
    """Else new kernels would meet the old sandboxd, and its worker."""
    for name in ("Makefile", "common", "kernel", "sandbox", "bridge", "kube"):
        copy = shutil.copytree if (REPOSITORY / name).is_dir() else shutil.copy
        copy(REPOSITORY / name, tmp_path / name)

    def tag() -> str:
        subprocess.run(["make", "--silent", "build/obj/build-tag"], cwd=tmp_path, check=True,
                       env={**os.environ, "MAKEFLAGS": ""})
        return (tmp_path / "build/obj/build-tag").read_text()

    before = tag()
    assert tag() == before
    with (tmp_path / "sandbox/worker/cellpod/loop.py").open("a") as file:
        file.write("# changed\n")
    assert tag() != before
