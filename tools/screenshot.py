"""Photographs quickstart.ipynb in JupyterLab, for the README.

Usage: screenshot.py OUTPUT.png [KERNEL]     (cellpod)

JupyterLab works on a copy of the notebooks, with folders of its own, in headless Chromium.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
FIRST_SHOWN = "airlines"

RUN_ALL = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.sessionContext.ready;
    await window.jupyterapp.commands.execute("application:toggle-left-area");
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
}"""
SHOW_CELL = """async index => {
    const panel = window.jupyterapp.shell.currentWidget;
    panel.content.activeCellIndex = index;
    await panel.content.scrollToItem(index, "start", 0);
}"""


@contextmanager
def jupyter_lab(folder: Path):
    """JupyterLab on folder/notebooks; yields its address."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "XDG_STATE_HOME": str(folder)}
    for name in ("RUNTIME", "CONFIG", "DATA"):
        environment[f"JUPYTER_{name}_DIR"] = str(folder / name.lower())
    settings = folder / "config/lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
         "--IdentityProvider.token=", "--notebook-dir=notebooks", "--expose-app-in-browser",
         "--LabApp.extension_manager=readonly"],
        cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield wait_for_server(folder / "runtime", server)
    finally:
        server.terminate()
        server.wait()


def wait_for_server(runtime: Path, server: subprocess.Popen) -> str:
    while server.poll() is None:
        for info in runtime.glob("jpserver-*.json"):
            with suppress(OSError, ValueError):  # the file comes before the server listens
                url = json.loads(info.read_text())["url"]
                with urllib.request.urlopen(url + "api/status"):
                    return url
        time.sleep(0.1)
    raise SystemExit("screenshot: JupyterLab did not start")


def use_kernel(notebook: Path, kernel: str) -> None:
    document = json.loads(notebook.read_text())
    document["metadata"]["kernelspec"]["name"] = kernel
    notebook.write_text(json.dumps(document))


def photograph(page: Page, url: str, output: str) -> None:
    cells = json.loads((REPOSITORY / "notebooks/quickstart.ipynb").read_text())["cells"]
    first = [cell["id"] for cell in cells].index(FIRST_SHOWN)
    page.goto(url + "lab/tree/quickstart.ipynb?reset")
    page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
    page.evaluate(RUN_ALL)
    page.evaluate(SHOW_CELL, first)
    page.locator(f".jp-Cell[data-windowed-list-index='{first + 1}'] img").wait_for()
    page.wait_for_timeout(1000)  # scroll bars fade
    page.screenshot(path=output)


def main() -> None:
    output = sys.argv[1]
    kernel = sys.argv[2] if len(sys.argv) > 2 else "cellpod"
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        shutil.copytree(REPOSITORY / "notebooks", folder / "notebooks",
                        ignore=shutil.ignore_patterns(".*"))
        use_kernel(folder / "notebooks/quickstart.ipynb", kernel)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 1130}, device_scale_factor=1.5)
        with jupyter_lab(folder) as url:
            photograph(page, url, output)
        browser.close()


if __name__ == "__main__":
    main()
