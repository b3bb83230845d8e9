"""Seeded kills of worker, kernel, client, and of all at once, at every stage of a cell.

    KILL_SEEDS=17 tools/run-tests tests/kills         one of them
    make kills                                                       ten thousand (KILL_SEEDS=0-9999)

A seed says who is struck, in which stage, and after how long. Processes run as fast as they do,
so that a blow falls into what happens at that moment; what was hit is printed, with the time it
took until a cell was answered again. Nothing asserts a time.

One session goes through all of them. Each cell appends its seed to `made` as its last act: all
that is in there stays, in order and once, but for the cell that was struck, or, when its
checkpoint was still being made, the one that had just ended.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter, defaultdict

import pytest
import zmq

from support.cast import Cast
from support.client import START, Deadline, Exchange
from support.kernel import connection_info
from support.takeover import kept, rm, wait_until_kept


pytestmark = [
    pytest.mark.cellpod_only("there is no sandbox behind other kernels"),
    pytest.mark.timeout(6 * 3600),
]

STAGES = {  # and how long after its beginning the blow comes at most, in seconds
    "before": 0.003,  # the request is on its way
    "output": 0.01,  # some of it was shown
    "reply": 0.004,  # its last line was shown
    "checkpoint": 0.012,  # it is idle
    "undo": 0.05,  # %undo was sent
    "takeover": 0.3,  # the next kernel was started
}
WHOM = ("worker", "worker", "kernel", "client", "interrupt", "all")
TAKERS = ("worker", "kernel", "all")  # there is nobody else yet


def seeds() -> range:
    first, _, last = os.environ["KILL_SEEDS"].partition("-")
    return range(int(first), int(last or first) + 1)


class Session:
    """A notebook's, with the kernels and clients that come and go."""

    def __init__(self, start, laboratory):
        self.start, self.laboratory = start, laboratory
        self.next_kernel()
        self.client.run("import time; made = []; kept = 1", timeout=START)
        self.wait_for_checkpoint()

    def next_kernel(self) -> None:
        self.kernel = self.start()
        self.client = self.kernel.ready_client()
        self.ready_at = time.monotonic()

    def next_client(self) -> None:
        self.client.close()
        self.client = self.kernel.ready_client()

    def wait_for_checkpoint(self) -> None:
        """One that sandboxd has, of all that is there now. Its being forked is not enough."""
        number = self.client.run("mark = object()", timeout=START).content["execution_count"]
        deadline = Deadline(START)
        while f"In [{number}] " not in self.look():
            assert deadline.left_ms, "no checkpoint"
            time.sleep(0.03)  # cells in a row do not wait for one

    def look(self) -> str:
        self.shown_last = self.client.run("%checkpoints", timeout=START).stdout
        return self.shown_last

    @property
    def worker(self) -> int:
        return Cast(self.laboratory, self.kernel).worker

    def kill_kernel(self) -> str:
        """Returns what its client was sent, and has not read."""
        client, iopub = self.client, self.client.sockets["iopub"]
        end = iopub.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.kernel.process.kill()
        self.kernel.wait_exit()
        assert end.poll(START * 1000), "its connection did not end"
        iopub.disable_monitor()
        rest = list(client.pending["iopub"])
        while iopub.poll(0):
            rest.append(client._receive("iopub"))
        client.close()
        return "".join(m.content["text"] for m in rest if m.content.get("name") == "stdout")

    def read(self, cell: str) -> Exchange:
        """All of it. The word of a death may come between its idle and its reply, and after both."""
        done, is_idle = Exchange(cell), False
        while not (is_idle and done.reply):
            message = self.client.receive(("shell", "iopub"), lambda m: m.parent_id == cell, START)
            if message.channel == "shell":
                assert not done.reply, "a second reply"
                done.reply = message
            else:
                done.messages.append(message)
                is_idle = is_idle or message.state == "idle"
        return done


