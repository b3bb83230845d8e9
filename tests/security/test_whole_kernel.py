"""The same through everything: a Jupyter client, the kernel, sandboxd, a cell."""

import json
import os
import socket
import subprocess

import psutil
import pytest

from support.zygote_client import PATIENCE, PYTHON

from .conftest import SECRET
from .counterparts import works_where_it_may

# Runs as the user: starts the kernel as JupyterLab does, runs one cell, prints its output.
CLIENT = """
import sys
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="cellpod", cwd=sys.argv[1])
try:
    reply = client.execute_interactive(sys.argv[2], timeout=120, output_hook=lambda message:
        print(message["content"].get("text", ""), end=""))
    if reply["content"]["status"] != "ok":
        print(reply["content"]["evalue"])
finally:
    client.stop_channels()
    manager.shutdown_kernel()
"""

CELL = """
import json, os, socket
def tried(function, *arguments):
    try:
        return str(function(*arguments))
    except OSError as error:
        return type(error).__name__
print(json.dumps({
    "diary": tried(open, %(home)r + "/diary.txt"),
    "key": tried(open, %(home)r + "/.ssh/id_ed25519"),
    "home": tried(os.listdir, %(home)r),
    "data": open("data.csv").read(),
    "notebook": tried(open, "analysis.ipynb", "a"),
    "loopback": tried(socket.create_connection, ("127.0.0.1", %(port)d)),
    "outside": tried(socket.create_connection, ("192.0.2.1", 80)),
    "processes": sorted(tried(lambda: open(f"/proc/{p}/comm").read().strip())  # it may end meanwhile
                        for p in os.listdir("/proc") if p.isdigit()),
    "secrets": [k for k, v in os.environ.items() if %(secret)r in v],
    "uid": os.getuid(),
}))
"""


def run_cell(user, code: str) -> str:
    runtime = user.home / "run"
    if not runtime.exists():
        user.folder(runtime)
        runtime.chmod(0o700)
        for folder in (user.home / ".config", user.home / ".config/cellpod"):
            if not folder.exists():
                user.folder(folder)
        kind = "runsc" if user.is_under_runsc else "namespaces"
        user.write(user.home / ".config/cellpod/config.json",
                   json.dumps({"sandbox": {"runtime": kind}}))
    env = {"PATH": os.environ["PATH"], "HOME": str(user.home), "LANG": "C.UTF-8",
           "XDG_RUNTIME_DIR": str(runtime), "CELLPOD_IDLE_EXIT_SECONDS": "1",
           "A_TOKEN_OF_THE_SERVER": SECRET}
    done = subprocess.run([PYTHON, "-c", CLIENT, str(user.workspace), code], text=True,
                          capture_output=True, timeout=2 * PATIENCE, env=env, cwd="/", **user.credentials)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_for_sandboxd_to_leave(user):
    ours = [p for p in psutil.process_iter(["cmdline"])
            if any(f"{user.home}/run/" in word for word in p.info["cmdline"] or [])]
    _, alive = psutil.wait_procs(ours, timeout=PATIENCE)
    assert not alive, alive


HERE = {
    "home": "['notebooks']",
    "processes": ["cellpod-init", "cellpod-worker"],
    "uid": 1000,
}
# gVisor in a user namespace of an ordinary user's (runsc --rootless): 0 is that user.
UNDER_GVISOR = {
    "home": "FileNotFoundError",
    "processes": ["cellpod-init", "cellpod-sandbox", "cellpod-worker", "python"],
    "uid": 0,
}


@pytest.mark.timeout(1200)
def test_a_cell_cannot_reach_what_is_not_its_own(user):
    if user.name == "root-runsc":
        pytest.skip("not under runsc: as root in tests/e2e/test_runsc.py")
    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {"home": str(user.home), "port": server.getsockname()[1], "secret": SECRET}
        outside = subprocess.run([PYTHON, "-c", CELL % given], text=True, capture_output=True, check=True,
                                 env={"HOME": str(user.home), "A_TOKEN_OF_THE_SERVER": SECRET},
                                 cwd=user.workspace, **user.credentials)
        reached = json.loads(outside.stdout)
        seen = json.loads(run_cell(user, CELL % given))
    wait_for_sandboxd_to_leave(user)
    for name in ("diary", "key", "notebook", "loopback"):
        works_where_it_may("Error" not in reached[name] and "Refused" not in reached[name])
    works_where_it_may(reached["secrets"] and len(reached["processes"]) > len(seen["processes"]))
    assert seen == {
        "diary": "FileNotFoundError",
        "key": "FileNotFoundError",
        "data": "a,b\n1,2\n",
        "notebook": "OSError",
        "loopback": "ConnectionRefusedError",
        "outside": "OSError",
        "secrets": [],
    } | (UNDER_GVISOR if user.is_under_runsc else HERE)
