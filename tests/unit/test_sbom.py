"""`make sbom` lists what is there. That the format is right is checked by that target itself."""

import hashlib
import json
import re
import subprocess
import sys

import pytest

from support.kernel import REPOSITORY

BUILD = REPOSITORY / "build"


@pytest.fixture(scope="module")
def parts() -> dict[str, dict]:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tools/sbom", BUILD], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {part["bom-ref"]: part for part in json.loads(done.stdout)["components"]}


@pytest.mark.parametrize("name", ["cellpod", "cellpod-kernel", "cellpod-sandboxd"])
def test_each_program_is_there_by_its_digest(parts, name):
    (digest,) = parts[f"built/{name}"]["hashes"]
    assert digest["content"] == hashlib.sha256((BUILD / "bin" / name).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "package",
    [
        "libc6",
        "libczmq4",
        "libcurl4",
        "libjansson4",
        "libpng16-16",
        "libssl3",
        "libxml2",
        "libzmq5",
    ],
)
def test_each_library_is_there_by_its_debian_package(parts, package):
    """Also those that are opened by name: libcurl and libxml2."""
    wanted = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert parts[f"debian/{package}"]["version"] == wanted


def test_each_pinned_package_is_there(parts):
    for pins in ("cellpod.txt", "jupyter.txt"):
        text = (REPOSITORY / "requirements" / pins).read_text()
        for name, version in re.findall(r"^([\w.-]+)==([^ ;\\]+)", text, re.M):
            assert f"python/{name}@{version}" in parts
    assert parts[
        "python/"
        + re.search(r"^pandas==\S+", (REPOSITORY / "requirements/cellpod.txt").read_text(), re.M)[
            0
        ].replace("==", "@")
    ]["licenses"]
