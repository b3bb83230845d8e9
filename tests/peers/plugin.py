"""A pytest plugin for the peers' tests: leaves out what known.txt says, and says why."""

import fnmatch
import os
from pathlib import Path

import pytest
from jupyter_client import BlockingKernelClient

KNOWN = Path(__file__).with_name("known.txt")
LEFT_OUT = pytest.StashKey[dict[str, str]]()

START = 300  # seconds that a sandbox may take to come
wait_for_answer = BlockingKernelClient.wait_for_ready


def wait_for_sandbox(client, timeout=None):
    """Also until there is a sandbox: a cell that waits for one says so, which no peer expects."""
    wait_for_answer(client, timeout=timeout)
    asked = client.complete("", reply=True, timeout=START)["parent_header"]["msg_id"]
    states = []
    while "idle" not in states:
        message = client.get_iopub_msg(timeout=START)
        if message["parent_header"].get("msg_id") == asked:
            states.append(message["content"].get("execution_state"))


BlockingKernelClient.wait_for_ready = wait_for_sandbox


def known(peer: str) -> dict[str, str]:
    """Reasons by pattern."""
    rows = [line.split(maxsplit=2) for line in KNOWN.read_text().splitlines() if line.strip("# ")
            and not line.startswith("#")]
    return {pattern: reason for of, pattern, reason in rows if of == peer}


def pytest_addoption(parser):
    parser.addoption("--cov", help="what ipykernel's tests ask for")


def left_out(config) -> dict[str, str]:
    """Files, each with its reason."""
    return config.stash.setdefault(LEFT_OUT, {})


def pytest_ignore_collect(collection_path, config):
    name = Path(os.path.relpath(collection_path, Path.cwd())).as_posix()
    reason = known(os.environ["CELLPOD_PEER"]).get(name)
    if reason is None:
        return None
    left_out(config)[name] = reason
    return True


def pytest_terminal_summary(terminalreporter, config):
    for name, reason in left_out(config).items():
        terminalreporter.write_line(f"SKIPPED {name}: {reason}")


def pytest_collection_modifyitems(session, items):
    used = set(left_out(session.config))
    rows = known(os.environ["CELLPOD_PEER"])
    for item in items:
        for pattern, reason in rows.items():
            if fnmatch.fnmatch(item.nodeid, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))
                used.add(pattern)
    stale = rows.keys() - used
    if stale and not session.config.option.keyword:
        raise pytest.UsageError("known.txt has rows that are of no test: " + ", ".join(sorted(stale)))