class Blow:
    """One seed: a cell, who is struck while it runs, and what must be so afterwards."""

    def __init__(self, seed: int, session: Session, made: list[int]):
        self.random = random.Random(seed)
        self.seed, self.session, self.made = seed, session, made
        self.stage = self.random.choice(list(STAGES))
        self.whom = self.random.choice(TAKERS if self.stage == "takeover" else WHOM)
        self.delay = self.random.random() * STAGES[self.stage]
        self.size = self.random.randint(2, 12)
        self.line = self.random.randint(0, self.size - 2)
        self.lines = "".join(f"<{seed}:{i}>\n" for i in range(self.size))
        self.seen = ""  # of them, by a client that is gone
        self.is_ok = self.is_undone = self.has_missed = False

    def __str__(self) -> str:
        return f"{self.whom} in {self.stage} after {self.delay * 1000:.1f} ms"

    def send(self) -> str:
        return self.session.client.send_execute(
            f"for i in range({self.size}):\n    print(f'<{self.seed}:{{i}}>', flush=True)\n"
            f"    time.sleep(0.002)\nmade.append({self.seed})"
        )

    def strike(self) -> None:
        s = self.session
        time.sleep(self.delay)  # the blow's own time, no waiting for anything
        self.struck_at = time.monotonic()
        if self.whom in ("worker", "all"):
            self.kill_worker()
        if self.whom in ("kernel", "all"):
            self.seen += s.kill_kernel()
        if self.whom == "client":
            s.next_client()
        if self.whom == "interrupt":
            s.client.send("interrupt_request", {}, "control")

    def kill_worker(self) -> None:
        try:
            os.kill(self.target, signal.SIGKILL)
        except ProcessLookupError:  # %undo has ended it
            assert self.stage == "undo", "the worker had ended by itself"
            self.has_missed = True

    def shown_until(self, cell: str, text: str) -> None:
        while text not in self.seen:
            message = self.session.client.published_for(cell, "stream", START)
            self.seen += message.content["text"]

    def run(self) -> None:
        s = self.session
        s.wait_for_checkpoint()
        self.target = s.worker
        if self.stage == "takeover":
            return self.run_takeover()
        cell = self.send()
        if self.stage == "output":
            self.shown_until(cell, f"<{self.seed}:{self.line}>\n")
        elif self.stage == "reply":
            self.shown_until(cell, f"<{self.seed}:{self.size - 1}>\n")
        elif self.stage in ("checkpoint", "undo"):
            done = s.read(cell)
            assert done.status == "ok" and done.stdout == self.lines, done.messages
            self.seen = self.lines
            if self.stage == "undo":
                cell = s.client.send_execute("%undo")
            else:
                cell = ""
        self.strike()
        self.settle(cell)

    def run_takeover(self) -> None:
        """Idle, and its kernel is gone; the next one is struck while it takes over."""
        s = self.session
        done = s.read(self.send())
        assert done.status == "ok" and done.stdout == self.lines
        s.wait_for_checkpoint()
        s.kill_kernel()
        wait_until_kept(s.laboratory)
        s.kernel = s.start()
        s.client = s.kernel.ready_client()
        self.strike()
        self.seen = self.lines
        self.settle("")

    # --- afterwards ---

    def settle(self, cell: str) -> None:
        s = self.session
        if self.whom in ("kernel", "all"):
            wait_until_kept(s.laboratory)
            s.next_kernel()
        elif self.whom == "client":
            pass
        elif cell:
            self.judge_cell(s.read(cell))
        if s.client.pending["shell"]:
            raise AssertionError(s.client.pending["shell"])
        self.probe()

    def judge_cell(self, done: Exchange) -> None:
        """Struck under the eyes of its client: what was shown is a beginning, each line once."""
        if self.stage == "undo":
            assert done.status == "ok" or done.content["ename"] in (
                "WorkerDied",
                "KeyboardInterrupt",
            ), done.content
            self.is_undone = done.status == "ok"
            return
        text = self.seen + done.stdout
        assert self.lines.startswith(text), (text, self.lines)
        if done.status == "ok":
            assert text == self.lines, (text, self.lines)
        else:
            wanted = "KeyboardInterrupt" if self.whom == "interrupt" else "WorkerDied"
            assert done.content["ename"] == wanted, done.content
        self.is_ok = done.status == "ok"

    def probe(self) -> None:
        s = self.session
        done = s.read(s.client.send_execute("print('made', made, kept)"))
        if (
            done.status != "ok"
        ):  # it was sent before the death was seen: it is the one that is struck
            assert self.whom in ("worker", "all", "interrupt"), done.content
            assert done.content["ename"] in ("WorkerDied", "KeyboardInterrupt"), done.content
            done = s.read(s.client.send_execute("print('made', made, kept)"))
        assert done.status == "ok", (done.content, done.messages)
        answered_at = time.monotonic()
        self.took = {self.whom: answered_at - self.struck_at}
        if self.whom in ("kernel", "all"):
            self.took["taken over"] = answered_at - s.ready_at
        replayed, word, rest = done.stdout.partition("made [")
        assert word and rest.endswith("] 1\n"), (done.stdout, done.stderr)
        now = eval(f"[{rest[:-3]}")
        assert now in self.possible(), (now[-3:], self.made[-3:], done.stderr)
        self.judge_replay(replayed)
        self.made[:] = now

    def judge_replay(self, text: str) -> None:
        """What the next kernel shows of the last cell, from its beginning; of the one before it where
        the request was lost with the kernel, and nothing of what was seen a second ago."""
        if text == self.session.shown_last and self.stage in ("before", "takeover"):
            return
        if self.stage == "undo" and text.startswith("Undone: "):
            assert text.count("Undone: ") == 1 and "<" not in text, text
        elif self.whom == "kernel" and self.stage in ("output", "reply"):
            assert self.lines.endswith(text), text
            assert len(self.seen) + len(text) >= len(self.lines), (self.seen, text)
        else:
            assert text in self.lines, text

    def possible(self) -> list[list[int]]:
        with_it, without = self.made + [self.seed], list(self.made)
        if self.stage == "takeover":
            return [with_it]
        if self.stage == "undo":
            return [without] if self.is_undone else [with_it, without]
        if self.whom in ("kernel", "client"):
            return [with_it] if self.stage != "before" else [with_it, without]
        if self.whom == "interrupt":
            return [with_it] if self.stage == "checkpoint" or self.is_ok else [with_it, without]
        return [with_it, without]


