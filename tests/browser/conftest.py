"""JupyterLab and Chromium for the tests of this folder, once each, and one tab for all tests."""

import os

import pytest
from playwright.sync_api import sync_playwright

from support import processes
from support.kernel import tail
from support.lab import NEVER_MS, SCREENSHOTS, Lab, Notebook

CHROMIUM = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # Nobody watches, and no page lives for long enough to win back what optimizing its code costs.
    "--force-prefers-reduced-motion",
    "--js-flags=--no-maglev --no-turbofan",
]


@pytest.fixture(scope="package")
def lab(laboratory):
    before = processes.sandbox_processes()
    lab = Lab(laboratory)
    yield lab
    lab.close()
    processes.assert_all_end(processes.sandbox_processes() - before, "sandboxes")


@pytest.fixture(scope="package")
def context(pytestconfig, tmp_path_factory):
    """Chromium with a profile: it keeps what it has compiled of JupyterLab's code. Its helpers
    come and go while it stays; with it, all of them go."""
    before = set(processes.descendants())
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path="/usr/bin/chromium", args=CHROMIUM,
            viewport={"width": 1280, "height": 1000})
        context.set_default_timeout(NEVER_MS)
        main, = [p for p in set(processes.descendants()) - before
                 if p.name().startswith("chrom") and os.getsid(p.pid) == p.pid]
        with pytestconfig.census.keeping_session(main.pid):
            yield context
            own = processes.of_session(main.pid)
            context.close()
    processes.assert_all_end(own, "Chromium")


class Tab:
    """Stays for the next test: its process has all of JupyterLab's code at hand."""

    def __init__(self, context):
        self.context = context
        self.page = None

    def get(self):
        if self.page is None:
            self.page = self.context.new_page()
        return self.page

    def leave(self, lab) -> None:
        """Nothing of the test's page goes on. To a page of the same site, for which the process
        stays."""
        self.page.goto(lab.url("/api"))

    def spoil(self) -> None:
        self.page.close()
        self.page = None


@pytest.fixture(scope="package")
def tab(context):
    return Tab(context)


@pytest.fixture
def page(tab, lab, request):
    page = tab.get()
    said: list[str] = []

    def hear(message) -> None:
        said.append(f"{message.type}: {message.text[:500]}")

    def hear_error(error) -> None:
        said.append(f"pageerror: {error.stack}")

    page.on("console", hear)
    page.on("pageerror", hear_error)
    yield page
    if getattr(request.node, "failed", False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"failed-{request.node.name}.png")
        print("browser console:", *said, sep="\n")
        tab.spoil()
    else:
        tab.leave(lab)
        page.remove_listener("console", hear)
        page.remove_listener("pageerror", hear_error)
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
