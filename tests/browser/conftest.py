"""JupyterLab and Chromium for the tests of this folder, once each."""

import os

import pytest
from playwright.sync_api import sync_playwright

from support import processes
from support.kernel import tail
from support.lab import NEVER_MS, SCREENSHOTS, Lab, Notebook

CHROMIUM = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


@pytest.fixture(scope="package")
def lab(laboratory):
    before = processes.sandbox_processes()
    lab = Lab(laboratory)
    yield lab
    lab.close()
    processes.assert_all_end(processes.sandbox_processes() - before, "sandboxes")


@pytest.fixture(scope="package")
def browser(pytestconfig):
    """Its helpers come and go while it stays; with it, all of them go."""
    before = set(processes.descendants())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        main, = [p for p in set(processes.descendants()) - before
                 if p.name().startswith("chrom") and os.getsid(p.pid) == p.pid]
        with pytestconfig.census.keeping_session(main.pid):
            yield browser
            own = processes.of_session(main.pid)
            browser.close()
    processes.assert_all_end(own, "Chromium")


@pytest.fixture
def page(browser, request):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(NEVER_MS)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text[:500]}"))
    page.on("pageerror", lambda error: said.append(f"pageerror: {error.stack}"))
    yield page
    if getattr(request.node, "failed", False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"failed-{request.node.name}.png")
        print("browser console:", *said, sep="\n")
    context.close()
    # JupyterLab asks on, and lets a question that nobody takes escape.
    expected = "TypeError: Failed to fetch" if "mortal" in request.fixturenames else None
    refused = [line for line in said if line.startswith("pageerror")
               and not (expected and expected in line)]
    assert not refused, refused


@pytest.fixture
def open_notebook(lab, page, request):
    def open_one(name: str, *sources: str) -> Notebook:
        lab.write(name, *sources)
        return Notebook(lab, page, name)

    yield open_one
    if getattr(request.node, "failed", False):
        print("server log:", tail(lab.log))


@pytest.fixture
def mortal(laboratory, page, request):
    """A server of its own, which a test may kill."""
    lab = Lab(laboratory, "mortal")
    yield lab
    lab.close()
    if getattr(request.node, "failed", False):
        print("server log:", tail(lab.log))


@pytest.fixture(autouse=True)
def kernels_stay(pytestconfig):
    """JupyterLab keeps its kernels for as long as it runs; it is checked that they end then."""
    yield
    pytestconfig.census.adopt()
