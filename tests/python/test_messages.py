"""The worker and common/messages.def name the same messages."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKER = ROOT / "sandbox/worker/cellpod"
sys.path.insert(0, str(WORKER.parent))

from cellpod import messages  # noqa: E402

ROW = 'MESSAGE(A_REQUEST, "a_request", REQUEST, BY_CLIENT, 0, A_REPLY, NEVER, 0, TEXT(x))\n' \
      'MESSAGE(A_REPLY, "a_reply", REPLY, BY_WORKER, ON_SAME, NONE, RUNNING, 0, )\n'  # fmt: skip


def said(file: Path) -> set[str]:
    """What is written out as the first argument of send(), _post() and the like."""
    calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
    found: set[str] = set()
    for call in calls:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in ("send", "_post", "head") and call.args:
            kind = call.args[0]
            options = [kind.body, kind.orelse] if isinstance(kind, ast.IfExp) else [kind]
            found |= {o.value for o in options
                      if isinstance(o, ast.Constant) and isinstance(o.value, str)}
    return found


def test_the_list_is_read():
    requests, may_be_said = messages.read("/* words */\n" + ROW)
    assert requests == {"a_request": "a_reply"}
    assert may_be_said == {"a_reply"}
    assert messages.REQUESTS["comm_open"] == "done"


def test_a_row_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="cannot be read"):
        messages.read(ROW + "MESSAGE(B)\n")


def test_handlers_and_rows_that_differ_are_named():
    messages.check(messages.REQUESTS)
    with pytest.raises(ValueError, match=r"without a handler are \['comm_open'\]"):
        messages.check(messages.REQUESTS.keys() - {"comm_open"})
    with pytest.raises(ValueError, match=r"without a row \['new_request'\]"):
        messages.check(messages.REQUESTS.keys() | {"new_request"})


@pytest.mark.parametrize("file", sorted(WORKER.glob("*.py")), ids=lambda file: file.name)
def test_all_that_the_worker_says_has_a_row(file: Path):
    assert said(file) <= messages.SAID


def test_what_the_worker_says_is_found():
    everything = set().union(*map(said, WORKER.glob("*.py")))
    assert {"hello", "stream", "execute_input", "display_data", "variables"} <= everything


def test_each_request_is_answered_by_its_reply(worker):
    for request in ("is_complete_request", "profile_request", "comm_info_request", "comm_msg"):
        assert worker.ask(request, {"code": ""}).reply.type == messages.REQUESTS[request]
