"""The list of messages that all sides share: common/messages.def, which lies beside this file.

MESSAGE(EXECUTE_REQUEST, "execute_request", REQUEST, …, EXECUTE_REPLY, NEVER, …)
"""

import re
from collections.abc import Iterable
from pathlib import Path

_ROW = re.compile(
    r'^MESSAGE\((?P<id>\w+),\s*"(?P<type>\w+)",\s*(?P<kind>\w+),[^,]*,[^,]*,'
    r"\s*(?P<reply>\w+),\s*(?P<phase>\w+),",
    re.MULTILINE,
)
_FOR_WORKER = ("REQUEST", "ASIDE", "COMM", "STEP")


def read(text: str) -> tuple[dict[str, str], frozenset[str]]:
    """What a worker is asked, with the reply to it; and all that a worker may say."""
    rows = [match.groupdict() for match in _ROW.finditer(text)]
    if len(rows) != len(re.findall(r"^MESSAGE\(", text, re.MULTILINE)):
        raise ValueError("messages.def has a row that cannot be read")
    types = {row["id"]: row["type"] for row in rows}
    requests = {row["type"]: types[row["reply"]] for row in rows if row["kind"] in _FOR_WORKER}
    said = frozenset(row["type"] for row in rows if row["phase"] != "NEVER")
    return requests, said


REQUESTS, SAID = read(Path(__file__).with_name("messages.def").read_text("utf-8"))


def check(handlers: Iterable[str]) -> None:
    """Raises ValueError unless these are the handlers of exactly what a worker is asked."""
    given = set(handlers)
    if given != REQUESTS.keys():
        raise ValueError(
            f"handlers and common/messages.def differ: without a handler are "
            f"{sorted(REQUESTS.keys() - given)}, without a row {sorted(given - REQUESTS.keys())}"
        )
