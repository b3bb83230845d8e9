"""jupyter console in a pseudo-terminal, typed at as a person types."""

import json
import os
import re
import sys
from contextlib import closing
from pathlib import Path

import pexpect
import pytest

from support import processes
from support.client import NATIVE_LOOP, START, Client, Message
from support.kernel import environment

CONFIG = Path(__file__).parents[1] / "support/jupyter_console_config.py"
COLOUR = r"(?:\x1b\[[0-9;?]*[a-zA-Z])*"


class Console:
    def __init__(self, laboratory):
        self.before = set(processes.descendants())
        self.terminal = pexpect.spawn(
            sys.executable, ["-m", "jupyter_console", "--kernel", laboratory.kernel_name,
                             "--config", str(CONFIG)],
            cwd=str(laboratory.work), encoding="utf-8", timeout=START, dimensions=(50, 160),
            env=environment({"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", "PAGER": "cat"}))
        self.count = 0
        self.prompt(START)

    def prompt(self, timeout: float = START, count: int | None = None) -> None:
        """Until it asks for the next cell, whatever was drawn before."""
        self.count = count or self.count + 1
        self.terminal.expect(rf"In {COLOUR}\[{COLOUR}{self.count}{COLOUR}\]: ", timeout)

    def type(self, text: str) -> None:
        self.terminal.send(text)

    def run(self, line: str) -> None:
        self.type(line + "\r")

    def sees(self, pattern: str, timeout: float = START) -> re.Match:
        self.terminal.expect(pattern, timeout)
        return self.terminal.match

    def ctrl_c(self) -> None:
        self.terminal.sendintr()

    def other_client(self) -> Client:
        """Attached to the console's kernel by its connection file."""
        files = Path(os.environ["JUPYTER_RUNTIME_DIR"]).glob("*.json")
        newest = max(files, key=lambda path: path.stat().st_mtime_ns)
        return Client(json.loads(newest.read_text()))

    def leave(self) -> None:
        left = set(processes.descendants()) - self.before
        self.run("exit")
        self.terminal.expect(pexpect.EOF)
        self.terminal.close()
        own = {p for p in left if p.pid != self.terminal.pid and not is_shared(p)}
        processes.assert_all_end(own, "the console's processes")


def is_shared(process) -> bool:
    """sandboxd and its zygote outlive one console."""
    tree = [process, *process.parents()] if process.is_running() else []
    return any(p.name() == "cellpod-sandboxd" for p in tree) and not processes.is_in_a_sandbox(
        process.pid)


@pytest.fixture
def console(laboratory, request):
    console = Console(laboratory)
    console.terminal.logfile_read = (laboratory.root / "console.log").open("w", buffering=1)
    yield console
    try:
        if not getattr(request.node, "failed", False):
            console.leave()
    finally:
        console.terminal.close(force=True)
        print("console:", (laboratory.root / "console.log").read_text()[-3000:])


def test_results_and_text(console):
    console.run("print('out' + 'put'); 6 * 7")
    console.sees("output")
    console.sees(rf"Out{COLOUR}\[{COLOUR}1{COLOUR}\]: {COLOUR}42")
    console.prompt()


def test_multi_line_input(console):
    console.run("def double(x):")
    console.sees(r"\.\.\.: ")
    console.run("return x * 2")
    console.sees(r"\.\.\.: ")
    console.run("")
    console.prompt()
    console.run("double(2100) + 34")
    console.sees("4234")
    console.prompt()


def test_completion_by_tab(console):
    console.run("completable_name = 'was comp' + 'leted'")
    console.prompt()
    console.type("completable_\t")
    console.sees("name")
    console.run("")
    console.sees("was completed")
    console.prompt()


def test_question_mark(console):
    console.run("len?")
    console.sees("number of items")
    console.prompt()


def test_input(console):
    console.run("name = input('wh' + 'o? ')")
    console.sees(r"who\? ")
    console.run("Ada")
    console.prompt()
    console.run("name + ' Lovelace'")
    console.sees("Ada Lovelace")
    console.prompt()


def test_password(console):
    console.run("import getpass; secret = getpass.getpass('key' + '? ')")
    console.sees(r"key\? ")
    console.run("hunter2")
    console.prompt()
    console.run("len(secret) * 111")
    console.sees("777")
    console.prompt()


def test_error(console):
    console.run("1/0")
    console.sees("ZeroDivisionError")
    console.prompt()


def test_ctrl_c_during_sleep(console):
    console.run("import time; print('sleep' + 'ing', flush=True); time.sleep(100)")
    console.sees("sleeping")
    console.ctrl_c()
    console.sees("KeyboardInterrupt")
    console.prompt()
    console.run("print('al' + 'ive')")
    console.sees("alive")
    console.prompt()


def test_ctrl_c_during_a_python_loop(console):
    console.run("print('loop' + 'ing', flush=True); exec('while True: pass')")
    console.sees("looping")
    console.ctrl_c()
    console.sees("KeyboardInterrupt")
    console.prompt()


@pytest.mark.cellpod_only("ipykernel cannot end native code")
def test_ctrl_c_during_a_busy_c_loop(console):
    """The first brings a notice, and after the notice the second ends the worker.

    The console takes the idle of its own interrupt_request for the cell's, and shows nothing
    more until the cell's reply: so the notice is awaited by another client.
    """
    console.run(NATIVE_LOOP)
    console.sees("held\r\n")
    with closing(console.other_client().ready_on_control()) as watcher:
        console.ctrl_c()
        watcher.published(is_notice)
        console.ctrl_c()
        console.sees("(?i)a second interrupt")
        console.sees("(?i)interrupt.*?worker|worker.*?interrupt", START)
        console.prompt(START)
    console.run("print('al' + 'ive')")
    console.sees("alive", START)
    console.prompt(count=2)  # a fresh worker counts anew


SALES = "import pandas as pd; sales = pd.DataFrame({'region': ['n', 's'], 'profit': [15, 21]})"


@pytest.mark.cellpod_only("%%ask is cellpod's")
def test_a_question(console):
    """A terminal knows no updates: it shows each stage once, then the summary, answer, code."""
    console.run(SALES)
    console.prompt()
    console.run("%ask total profit")
    console.sees("cellpod: Running the code")
    console.sees("cellpod: planner . 1 attempt")
    console.sees(r"Total profit: 36\.00\r\n")
    console.sees(r"answer = sales\[")
    console.prompt()
    assert "Running" not in console.terminal.before


@pytest.mark.cellpod_only("%%ask is cellpod's")
def test_a_question_whose_code_fills_the_next_prompt(console):
    console.run(SALES)
    console.prompt()
    console.run("%ask --code-only total profit")
    console.prompt()
    console.sees(r"answer.*=.*sales")
    console.run("")
    console.run("")
    console.sees(r"Total profit: 36\.00\r\n")
    console.prompt()


def is_notice(message: Message) -> bool:
    return message.type == "stream" and "interrupt" in message.content["text"]
