"""IPython's history, without its thread and without a database until there is a home.

Lines are written after a cell's reply has been sent, in one transaction, with the cheapest
journal that survives the death of the process.
"""

import contextlib
import sqlite3
import sys
from pathlib import Path
from typing import Any

from IPython.core.history import HistoryManager, HistoryOutput

BUSY_SECONDS = 1.0
KEPT_TEXT = 1 << 20  # characters of a cell's text that %notebook may ask for

_PRAGMAS = ("synchronous=OFF", "journal_mode=TRUNCATE", "temp_store=MEMORY")


class WorkerHistory(HistoryManager):
    def __init__(self, **kwargs: Any) -> None:
        self.notice = ""
        self._kept = 0
        self._file: Path | None = None
        self._is_frozen = False
        super().__init__(**kwargs)

    def open(self, file: Path | None) -> None:
        """Go on in this file; in memory if there is none or it cannot be used."""
        if file is None:
            return
        memory = self.db, self.session_number
        try:
            self.db = self._connect(file)
            self.new_session()
            self.hist_file = self._file = file
        except (sqlite3.Error, OSError) as error:
            self.db, self.session_number = memory
            self.notice = f"The history of this notebook is not kept: {file}: {error}"

    def _connect(self, file: Path) -> sqlite3.Connection:
        db = sqlite3.connect(
            file,
            timeout=BUSY_SECONDS,
            check_same_thread=False,
            detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES,
        )
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        with db:
            for statement in self._schema():
                db.execute(statement)
        return db

    def _schema(self) -> list[str]:
        """IPython's own tables, as it made them in memory."""
        rows = self.db.execute("SELECT sql FROM sqlite_master WHERE type='table'").fetchall()
        return [
            sql.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1)
            for (sql,) in rows
            if "sqlite_sequence" not in sql
        ]

    def save(self) -> None:
        """Write what is new; broken storage costs the history, never the cell."""
        if not self.db_input_cache and not self.db_output_cache:
            return
        try:
            self.writeout_cache()
        except (sqlite3.Error, OSError) as error:
            self._lose(error)

    def writeout_cache(self, *args: Any, **kwargs: Any) -> None:
        if not self._is_frozen:
            super().writeout_cache(*args, **kwargs)

    def freeze(self) -> None:
        """While it is not known whether what runs is kept: nothing is written."""
        self._is_frozen = True

    def thaw(self) -> None:
        self._is_frozen = False

    def open_again(self) -> None:
        """In a fork that goes on. A connection to a database does not survive a fork."""
        if self._file is None:
            return
        self.db_input_cache.clear()  # of a cell that another process has run to its end
        self.db_output_cache.clear()
        inherited = self.db
        try:
            self.db = self._connect(self._file)
            inherited.close()
        except (sqlite3.Error, OSError) as error:
            self._lose(error)

    def remember_until(self, number: int) -> None:
        """Lines of cells that another process has run, as far as they were written."""
        known = len(self.input_hist_raw)
        found: dict[int, tuple[str, str]] = {}
        if self._file is not None:
            with contextlib.suppress(sqlite3.Error):
                rows = self.db.execute(
                    "SELECT line, source, source_raw FROM history WHERE session=? AND line>=? AND line<?",
                    (self.session_number, known, number),
                )
                found = {line: (source, raw) for line, source, raw in rows}
        for line in range(known, number):
            parsed, raw = found.get(line, ("", ""))
            self.input_hist_parsed.append(parsed)
            self.input_hist_raw.append(raw)

    def _lose(self, error: Exception) -> None:
        self._switch_to_memory_history()
        self._file = None
        self.db_input_cache.clear()
        self.notice = f"The history of this notebook is no longer kept: {error}"

    # --- what %notebook exports ----------------------------------------------------------

    def start_cell(self) -> None:
        self._kept = 0
        if self.notice:
            print(self.notice, file=sys.stderr)
            self.notice = ""

    def record(self, name: str, text: str) -> None:
        if self._kept > KEPT_TEXT or self.shell.running_count == 0:
            return
        self._kept += len(text)
        outputs = self.outputs[self.shell.running_count]
        kind = "out_stream" if name == "stdout" else "err_stream"
        if not outputs or outputs[-1].output_type != kind:
            outputs.append(HistoryOutput(output_type=kind, bundle={"stream": []}))
        outputs[-1].bundle["stream"].append(text)

    # --- history_request -------------------------------------------------------------------

    def answer(self, content: dict[str, Any]) -> list[Any]:
        """The entries that a history_request asks for; unknown keys mean nothing."""
        raw = content.get("raw", True)
        output = content.get("output", False)
        kind = content.get("hist_access_type", "tail")
        if kind == "tail":
            found = self.get_tail(content.get("n"), raw=raw, output=output, include_latest=True)
        elif kind == "range":
            found = self._range(content, raw, output)
        elif kind == "search":
            found = self.search(
                content.get("pattern") or "*", raw=raw, output=output, n=content.get("n"),
                unique=bool(content.get("unique", False)),
            )  # fmt: skip
        else:
            found = []
        return list(found)

    def _range(self, content: dict[str, Any], raw: bool, output: bool) -> list[Any]:
        """IPython calls the current session 0, even where it was asked for by its number."""
        session = content.get("session") or 0
        found = self.get_range(
            session, content.get("start") or 0, content.get("stop"), raw=raw, output=output
        )
        return [(session if session > 0 else number, *rest) for number, *rest in found]


def writable_file(folder: Path) -> Path | None:
    return folder / "history.sqlite" if folder.is_dir() else None
