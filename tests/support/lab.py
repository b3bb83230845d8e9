"""A JupyterLab server, and notebooks of it that are open in a browser."""

import json
import os
import secrets
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect

from support import processes
from support.client import START
from support.grammars import WITHOUT_GRAMMARS
from support.kernel import REPOSITORY, environment, free_ports
from support.watch import wait_for_file

SCREENSHOTS = REPOSITORY / "build/screenshots"
# A page that never comes: what is slow on a busy machine is no failure. A test's own limit
# (pytest-timeout) is longer.
NEVER_MS = 600_000
expect.set_options(timeout=NEVER_MS)

# JupyterLab as `python -m jupyterlab` runs it. The file that it writes about itself comes before
# it listens.
LISTENING = f"""
import pathlib, sys
{WITHOUT_GRAMMARS}
from jupyter_server.serverapp import ServerApp
from jupyterlab.labapp import main

bind = ServerApp._bind_http_server

def bind_and_say(self):
    bind(self)
    pathlib.Path(sys.argv[1]).write_text("listening")

ServerApp._bind_http_server = bind_and_say
sys.exit(main(sys.argv[2:]))
"""


class Lab:
    """A JupyterLab server with its own port, token and folders."""

    def __init__(self, laboratory, name: str = "lab"):
        self.folder = laboratory.folder(name)
        self.kernel_name = laboratory.kernel_name
        self.token = secrets.token_hex(16)
        self.port, = free_ports(1)
        self.log = laboratory.root / f"{name}.log"
        leave_out_what_asks_others()
        self.start()

    def start(self) -> None:
        listening = self.log.with_suffix(".listening")
        listening.unlink(missing_ok=True)
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self._command(listening), cwd=self.folder, env=environment(), stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)
        wait_for_file(listening, bool, START)

    def _command(self, listening: Path) -> list[str]:
        return [sys.executable, "-c", LISTENING, str(listening), "--no-browser", "--allow-root",
                f"--ServerApp.port={self.port}", "--ServerApp.port_retries=0",
                f"--IdentityProvider.token={self.token}",
                f"--ServerApp.root_dir={self.folder}", "--LabApp.extension_manager=readonly"]

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def api(self, method: str, path: str) -> None:
        request = urllib.request.Request(self.url(path), method=method,
                                         headers={"Authorization": f"token {self.token}"})
        urllib.request.urlopen(request, timeout=START).read()

    def write(self, name: str, *sources: str) -> None:
        notebook = new_notebook(
            cells=[new_code_cell(source) for source in sources],
            metadata={"kernelspec": {"name": self.kernel_name, "display_name": self.kernel_name,
                                     "language": "python"}})
        nbformat.write(notebook, self.folder / name)

    def kill(self) -> None:
        """Without a word to its kernels; `start` makes it anew, at the same address."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        tree = processes.descendants(self.process.pid)
        own = [p for p in tree if "cellpod-sandboxd" not in str([q.name() for q in p.parents()])
               and p.name() != "cellpod-sandboxd"]
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(START)
        processes.assert_all_end(own, "JupyterLab's children")


def leave_out_what_asks_others() -> None:
    """News, and whether JupyterLab is to be built anew: for that it runs node and yarn."""
    folder = Path(os.environ["JUPYTER_CONFIG_DIR"]) / "labconfig"
    folder.mkdir(exist_ok=True)
    (folder / "page_config.json").write_text(json.dumps({
        "disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True},
        "buildAvailable": False, "buildCheck": False}))


class Notebook:
    """A notebook open in the browser."""

    def __init__(self, lab: Lab, page: Page, name: str):
        self.lab, self.page, self.name = lab, page, name
        page.goto(lab.url(f"/lab/tree/{name}?reset&token={lab.token}"))
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.wait_idle()

    def wait_idle(self) -> None:
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text("| Idle")

    def cell(self, index: int):
        return self.panel.locator(".jp-Cell").nth(index)

    def output(self, index: int):
        return self.cell(index).locator(".jp-OutputArea-output")

    def prompt(self, index: int):
        return self.cell(index).locator(".jp-InputPrompt")

    def menu(self, title: str, command: str) -> None:
        self.page.get_by_role("menuitem", name=title, exact=True).click()
        self.page.locator(f".lm-Menu-item[data-command='{command}']").click()

    def run_all(self) -> None:
        self.menu("Run", "runmenu:run-all")

    def run_cell(self, index: int) -> None:
        self.cell(index).locator(".jp-InputArea-editor").click()
        self.page.keyboard.press("Shift+Enter")

    def interrupt(self) -> None:
        self.menu("Kernel", "kernelmenu:interrupt")

    def restart_and_run_all(self) -> None:
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.locator(".lm-Menu-item", has_text="Restart Kernel and Run All Cells").click()
        self.page.locator(".jp-Dialog .jp-mod-accept").click()

    def picture(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")


def expect_chart(notebook: Notebook, index: int):
    image = notebook.output(index).locator("img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
    box = image.bounding_box()
    assert box["width"] > 200 and box["height"] > 150
    return image
