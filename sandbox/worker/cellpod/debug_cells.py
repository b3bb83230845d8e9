"""What a debugger's client asks of cells and their variables, which debugpy does not know."""

import sys
from pathlib import Path
from typing import Any

from . import dap, variables
from .shell import CellCompiler, ZMQInteractiveShell

Message = dict[str, Any]

SOURCE_BYTES = 16 << 20


class Cells:
    """`stopped`: ids of the threads that stand at a breakpoint, kept up to date by its owner."""

    def __init__(self, shell: ZMQInteractiveShell, stopped: set[int]) -> None:
        self._shell = shell
        self._stopped = stopped
        self.breakpoints: dict[str, list[Message]] = {}
        self.is_started = False
        self._variables: variables.Variables | None = None

    def answer(self, asked: Message) -> Message | None:
        """None: a question for debugpy."""
        handler = {
            "debugInfo": self._info,
            "inspectVariables": self._inspect,
            "modules": self._modules,
            "dumpCell": self._dump,
            "source": self._source,
            "configurationDone": lambda _arguments: {},
            "variables": self._children,
            "richInspectVariables": self._rich,
        }.get(asked.get("command"))
        body = handler(asked.get("arguments") or {}) if handler else None
        return None if body is None else dap.success(asked, body)

    def _info(self, _arguments: Message) -> Message:
        compiler: CellCompiler = self._shell.compile
        return {
            "isStarted": self.is_started,
            "hashMethod": "Murmur2",
            "hashSeed": compiler.seed,
            "tmpFilePrefix": f"{compiler.folder()}/",
            "tmpFileSuffix": ".py",
            "breakpoints": [
                {"source": source, "breakpoints": points}
                for source, points in self.breakpoints.items()
            ],
            "stoppedThreads": sorted(self._stopped),
            "richRendering": True,
            "exceptionPaths": ["Python Exceptions"],
            "copyToGlobals": True,
        }

    def _inspect(self, _arguments: Message) -> Message:
        self._variables = variables.Variables(self._shell.user_ns)
        return {"variables": variables.shown(self._variables.children(None))}

    def _children(self, arguments: Message) -> Message | None:
        if self._stopped:
            return None
        if not self._variables:
            return {"variables": []}
        try:
            found = self._variables.children(arguments.get("variablesReference"))
        except KeyError:
            found = []  # of a stop that is over, as debugpy answers: JupyterLab throws at a refusal
        return {"variables": variables.shown(found)}

    def _rich(self, arguments: Message) -> Message | None:
        """Of a name; other expressions have nothing richer to show."""
        name = arguments.get("variableName")
        if not isinstance(name, str) or not name.isidentifier():
            return {"data": {}, "metadata": {}}
        if self._stopped and arguments.get("frameId") is not None:
            return None
        if name not in self._shell.user_ns:
            raise NameError(f"name {name!r} is not defined")
        data, metadata = self._shell.display_formatter.format(self._shell.user_ns[name])
        return {"data": data, "metadata": {k: v for k, v in metadata.items() if k in data}}

    def _modules(self, arguments: Message) -> Message:
        names = sorted(sys.modules)
        start = int(arguments.get("startModule") or 0)
        end = start + int(arguments.get("moduleCount") or len(names))
        found = []
        for number, name in list(enumerate(names))[start:end]:
            origin = getattr(getattr(sys.modules.get(name), "__spec__", None), "origin", None)
            if isinstance(origin, str) and origin.endswith(".py"):
                found.append({"id": number, "name": name, "path": origin})
        return {"modules": found, "totalModules": len(names)}

    def _dump(self, arguments: Message) -> Message:
        code = arguments["code"]
        path = Path(self._shell.compile.get_code_name(code, code, 0))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(code, "utf-8")
        return {"sourcePath": str(path)}

    def _source(self, arguments: Message) -> Message:
        path = Path(arguments["source"]["path"])
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not a file in the sandbox")
        if path.stat().st_size > SOURCE_BYTES:
            raise ValueError(f"{path} is over {SOURCE_BYTES >> 20} MiB")
        return {"content": path.read_text("utf-8", "replace")}