@pytest.fixture
def session(start_kernel, laboratory, request):
    work = laboratory.work / request.node.name
    work.mkdir()

    def start():
        return start_kernel.on(
            connection_info(), cwd=work, env={"JPY_SESSION_NAME": "/notebooks/kills.ipynb"}
        )

    session = Session(start, laboratory)
    yield session
    session.kernel.close()
    for sandbox in kept(laboratory):
        rm(sandbox["id"])


def show(struck: Counter, took: dict[str, list[float]]) -> None:
    print(
        f"\n  seeds {seeds().start} to {seeds().stop - 1}: nothing lost, nothing twice; "
        f"{struck.total()} blows struck"
    )
    for stage in STAGES:
        print(
            f"  {stage:12}",
            "  ".join(f"{whom} {struck[stage, whom]}" for whom in dict.fromkeys(WHOM)),
        )
    print("  from the blow to the answer of the next cell (taken over: from a ready kernel to that), ms")
    for whom, times in sorted(took.items()):
        times.sort()
        at = [
            times[min(len(times) - 1, int(len(times) * part))] * 1000 for part in (0.5, 0.9, 0.99)
        ]
        print(
            f"  {whom:12} p50 {at[0]:.0f}  p90 {at[1]:.0f}  p99 {at[2]:.0f}  most {times[-1] * 1000:.0f}"
        )


def test_no_kill_loses_more_than_the_running_cell(session, capsys):
    made: list[int] = []
    struck: Counter = Counter()
    took = defaultdict(list)
    for seed in seeds():
        blow = Blow(seed, session, made)
        try:
            blow.run()
        except Exception as error:
            raise AssertionError(f"KILL_SEEDS={seed}, {blow}: {error!r}") from error
        if not blow.has_missed:
            struck[blow.stage, blow.whom] += 1
            for what, seconds in blow.took.items():
                took[what].append(seconds)
    with capsys.disabled():
        show(struck, took)
    assert struck.total() >= 0.9 * len(seeds()), struck
