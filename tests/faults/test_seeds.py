"""Nothing is lost, nothing comes twice: cells whose path breaks at random, by a seed.

    FAULT_SEEDS=17 tools/run-tests tests/faults/test_seeds.py        one of them
    make faults                                                      a thousand

A seed says what the cell does, and which faults strike after how many bytes. Processes run
as fast as they do, so that a fault falls into what passes at that moment.
"""

from __future__ import annotations

import os
import random
import signal

import pytest

from support.client import Exchange
from support.fault_proxy import DOWN, UP, Fault
from support.signals import Pause

pytestmark = [pytest.mark.cellpod_only("there is no sandboxd behind other kernels"),
              pytest.mark.timeout(1800)]

DEFAULT = "0-99"
LONG = 60  # no asserted time: only so that a cell that never ends is told from a slow one

EARLY = 300  # bytes of a direction that each cell passes: one fault of each seed falls into them
PATH_FAULTS = ("cut", "cut", "cut", "cut_all", "deaf", "delay", "split")


def seeds() -> range:
    first, _, last = os.environ.get("FAULT_SEEDS", DEFAULT).partition("-")
    return range(int(first), int(last or first) + 1)


class Run:
    """One seed: a cell, the faults that strike, and what its user must have seen."""

    def __init__(self, seed: int, stage):
        self.random = random.Random(seed)
        self.stage = stage
        self.kind = self.random.choices(("count", "input", "interrupt", "death"),
                                        (70, 12, 12, 6))[0]
        self.size = self.random.randint(5, 60)
        self.was_killed = False
        self.struck: list[Fault] = []
        self.plan = [self.fault() for _ in range(self.random.randint(1, 5))]
        self.plan[0].at %= EARLY
        if self.kind == "death":
            self.plan.append(Fault(DOWN, self.random.randint(200, 4000), "act", act=self.kill))

    def fault(self) -> Fault:
        direction = self.random.choice((UP, DOWN, DOWN))
        at = self.random.randint(0, 1200 if direction == UP else 130 * self.size)
        if self.random.random() < 0.2:
            name = self.random.choice(("daemon", "kernel", "worker"))
            ms = self.random.randint(1, 60)
            return Fault(direction, at, "act", ms, act=lambda: self.pause(name, ms))
        kind = self.random.choice(PATH_FAULTS)
        ms = self.random.randint(1, 40) if kind == "delay" else 0
        return Fault(direction, at, kind, ms)

    def pause(self, name: str, ms: int) -> None:
        pid = {"daemon": self.daemon, "worker": self.worker}.get(name, self.stage.kernel.pid)
        try:
            Pause(pid, ms)
        except ProcessLookupError:
            pass  # a worker that was killed by this seed

    def kill(self) -> None:
        self.was_killed = True
        try:
            os.kill(self.worker, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def run(self, daemon: int, worker: int) -> None:
        self.daemon, self.worker = daemon, worker
        self.stage.proxy.arm(self.plan)
        try:
            getattr(self, f"run_{self.kind}")()
        finally:
            self.disarm()

    def disarm(self) -> None:
        self.struck += self.stage.proxy.struck
        self.stage.proxy.arm([])

    def counting(self, after_each: str = "pass") -> tuple[str, list[str]]:
        """Text and displays in turns, and how they read."""
        pause = self.random.choice((0, 0, 0.001))
        code = (f"for i in range({self.size}):\n"
                f"    print(i, end=' ') if i % 3 else display({{'text/plain': f'[{{i}}]'}}, raw=True)\n"
                f"    {after_each}\n"
                f"    time.sleep({pause})")
        return code, [f"{i} " if i % 3 else f"[{i}]" for i in range(self.size)]

    def finish(self, cell: str):
        return self.stage.client.finish(cell, timeout=LONG)

    def run_count(self) -> None:
        code, expected = self.counting()
        done = self.finish(self.stage.client.send_execute(code))
        assert done.status == "ok", done.content
        assert shown(done) == "".join(expected)

    def run_input(self) -> None:
        client = self.stage.client
        cell = client.send_execute("for i in range(3):\n    print(input(i), end=' ')",
                                   allow_stdin=True)
        for answer in ("a", "b", "c"):
            client.answer_input(answer, timeout=LONG)
        done = self.finish(cell)
        assert done.status == "ok" and shown(done) == "a b c ", (done.content, shown(done))

    def run_interrupt(self) -> None:
        client = self.stage.client
        cell = client.send_execute(
            "try:\n    print('begun')\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n"
            "    print('heard')\n    time.sleep(0.05)\nprint('done')")
        text = self.read(cell, lambda text: "begun" in text)
        client.finish(client.send("interrupt_request", {}, "control"), "control", timeout=LONG)
        text += self.read(cell, lambda _: False)
        done = client.reply_to(cell, timeout=LONG).content
        assert done["status"] == "ok", "\n".join(done["traceback"]) + text  # a second interrupt would have ended it
        assert text == "begun\nheard\ndone\n", text

    def read(self, cell: str, is_enough) -> str:
        """What the cell prints, until it is enough or the cell is over."""
        text = ""
        while not is_enough(text):
            message = self.stage.client.published(lambda m: m.parent_id == cell, LONG)
            if message.state == "idle":
                break
            text += message.content.get("text", "")
        return text

    def finish_dying(self, cell: str) -> Exchange:
        """As finish(); but the word of a death after the cell may overtake its reply."""
        client, done = self.stage.client, Exchange(cell)
        while not done.messages or done.messages[-1].state != "idle":
            done.messages.append(client.published(lambda m: m.parent_id == cell, LONG))
        done.reply = client.reply_to(cell, timeout=LONG)
        return done

    def run_death(self) -> None:
        """All that was shown before the worker was killed, and then the word of it. A file has how
        much that was at least: how often a print() or a display() had returned."""
        file = self.stage.laboratory.work / "shown"
        code, expected = self.counting("os.pwrite(file, bytes([i + 1]), 0)")
        code = "file = os.open('shown', os.O_RDWR | os.O_CREAT | os.O_TRUNC)\n" + code
        cell = self.stage.client.send_execute(code)
        done = self.finish_dying(cell)
        self.disarm()
        certain = (file.read_bytes() or b"\0")[0] if file.exists() else 0
        file.unlink(missing_ok=True)
        if done.status == "ok":
            assert shown(done) == "".join(expected)
            if self.was_killed:  # after its last word
                self.stage.client.wait_for_text(cell, "killed", timeout=LONG)
        else:
            assert done.content["ename"] == "WorkerDied", done.content
            text = "".join(t for kind, t in done.transcript if kind not in ("error", "stderr"))
            assert text.startswith("".join(expected[:certain])), (text, expected[:certain])
            assert "".join(expected).startswith(text), (text, expected)


def shown(cell) -> str:
    kinds = {kind for kind, _ in cell.transcript}
    assert kinds <= {"stdout", "display_data"}, cell.transcript
    return "".join(text for _, text in cell.transcript)


def settle(stage) -> None:
    """After a death: the next worker, and whatever was said of the last one."""
    stage.client.run("import os, sys, time\nfrom IPython.display import display", timeout=LONG)
    stage.client.request("kernel_info_request")
    for queue in stage.client.pending.values():
        queue.clear()


def test_no_output_is_lost_or_doubled(stage, capsys):
    daemon, worker, count = stage.daemon_pid, stage.worker_pid, 3
    struck: list[int] = []  # faults of each seed
    for seed in seeds():
        run = Run(seed, stage)
        plan = [str(fault) for fault in run.plan]
        try:
            run.run(daemon, worker)
            if run.kind == "death":
                settle(stage)
                worker = stage.worker_pid
            stray = [m for m in stage.client.unclaimed() if m.channel != "stdin"]
            assert not stray, f"after its end: {stray}"
            struck.append(len(run.struck))
            before, count = count, int(stage.client.value("get_ipython().execution_count"))
            assert run.kind == "death" or count == before + 1, "a cell ran twice, or not at all"
        except Exception as error:
            raise AssertionError(f"FAULT_SEEDS={seed}, a cell of kind {run.kind}, "
                                 f"faults: {plan}: {error!r}") from error
    assert stage.daemon_pid == daemon and stage.sandbox  # the same, and one
    hit = sum(count > 0 for count in struck)
    with capsys.disabled():
        print(f"\n  seeds {seeds().start} to {seeds().stop - 1}: nothing lost, nothing twice; "
              f"{sum(struck)} faults struck, at least one in {hit} of {len(struck)}")
    assert hit >= 0.95 * len(struck), struck
