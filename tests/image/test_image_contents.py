"""What is in the images, and what is not."""

import json
import re

import pytest

from support import images
from support.images import UID, podman

IMAGES = ("sandbox", "jupyter")


@pytest.fixture(scope="module", params=IMAGES)
def image(request):
    return request.param


def run(image: str, script: str, *options: str) -> str:
    """What a shell prints in a container of it."""
    return podman("run", "--rm", "--network=none", *images.TEMPLATE, *options, "--entrypoint=sh",
                  f"cellpod-{image}:test", "-c", script)


def run_as_root(image: str, script: str) -> str:
    return run(image, script, "--user=0", "--cap-add=dac_read_search")


@pytest.fixture(scope="module")
def config(image):
    return json.loads(podman("image", "inspect", f"cellpod-{image}:test"))[0]["Config"]


@pytest.fixture(scope="module")
def files(image):
    """Every file of the image: its type, mode, owner and path."""
    lines = run_as_root(image, r"find / \( -path /proc -o -path /sys -o -path /dev \) -prune -o "
                               r"-printf '%y %m %U:%G %p\n'")
    return [line.split(" ", 3) for line in lines.splitlines()]


def test_it_runs_as_an_ordinary_user_of_a_number(config):
    assert config["User"] == f"{UID}:{UID}"


def test_it_answers_where_the_manifests_say(image, config):
    port, started = {
        "sandbox": ("8888/tcp", ["cellpod-sandboxd"]),
        "jupyter": ("8889/tcp", []),
    }[image]
    assert list(config["ExposedPorts"]) == [port]
    assert config.get("Entrypoint", []) == started


def test_nothing_of_the_builder_is_kept(config, files):
    kept = json.dumps(config)
    assert not re.search(r"PIP_|proxy|index|ca\.pem", kept, re.IGNORECASE)
    paths = {path for _, _, _, path in files}
    assert not {"/etc/pip.conf", "/run/secrets", "/strip-root", "/src", "/etc/apt/sources.list"} & paths


def test_no_program_gives_a_privilege(files):
    assert [path for kind, mode, _, path in files if kind != "l" and int(mode, 8) & 0o6000] == []


def test_no_file_can_be_written_but_where_it_works(image, files):
    places = {"sandbox": ["/tmp", "/workspace"], "jupyter": ["/home/jovyan", "/tmp"]}[image]
    writable = [path for kind, mode, owner, path in files
                if kind != "l" and (int(mode, 8) & 0o002 or str(UID) in owner.split(":"))]
    assert sorted(p for p in writable if p not in ("/var/tmp", "/var/lock", "/run/lock")) == places


TOOLS = """
    gcc cc c++ clang tcc as ld ld.bfd make cmake perl gdb strace
    apt apt-get dpkg su sudo login passwd chsh newgrp adduser useradd
    mount umount unshare nsenter setpriv capsh losetup fsck mkfs
    curl wget nc ssh telnet openssl ip ping git""".split()
FOLDERS = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/cellpod/bin", "/opt/jupyter/bin")


def test_no_tool_builds_becomes_somebody_mounts_or_reaches_out(files):
    programs = {path.rpartition("/") for _, _, _, path in files}
    assert [name for folder, _, name in programs if folder in FOLDERS and name in TOOLS] == []


def test_no_headers_and_no_static_libraries(files):
    assert [path for _, _, _, path in files if path.endswith((".a", "/Python.h"))] == []


def test_no_secret_and_no_user_but_its_own(image, files):
    paths = {path for _, _, _, path in files}
    assert not {"/etc/shadow", "/etc/gshadow", "/etc/machine-id", "/root/.bashrc", "/etc/fstab"} & paths
    user = {"sandbox": "sandbox", "jupyter": "jovyan"}[image]
    assert run(image, "cut -d: -f1 /etc/passwd").split() == ["root", user, "nobody"]


def test_every_library_is_there(image):
    """Also those that are loaded when they are needed: libcurl and libxml2, by the kernel."""
    programs = "/usr/local/bin/* /usr/local/lib/cellpod/*"
    assert "not found" not in run(image, f"for p in {programs}; do ldd $p; done")
    if image == "jupyter":
        known = run(image, "/usr/sbin/ldconfig -p")
        assert "libcurl.so.4" in known and "libxml2.so.2" in known


def test_scanners_find_what_is_installed(image):
    listed = run(image, "grep ^Package: /var/lib/dpkg/status")
    assert "Package: libssl3" in listed and "Package: apt\n" not in listed


LISTED = """
import importlib.metadata, json, re
print(json.dumps([[re.sub("[-_.]+", "-", d.name).lower(), d.version] for d in importlib.metadata.distributions()]))
"""
PYTHONS = {"sandbox": ("/opt/cellpod", "cellpod"), "jupyter": ("/opt/jupyter", "jupyter")}


def test_the_packages_are_the_pinned_ones(image):
    root, pins = PYTHONS[image]
    pinned = re.findall(r"^([a-z][-a-z0-9]*)==([^ ]+)", (images.REPOSITORY / f"requirements/{pins}.txt").read_text(),
                        re.MULTILINE)
    found = json.loads(run(image, f"{root}/bin/python -c '{LISTED}'"))
    assert len(found) > 30 and {tuple(package) for package in found} <= set(pinned)


def test_bytecode_is_there_already(image):
    root, _ = PYTHONS[image]
    said = run(image, f"{root}/bin/python -v -c 'import traitlets, wcwidth' 2>&1")
    assert f"code object from '{root}/lib" in said and not re.search(r"code object from '[^']*\.py'", said)


def test_it_starts_under_a_hub():
    assert re.match(r"\d+\.\d+", run("jupyter", "jupyterhub-singleuser --version"))


def test_sizes_are_told(image):
    size = int(podman("image", "inspect", "--format", "{{.Size}}", f"cellpod-{image}:test"))
    print(f"\ncellpod-{image}: {size / 1e6:.0f} MB")
    assert size < {"sandbox": 800e6, "jupyter": 1000e6}[image]
