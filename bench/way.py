"""The way of one cell, in microseconds: by the clock times that its messages carry."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime

from kernels import DEADLINE, running

# Each stretch ends where the next begins.
STRETCHES = (
    ("client sends", "client", "busy"),
    ("kernel to sandboxd to worker", "busy", "started"),
    ("worker to sandboxd to kernel: execute_input", "started", "input"),
    ("worker runs it; its reply to the kernel", "input", "reply"),
    ("kernel says idle", "reply", "idle"),
    ("client hears it", "idle", "heard"),
)


def moments_of(client, code: str) -> dict[str, float]:
    """When each was sent, seconds."""
    moments = {"client": datetime.now(UTC).timestamp()}
    asked = client.execute(code)
    while "idle" not in moments:
        message = client.get_iopub_msg(timeout=DEADLINE)
        if message["parent_header"].get("msg_id") != asked:
            continue
        state = message["content"].get("execution_state")
        name = "input" if message["msg_type"] == "execute_input" else state
        if name:
            moments[name] = message["header"]["date"].timestamp()
    moments["heard"] = datetime.now(UTC).timestamp()
    reply = client.get_shell_msg(timeout=DEADLINE)
    moments["reply"] = reply["header"]["date"].timestamp()
    moments["started"] = datetime.fromisoformat(str(reply["metadata"]["started"])).timestamp()
    return moments


def measure_way(count: int = 500) -> None:
    with running("cellpod") as client:
        all_moments = [moments_of(client, "pass") for _ in range(count)]
    print("the way of `pass`, p50")
    for what, begin, end in (*STRETCHES, ("all of it", "client", "heard")):
        took = statistics.median(each[end] - each[begin] for each in all_moments)
        print(f"    {what:46} {took * 1e6:8.0f} us", flush=True)
