"""Photographs a notebook in JupyterLab, for the README.

Usage: screenshot.py NOTEBOOK CELL HEIGHT OUTPUT.png [KERNEL]     (cellpod)

    screenshot.py quickstart airlines 1130 docs/images/quickstart.png
    screenshot.py ask chart 1090 docs/images/ask.png

CELL is the id of the cell that is shown first, with a chart in it or in the next one. JupyterLab works on a copy of the notebooks, with folders of its own, in headless Chromium.
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
    environment = {
        **os.environ,
        "XDG_RUNTIME_DIR": str(folder),
        "XDG_STATE_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    for name in ("RUNTIME", "CONFIG", "DATA"):
        environment[f"JUPYTER_{name}_DIR"] = str(folder / name.lower())
    settings = folder / "config/lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--port=0",
            "--IdentityProvider.token=",
            "--notebook-dir=notebooks",
            "--expose-app-in-browser",
            "--LabApp.extension_manager=readonly",
        ],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
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


def photograph(page: Page, url: str, notebook: str, cell: str, output: str) -> None:
    cells = json.loads((REPOSITORY / f"notebooks/{notebook}.ipynb").read_text())["cells"]
    first = [each["id"] for each in cells].index(cell)
    page.goto(url + f"lab/tree/{notebook}.ipynb?reset")
    page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
    page.evaluate(RUN_ALL)
    page.evaluate(SHOW_CELL, first)
    shown = [f".jp-Cell[data-windowed-list-index='{first + n}'] img" for n in range(2)]
    page.locator(", ".join(shown)).first.wait_for()
    page.evaluate(SHOW_CELL, first)  # what came above may have moved it
    page.wait_for_timeout(1000)  # scroll bars fade
    page.screenshot(path=output)


def main() -> None:
    name, cell, height, output, *others = sys.argv[1:]
    kernel = others[0] if others else "cellpod"
    with tempfile.TemporaryDirectory() as folder_name, sync_playwright() as playwright:
        folder = Path(folder_name)
        shutil.copytree(
            REPOSITORY / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*")
        )
        use_kernel(folder / f"notebooks/{name}.ipynb", kernel)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": 1100, "height": int(height)}, device_scale_factor=1.5
        )
        with jupyter_lab(folder) as url:
            photograph(page, url, name, cell, output)
        browser.close()


if __name__ == "__main__":
    main()
