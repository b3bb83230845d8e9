"""One notebook on a real cellpod kernel: a table is set up, then questions are asked."""

import json
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from support.client import START  # noqa: E402
from support.kernel import Laboratory, ManagedKernel  # noqa: E402

PATIENCE = 300  # a loaded machine; whoever is silent for longer has failed

# The hook lives in a module of its own, so that the questions' names are the tables' alone.
INSTALL = """
import sys as _sys, types as _types
_hook = _types.ModuleType("question_capture")
exec({source!r}, _hook.__dict__)
_sys.modules["question_capture"] = _hook
_hook.install(get_ipython())
"""
TABLES = """
_made = {{"__name__": "table"}}
_sys.modules["spec"] = _types.SimpleNamespace(
    **{{name: (lambda *a, **k: None) for name in {names!r}}})
exec({source!r}, _made)
globals().update(_made["make"]())
_hook.NAMES = set(globals()) - {{"_made", "_hook", "_sys", "_types"}}
del _made, _hook, _sys, _types
"""
DUMP = "__import__('sys').modules['question_capture'].dump('capture.bin')"
TIDY = "__import__('sys').modules['question_capture'].tidy(globals())"


@dataclass
class Answer:
    """What one question got."""

    shown: list = field(default_factory=list)   # encoded objects, in order
    printed: str = ""                           # standard output
    summary: str = ""                           # what the kernel says about its answer
    code: str = ""
    error: str = ""
    about: dict = field(default_factory=dict)   # metadata of the outputs

    @property
    def ran(self) -> bool:
        return bool(self.about.get("attempts")) or bool(self.shown or self.printed)

    @property
    def confidence(self):
        return find_confidence(self.about)


def find_confidence(about):
    """The first member of that name, wherever it is."""
    if isinstance(about, dict):
        if "confidence" in about:
            return about["confidence"]
        about = list(about.values())
    if isinstance(about, list):
        for member in about:
            found = find_confidence(member)
            if found is not None:
                return found
    return None


class Notebook:
    def __init__(self, laboratory: Laboratory, source: str, names: list[str],
                 tidy: bool = False):
        self.tidy = tidy
        self.folder = Path(tempfile.mkdtemp(dir=laboratory.root))
        self.kernel = ManagedKernel(laboratory, cwd=self.folder, env={
            "XDG_CONFIG_HOME": str(laboratory.root / "no-settings"),
            "XDG_CACHE_HOME": str(laboratory.root / "no-cache")})
        self.client = self.kernel.ready_client()
        self.client.run("pass", timeout=START)
        self.client.run(INSTALL.format(source=(HERE / "capture.py").read_text()), timeout=START)
        self.client.run(TABLES.format(source=source, names=names), timeout=START)

    def ask(self, question: str) -> Answer:
        return self.run(f"%%ask\n{question}")

    def run(self, cell: str) -> Answer:
        done = self.client.execute(cell, timeout=PATIENCE)
        answer = Answer(shown=self._dump(), printed=done.stdout)
        summary = {}
        for message in done.of_type("display_data", "update_display_data", "execute_result"):
            content = message.content
            about = content["metadata"].get("cellpod")
            answer.about = about if isinstance(about, dict) else answer.about
            text = str(content["data"].get("text/plain", ""))
            if content.get("transient", {}).get("display_id"):
                summary[content["transient"]["display_id"]] = text
            elif "text/markdown" in content["data"] and about:
                answer.code += text
            elif about and not self._is_output(content["data"]):
                summary[len(summary)] = text
        answer.summary = "\n".join(summary.values())
        for error in done.of_type("error"):
            answer.error = f"{error.content['ename']}: {error.content['evalue']}"
        return answer

    @staticmethod
    def _is_output(data: dict) -> bool:
        return "image/png" in data or "<table" in str(data.get("text/html", ""))

    def _dump(self) -> list:
        path = self.folder / "capture.bin"
        path.unlink(missing_ok=True)
        self.client.run(f"{DUMP}; {TIDY}" if self.tidy else DUMP, timeout=PATIENCE)
        return json.loads(zlib.decompress(path.read_bytes()))

    def close(self) -> None:
        self.kernel.close()
