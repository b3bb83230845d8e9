"""JupyterLab in a browser, clicked at as a person clicks."""

import re
import textwrap
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.lab import Notebook, expect_chart
from support.takeover import wait_until_kept

pytestmark = pytest.mark.timeout(900)

CHART = ("import uuid\nimport matplotlib.pyplot as plt\nprint('run', uuid.uuid4().hex)",
         "plt.bar(['a', 'b', 'c'], [3, 1, 2])\nplt.title('A chart');",
         "import pandas\npandas.DataFrame({'column': ['value']})")


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


def test_a_button_answers_while_a_cell_runs(open_notebook):
    """JupyterLab asks for a subshell for the widgets' messages."""
    notebook = open_notebook("button.ipynb", (
        "import ipywidgets, threading\nclicks = threading.Semaphore(0)\n"
        "button, text = ipywidgets.Button(description='Press'), ipywidgets.IntText(0)\n"
        "def press(_): text.value += 1; clicks.release()\n"
        "button.on_click(press)\nipywidgets.VBox([button, text])"),
        "print('waits')\nclicks.acquire(), clicks.acquire()\nprint('ends')")
    notebook.run_all()
    expect(notebook.output(1)).to_contain_text("waits")
    button, text = notebook.cell(0).get_by_role("button", name="Press"), notebook.cell(0).locator("input")
    button.click()
    expect(text).to_have_value("1")
    expect(notebook.prompt(1)).to_have_text("[*]:")
    notebook.picture("button")
    button.click()
    expect(notebook.output(1)).to_contain_text("ends")
    expect(text).to_have_value("2")


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


@pytest.mark.cellpod_only("its cells end with the server")
def test_a_server_that_is_killed_takes_nothing_with_it(mortal, page, laboratory):
    """The next server's kernel has the cell that ran, its lines and its names."""
    mortal.write("killed.ipynb", (
        "import os, time\nx = 42\nfor step in range(4):\n"
        "    while not os.path.exists(f'killed{step}'): time.sleep(0.01)\n"
        "    print('line', step, flush=True)"), "print('x is', x)")
    notebook = Notebook(mortal, page, "killed.ipynb")
    notebook.run_cell(0)
    (mortal.folder / "killed0").touch()
    expect(notebook.output(0)).to_contain_text("line 0")
    mortal.kill()
    wait_until_kept(laboratory)
    (mortal.folder / "killed1").touch()
    mortal.start()
    notebook = Notebook(mortal, page, "killed.ipynb")
    notebook.run_cell(1)
    expect(notebook.cell(1)).to_contain_text("this is the session from before")
    (mortal.folder / "killed2").touch()
    expect(notebook.cell(1)).to_contain_text("line 2")
    expect(notebook.prompt(1)).to_have_text("[*]:")
    notebook.picture("takeover")
    (mortal.folder / "killed3").touch()
    expect(notebook.cell(1)).to_contain_text("x is 42")
    assert re.findall(r"line \d", notebook.cell(1).inner_text()) == [f"line {step}" for step in range(4)]


def test_dead_worker_is_shown(open_notebook, kernel_name):
    if kernel_name.startswith("python"):
        pytest.skip("there is no worker but the kernel itself")
    notebook = open_notebook("dead.ipynb", "import os; os._exit(7)", "print('after')")
    notebook.run_cell(0)
    expect(notebook.cell(0).locator(".jp-OutputArea")).to_contain_text("7")
    notebook.run_cell(1)
    expect(notebook.output(1)).to_contain_text("after")


DEBUGGED = ("def area(width, height):\n    product = width * height\n    return product\n\n"
            "print('area:', area(6, 7))")


def debug(notebook, line: int):
    """Stops in the first cell at this line; the debugger's panel."""
    page = notebook.page
    page.locator(".jp-DebuggerBugButton").click()
    side = page.locator("#jp-debugger-sidebar")
    expect(side).to_be_visible()
    notebook.cell(0).locator(".cm-breakpoint-gutter .cm-gutterElement").nth(line).click()
    expect(side.locator(".jp-DebuggerBreakpoint")).to_have_text(re.compile(f"Cell.*{line}"))
    notebook.run_cell(0)
    expect(page.get_by_text("Paused in Debugger")).to_be_visible()
    # JupyterLab throws where a stop's variables are still asked for when the program goes on.
    expect(side.get_by_label("Scope").locator("option")).to_have_text(["Locals", "Globals"])
    return side


def test_debugger_stops_steps_and_shows_variables(open_notebook):
    notebook = open_notebook("debugger.ipynb", DEBUGGED)
    notebook.run_all()
    expect(notebook.output(0)).to_contain_text("area: 42")
    side = debug(notebook, 2)
    frames = side.locator(".jp-DebuggerCallstackFrame")
    expect(frames).to_have_text([re.compile("area.*:2"), re.compile("<module>.*:5")])
    side.get_by_label("Scope").select_option("Locals")
    names = side.locator(".jp-DebuggerVariables-name:visible")
    expect(names).to_have_text(["height", "width"])
    side.get_by_title("Next").click()
    expect(frames.first).to_have_text(re.compile("area.*:3"))
    expect(names).to_have_text(["height", "product", "width"])
    notebook.picture("debugger")
    side.get_by_title("Continue").click()
    expect(notebook.output(0)).to_contain_text("area: 42")
    expect(notebook.prompt(0)).to_have_text("[2]:")


def test_debugger_shows_the_source_of_library_code(open_notebook):
    notebook = open_notebook("library.ipynb", "import textwrap\nprint(textwrap.dedent('  text'))")
    notebook.run_all()
    expect(notebook.output(0)).to_contain_text("text")
    side = debug(notebook, 2)
    side.get_by_title("Step In").click()
    frame = side.locator(".jp-DebuggerCallstackFrame").first
    expect(frame).to_have_text(re.compile(r"dedent.*textwrap\.py:\d+"))
    number = int(frame.inner_text().rpartition(":")[2])
    line = Path(textwrap.__file__).read_text().splitlines()[number - 1]
    expect(notebook.page.locator(".jp-DebuggerEditor-highlight:visible")).to_have_text(line)
    expect(side.locator(".jp-DebuggerVariables-name:visible")).to_have_text(["text"])
    notebook.picture("library")
    side.get_by_title("Continue").click()
    expect(notebook.prompt(0)).to_have_text("[2]:")
