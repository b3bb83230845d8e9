"""%pip install: from an index that is listed, through the proxy, into this sandbox."""

import base64
import hashlib
import io
import json
import zipfile

import pytest

from support.client import START
from support.servers import Web

pytestmark = pytest.mark.cellpod_only("other kernels install into their own environment")


def wheel(name: str, version: str, files: dict[str, str], requires: tuple[str, ...] = ()) -> bytes:
    """A wheel of pure Python, made by hand (PEP 427)."""
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {line}\n" for line in requires)
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                         "Tag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record += f"{path},sha256={digest.decode()},{len(text.encode())}\n"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as out:
        for path, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            out.writestr(path, text)
    return archive.getvalue()


def index(**wheels: bytes) -> dict[str, bytes]:
    """The pages of a package index (PEP 503) with these wheels, by file name."""
    pages = {}
    for file, content in wheels.items():
        name = file.split("-")[0]
        digest = hashlib.sha256(content).hexdigest()
        link = f'<a href="/files/{file}#sha256={digest}">{file}</a>'
        pages[f"/simple/{name}/"] = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()
        pages[f"/files/{file}"] = content
    return pages


GREETING = wheel("greeting", "1.0", {
    "greeting.py": "def hello():\n    return 'hello from a wheel'\n\n"
                   "def main():\n    print(hello())\n",
    "greeting-1.0.dist-info/entry_points.txt": "[console_scripts]\ngreet = greeting:main\n",
}, requires=("numpy",))
NUMPY = wheel("numpy", "99.0", {"numpy/__init__.py": "__version__ = '99.0'\n"})


@pytest.fixture
def web():
    with Web(pages=index(**{"greeting-1.0-py3-none-any.whl": GREETING,
                            "numpy-99.0-py3-none-any.whl": NUMPY})) as web:
        yield web


@pytest.fixture
def start(start_kernel, tmp_path):
    """A client of a kernel whose sandbox reaches these hosts."""
    def start(*allow: str, **env: str):
        network = {"mode": "list", "allow": list(allow)} if allow else {"mode": "none"}
        (tmp_path / "cellpod").mkdir()
        (tmp_path / "cellpod/config.json").write_text(json.dumps(
            {"sandbox": {"network": network, "env_passthrough": list(env)}}))
        kernel = start_kernel(env={"XDG_CONFIG_HOME": str(tmp_path), **env})
        return kernel.ready_client()
    return start


def test_pip_installs_what_is_missing_and_nothing_else(start, web):
    client = start(web.where, PIP_INDEX_URL=f"http://{web.where}/simple")
    told = client.run("%pip install greeting", timeout=START)
    assert "Successfully installed greeting-1.0\n" in told.stdout
    assert client.run("import greeting; print(greeting.hello())").stdout == "hello from a wheel\n"
    assert client.run("print(greeting.__file__[:20])").stdout == "/home/sandbox/.venv/\n"
    assert {path for _, path, _ in web.seen} == {
        "/simple/greeting/", "/files/greeting-1.0-py3-none-any.whl"}
    # The same for what a cell starts, and after the worker was replaced.
    assert client.run("!greet").stdout.strip() == "hello from a wheel"
    assert client.run("!python -c 'import greeting, numpy; print(greeting.hello())'"
                      ).stdout.strip() == "hello from a wheel"
    client.execute("import os; os._exit(0)")
    assert client.run("import greeting; print(greeting.hello())").stdout == "hello from a wheel\n"


def test_pip_from_the_shell_installs_to_the_same_place(start, web):
    client = start(web.where, PIP_INDEX_URL=f"http://{web.where}/simple")
    client.run("!pip install -q greeting", timeout=START)
    assert client.run("import greeting; print(greeting.hello())").stdout == "hello from a wheel\n"


def test_a_newer_version_of_what_is_imported_is_installed_beside_it_and_told(start, web):
    client = start(web.where, PIP_INDEX_URL=f"http://{web.where}/simple")
    told = client.run("import numpy\n%pip install --upgrade numpy", timeout=START)
    assert "Successfully installed numpy-99.0\n" in told.stdout
    assert "unchanged until this sandbox ends: numpy" in told.stderr
    assert client.run("print(numpy.__version__ == '99.0')").stdout == "False\n"
    assert client.run("!python -c 'import numpy; print(numpy.__version__)'"
                      ).stdout.strip() == "99.0"


def test_an_index_that_is_not_listed_is_named(start):
    client = start("pypi.org", PIP_INDEX_URL="https://index.example/simple")
    told = client.run("%pip install greeting", timeout=START)
    assert told.stderr.count("cellpod: index.example:443 is not allowed for this sandbox: add") == 1


def test_a_wheel_from_the_workspace_needs_no_network(start, laboratory):
    file = laboratory.work / "greeting-1.0-py3-none-any.whl"
    file.write_bytes(GREETING)
    client = start()
    try:
        told = client.run(f"%pip install {file.name}", timeout=START)
        assert "Successfully installed greeting-1.0\n" in told.stdout
        assert client.run("import greeting; print(greeting.hello())").stdout == (
            "hello from a wheel\n")
    finally:
        file.unlink()


def test_without_a_network_the_remedy_is_told(start):
    told = start().run("%pip install no-such-package-here", timeout=START)
    assert '"network": {"mode": "list"' in told.stderr
    assert "-m pip install no-such-package-here" in told.stderr
