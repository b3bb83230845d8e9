"""JupyterLab in a browser, clicked at as a person clicks."""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Page, expect, sync_playwright

from support import processes
from support.client import START
from support.kernel import REPOSITORY, environment, free_ports, tail
from support.watch import wait_for_file

pytestmark = pytest.mark.timeout(180)

SCREENSHOTS = REPOSITORY / "build/screenshots"
CHROMIUM = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]
expect.set_options(timeout=START * 1000)


class Lab:
    """A JupyterLab server with its own port, token and folders."""

    def __init__(self, laboratory):
        self.folder = laboratory.folder("lab")
        self.kernel_name = laboratory.kernel_name
        self.token = secrets.token_hex(16)
        self.port, = free_ports(1)
        self.log = laboratory.root / "lab.log"
        disable_extensions("@jupyterlab/apputils-extension:announcements")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self._command(), cwd=self.folder, env=environment(), stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)
        runtime = Path(os.environ["JUPYTER_RUNTIME_DIR"])
        wait_for_file(runtime / f"jpserver-{self.process.pid}.json", bool, START)

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
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

    def close(self) -> None:
        tree = processes.descendants(self.process.pid)
        own = [p for p in tree if "cellpod-sandboxd" not in str([q.name() for q in p.parents()])
               and p.name() != "cellpod-sandboxd"]
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(START)
        processes.assert_all_end(own, "JupyterLab's children")


def disable_extensions(*names: str) -> None:
    folder = Path(os.environ["JUPYTER_CONFIG_DIR"]) / "labconfig"
    folder.mkdir()
    (folder / "page_config.json").write_text(
        json.dumps({"disabledExtensions": dict.fromkeys(names, True)}))


@pytest.fixture(scope="module")
def lab(laboratory):
    before = processes.sandbox_processes()
    lab = Lab(laboratory)
    yield lab
    lab.close()
    processes.assert_all_end(processes.sandbox_processes() - before, "sandboxes")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        yield browser
        browser.close()


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


@pytest.fixture
def open_notebook(lab, browser, request):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text[:500]}"))
    page.on("pageerror", lambda error: said.append(f"pageerror: {error}"))

    def open_one(name: str, *sources: str) -> Notebook:
        lab.write(name, *sources)
        return Notebook(lab, page, name)

    yield open_one
    if getattr(request.node, "failed", False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"failed-{request.node.name}.png")
        print("browser console:", *said, sep="\n")
        print("server log:", tail(lab.log))
    context.close()
    refused = [line for line in said if line.startswith("pageerror")]
    assert not refused, refused


CHART = ("import uuid\nimport matplotlib.pyplot as plt\nprint('run', uuid.uuid4().hex)",
         "plt.bar(['a', 'b', 'c'], [3, 1, 2])\nplt.title('A chart');",
         "import pandas\npandas.DataFrame({'column': ['value']})")


def expect_chart(notebook: Notebook, index: int):
    image = notebook.output(index).locator("img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
    box = image.bounding_box()
    assert box["width"] > 200 and box["height"] > 150
    return image


def test_run_all_shows_a_chart(open_notebook):
    notebook = open_notebook("chart.ipynb", *CHART)
    notebook.run_all()
    expect_chart(notebook, 1)
    expect(notebook.output(2).locator("table")).to_contain_text("value")
    expect(notebook.prompt(2)).to_have_text("[3]:")
    notebook.picture("chart")


def test_restart_and_run_all(open_notebook):
    notebook = open_notebook("restart.ipynb", *CHART)
    notebook.run_all()
    expect(notebook.prompt(2)).to_have_text("[3]:")
    first = notebook.output(0).inner_text()
    notebook.restart_and_run_all()
    expect(notebook.output(0)).to_contain_text("run")
    expect(notebook.output(0)).not_to_have_text(first)
    expect(notebook.prompt(2)).to_have_text("[3]:")
    expect_chart(notebook, 1)


def test_interrupt_a_loop(open_notebook):
    notebook = open_notebook("loop.ipynb", "print('looping')\nwhile True: pass", "print('after')")
    notebook.run_all()
    expect(notebook.output(0)).to_contain_text("looping")
    expect(notebook.prompt(1)).to_have_text("[*]:")
    notebook.interrupt()
    expect(notebook.cell(0)).to_contain_text("KeyboardInterrupt")
    expect(notebook.prompt(1)).to_have_text("[ ]:")
    expect(notebook.output(1)).to_have_count(0)
    notebook.run_cell(1)
    expect(notebook.output(1)).to_contain_text("after")
    notebook.picture("interrupted")


def test_slider_moves_a_chart(open_notebook):
    notebook = open_notebook("slider.ipynb", (
        "import ipywidgets\nimport matplotlib.pyplot as plt\n"
        "@ipywidgets.interact(points=(1, 10))\ndef draw(points=2):\n"
        "    plt.plot(range(points), 'o-')\n    plt.show()\n    print('points:', points)"))
    notebook.run_all()
    expect(notebook.cell(0)).to_contain_text("points: 2")
    image = notebook.cell(0).locator("img")
    expect(image).to_be_visible()
    before = image.get_attribute("src")
    notebook.cell(0).locator(".noUi-handle").press("ArrowRight")
    expect(notebook.cell(0)).to_contain_text("points: 3")
    expect(notebook.cell(0).locator("img")).not_to_have_attribute("src", before)
    notebook.picture("slider")


def test_progress_bar_advances(open_notebook, lab):
    """Each step waits for a file, so that every state of the bar is seen."""
    notebook = open_notebook("progress.ipynb", (
        "import os, time\nfrom tqdm.notebook import tqdm\n"
        "for step in tqdm(range(4), mininterval=0, miniters=1):\n"
        "    while not os.path.exists(f'step{step}'): time.sleep(0.01)"))
    notebook.run_all()
    bar = notebook.cell(0).locator(".progress-bar")
    expect(notebook.cell(0)).to_contain_text("0/4")
    widths = [bar.bounding_box()["width"]]
    for step in range(4):
        (lab.folder / f"step{step}").touch()
        expect(notebook.cell(0)).to_contain_text(f"{step + 1}/4")
        widths.append(bar.bounding_box()["width"])
        if step == 1:
            notebook.picture("progress")
    assert widths == sorted(widths) and widths[-1] > widths[0]


def test_input_box(open_notebook):
    notebook = open_notebook("input.ipynb", "name = input('who? ')\nprint('hello', name)")
    notebook.run_all()
    box = notebook.cell(0).locator("input.jp-Stdin-input")
    expect(box).to_be_visible()
    box.fill("Ada")
    box.press("Enter")
    expect(notebook.cell(0)).to_contain_text("hello Ada")


def test_reload_keeps_the_kernel(open_notebook):
    """A page that comes back finds its kernel, with its names and its outputs."""
    notebook = open_notebook("reload.ipynb", "name = 42", "name")
    notebook.run_cell(0)
    expect(notebook.prompt(0)).to_have_text("[1]:")
    notebook.page.keyboard.press("Control+s")
    expect(notebook.page.locator(".jp-mod-dirty")).to_have_count(0)
    notebook.page.reload()
    notebook.wait_idle()
    expect(notebook.prompt(0)).to_have_text("[1]:")
    notebook.run_cell(1)
    expect(notebook.output(1)).to_have_text(re.compile("42"))


def test_dead_worker_is_shown(open_notebook, kernel_name):
    if kernel_name.startswith("python"):
        pytest.skip("there is no worker but the kernel itself")
    notebook = open_notebook("dead.ipynb", "import os; os._exit(7)", "print('after')")
    notebook.run_cell(0)
    expect(notebook.cell(0).locator(".jp-OutputArea")).to_contain_text("7")
    notebook.run_cell(1)
    expect(notebook.output(1)).to_contain_text("after")
