"""IPython's InteractiveShell, speaking envelopes.

The names matter: pandas, rich, tqdm and many others find out that they are in a notebook
by looking for "ZMQInteractiveShell"; Plotly and click look for a module of ipykernel's. The
shell is made in the zygote, where there is no home, no history and no channel; `adopt` gives
it these in the worker.
"""

import builtins
import contextlib
import inspect
import os
import sys
import tempfile
import threading
import warnings
from _thread import get_ident
from collections.abc import Iterator
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from IPython.core import page
from IPython.core.application import ProfileDir
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell, InteractiveShellABC
from IPython.core.payload import PayloadManager
from IPython.extensions import storemagic
from IPython.external.pickleshare import PickleShareDB
from traitlets import Any as AnyTrait
from traitlets import CBool, Instance, Type, default, observe
from traitlets.config import Config

from . import charts, commands, hints, interrupts, parents
from .channel import Channel
from .envelope import Request
from .events import CellEvents
from .history import WorkerHistory
from .magics import KernelMagics
from .murmur2 import murmur2


STATE = ".state"  # below home, where it outlives the sandbox: for this folder and user


class _Hooked:
    """register_hook, as ipykernel's publishers have it: a hook of this thread sees each
    message first, and may change it or keep it (by returning None)."""

    @property
    def _hooks(self) -> list[Any]:
        try:
            return self._thread.hooks
        except AttributeError:
            self._thread.hooks = []
            return self._thread.hooks

    def register_hook(self, hook: Any) -> None:
        self._hooks.append(hook)

    def unregister_hook(self, hook: Any) -> bool:
        try:
            self._hooks.remove(hook)
        except ValueError:
            return False
        return True

    def _post(self, kind: str, content: dict[str, Any]) -> None:
        request = parents.get()
        hooks = self._hooks
        if hooks:
            message: Any = {
                "header": {"msg_type": kind},
                "msg_type": kind,
                "parent_header": request.as_message()["header"],
                "metadata": {},
                "content": content,
            }
            for hook in list(hooks):
                message = hook(message)
                if message is None:
                    return
            content = message["content"]
        self.shell.channel.send(kind, request, content)


class ZMQDisplayPublisher(_Hooked, DisplayPublisher):
    """display(), update_display() and clear_output()."""

    __module__ = "ipykernel.zmqshell"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._thread = threading.local()

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **_kwargs: Any,
    ) -> None:
        metadata = {} if metadata is None else metadata
        self._validate_data(data, metadata)
        content = {"data": data, "metadata": metadata, "transient": transient or {}}
        self._post("update_display_data" if update else "display_data", content)

    def clear_output(self, wait: bool = False) -> None:
        self._post("clear_output", {"wait": bool(wait)})


class ZMQShellDisplayHook(_Hooked, DisplayHook):
    """The value of a cell's last expression."""

    __module__ = "ipykernel.displayhook"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._thread = threading.local()

    @property
    def exec_result(self) -> Any:
        return self.shell.own.exec_result

    @exec_result.setter
    def exec_result(self, result: Any) -> None:
        self.shell.own.exec_result = result

    @property
    def prompt_count(self) -> int:
        return self.shell.running_count

    @property
    def in_progress(self) -> bool:
        return self.shell.own.shown is not None

    def quiet(self) -> bool:
        # Only a cell with a semicolon can end with one; looking closer takes a tokenizer.
        parsed = self.shell.history_manager.input_hist_parsed
        return bool(parsed) and ";" in parsed[-1] and super().quiet()

    def __call__(self, result: Any = None) -> None:
        """Of a question's code the chart is the answer, not what its last call returned."""
        if parents.get().type == "attempt_request" and charts.is_shown_anyway(result):
            return
        super().__call__(result)

    def start_displayhook(self) -> None:
        self._is_active = True
        self.shell.own.shown = {}

    def write_output_prompt(self) -> None:
        self.shell.own.shown["execution_count"] = self.prompt_count

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self.shell.own.shown["data"] = format_dict
        self.shell.own.shown["metadata"] = md_dict or {}

    def finish_displayhook(self) -> None:
        own = self.shell.own
        content, own.shown = own.shown, None
        self._is_active = False
        if content and content.get("data"):
            self._post("execute_result", content)


class Own:
    """What a thread that runs cells has for itself: the main one, and each subshell."""

    def __init__(self) -> None:
        self.running_count = 0
        self.last_traceback: list[str] | None = None
        self.display_error: BaseException | None = None
        self.exec_result: Any = None
        self.shown: dict[str, Any] | None = None  # of the result that is being displayed
        self.payloads: list[dict[str, Any]] = []


class CellPayloads(PayloadManager):
    """Of each source the last one; for the cell of the thread that writes it."""

    def write_payload(self, data: Any, single: bool = True) -> None:
        if not isinstance(data, dict):
            raise TypeError(f"Each payload write must be a dict, got: {data!r}")
        payloads = self.parent.own.payloads
        if single and "source" in data:
            payloads[:] = [each for each in payloads if each.get("source") != data["source"]]
        payloads.append(data)

    def read_payload(self) -> list[dict[str, Any]]:
        return self.parent.own.payloads

    def clear_payload(self) -> None:
        self.parent.own.payloads = []


def _own(name: str) -> Any:
    return property(
        lambda shell: getattr(shell.own, name),
        lambda shell, value: setattr(shell.own, name, value),
    )


class CellCompiler(CachingCompiler):
    """Cells get ipykernel's file names: numba caches what comes from one of those, line_profiler
    finds its source. IPYKERNEL_CELL_NAME is a name for all of them. Debuggers' clients compute the
    number themselves (debugger.py)."""

    seed = 0xC70F6907

    def folder(self) -> str:
        return f"{tempfile.gettempdir()}/ipykernel_{os.getpid()}"

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        name = os.environ.get("IPYKERNEL_CELL_NAME")
        if name is None:
            digest = murmur2(raw_code.encode("utf-8", "replace"), self.seed)
            name = f"{self.folder()}/{digest}.py"
        # Else each frame of a traceback would have inspect look at every module there is.
        inspect.modulesbyfile[name] = "__main__"
        return name


class ZMQInteractiveShell(InteractiveShell):
    __module__ = "ipykernel.zmqshell"
    displayhook_class = Type(ZMQShellDisplayHook)
    display_pub_class = Type(ZMQDisplayPublisher)
    data_pub_class = None
    compiler_class = Type(CellCompiler)
    autoindent = CBool(False)
    exiter = Instance(ZMQExitAutocall)
    kernel = AnyTrait()
    keepkernel_on_exit = None
    channel: Channel
    running_count = _own("running_count")
    last_traceback = _own("last_traceback")
    display_error = _own("display_error")
    _main_own: Own | None = None
    owns: dict[int, Own] = {}  # of subshells, by thread

    @property
    def own(self) -> Own:
        """Threads of the user's belong to the main shell."""
        own = self.owns.get(get_ident()) or self._main_own
        if own is None:
            own = self._main_own = Own()
        return own

    @default("exiter")
    def _default_exiter(self) -> ZMQExitAutocall:
        return ZMQExitAutocall(self)

    # --- made in the zygote ------------------------------------------------------------

    def init_ipython_dir(self, ipython_dir: Any) -> None:
        """In adopt()."""

    def init_profile_dir(self, profile_dir: Any) -> None:
        """On first use."""

    @default("profile_dir")
    def _default_profile_dir(self) -> ProfileDir:
        Path(self.ipython_dir).mkdir(parents=True, exist_ok=True)
        return ProfileDir.create_profile_dir_by_name(self.ipython_dir, "default")

    @observe("ipython_dir")
    def _ipython_dir_changed(self, change: Any) -> None:
        """Nothing to make: adopt() does."""

    def init_history(self) -> None:
        self.history_manager = WorkerHistory(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def init_virtualenv(self) -> None:
        """The interpreter is the environment's own."""

    def init_logstart(self) -> None:
        """No log of the session unless a cell asks for one."""

    def init_payload(self) -> None:
        self.payload_manager = CellPayloads(parent=self)
        self.configurables.append(self.payload_manager)

    def init_events(self) -> None:
        super().init_events()
        self.events = CellEvents.instead_of(self.events)

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(self._page), 99)

    def init_magics(self) -> None:
        super().init_magics()
        self.register_magics(KernelMagics)
        self.magics_manager.register_alias("ed", "edit")
        storemagic.load_ipython_extension(self)

    # --- made in the worker ------------------------------------------------------------

    def adopt(self, channel: Channel, home: Path) -> None:
        self.channel = channel
        self.home_dir = str(home)
        self.ipython_dir = os.environ["IPYTHONDIR"]
        self.starting_dir = os.getcwd()
        self.history_manager.dir_hist[:] = [Path.cwd()]
        if (home / STATE).is_dir():
            self.db = PickleShareDB(home / STATE / "db")
        self.save_sys_module_state()
        session = os.environ.get("JPY_SESSION_NAME")
        if session:
            self.user_ns["__session__"] = session

    def init_environment(self) -> None:
        """For tools that cells call: colours yes, pagers no."""
        os.environ.update(
            TERM="xterm-color",
            CLICOLOR="1",
            FORCE_COLOR="1",
            CLICOLOR_FORCE="1",
            PAGER="cat",
            GIT_PAGER="cat",
        )

    # --- while a cell runs ---------------------------------------------------------------

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """IPython would wrap every write() to keep a copy; the output stream keeps one."""
        yield

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        if self.displayhook.in_progress:
            self.display_error = sys.exc_info()[1]
        super().showtraceback(*args, **kwargs)

    def _get_exc_info(self, exc_tuple: Any = None) -> Any:
        info = super()._get_exc_info(exc_tuple)
        interrupts.end_at_what_was_hit(info[1])
        return info

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        with contextlib.suppress(Exception):  # an error may have methods that fail
            stb = [*stb, *hints.help_for(evalue, self.channel.interrupts.memory_mb)]
        self.last_traceback = stb
        content = {"ename": etype.__name__, "evalue": safe_str(evalue), "traceback": stb}
        self.channel.send("error", parents.get(), content)

    def _format_exception_for_storage(self, exception: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return super()._format_exception_for_storage(exception, *args, **kwargs)
        except Exception:  # of an exception that cannot be formatted
            name = type(exception).__name__
            return {"ename": name, "evalue": safe_str(exception), "traceback": []}

    def _page(self, strg: Any, start: int = 0, *_options: Any, **_more: Any) -> None:
        data = strg if isinstance(strg, dict) else {"text/plain": strg}
        self.payload_manager.write_payload({"source": "page", "data": data, "start": max(0, start)})

    def set_next_input(self, text: str, replace: bool = False) -> None:
        self.payload_manager.write_payload(
            {"source": "set_next_input", "text": text, "replace": replace}
        )

    def ask_exit(self) -> None:
        self.payload_manager.write_payload(
            {"source": "ask_exit", "keepkernel": self.keepkernel_on_exit}
        )

    def enable_gui(self, gui: str | None = None) -> None:
        if gui not in (None, "", "inline", "asyncio", "ipympl", "widget", "nbagg", "agg"):
            raise UsageError(f"no window can be opened from a sandbox, so no {gui!r} event loop")

    def system_piped(self, cmd: str) -> None:
        """!cmd"""
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        code = commands.run(self.var_expand(cmd, depth=1), self.channel.interrupts)
        self.user_ns["_exit_code"] = code
        if self.system_raise_on_error and code != 0:
            raise CalledProcessError(code, cmd)

    system = system_piped

    # --- what libraries ask ----------------------------------------------------------------

    def get_parent(self) -> dict[str, Any]:
        return parents.get().as_message()

    @property
    def parent_header(self) -> dict[str, Any]:
        return self.get_parent()

    def set_parent(self, parent: Any) -> None:
        """Output of this context belongs to `parent` from here on."""
        request = parents.find(parent)
        if request:
            parents.current.set(request)

    def set_thread_parent(self, parent: Any) -> Any:
        request = parents.find(parent)
        return parents.current.set(request) if request else None

    def reset_thread_parent(self, token: Any) -> None:
        if token is not None:
            parents.current.reset(token)


InteractiveShellABC.register(ZMQInteractiveShell)


def safe_str(value: Any) -> str:
    """str() of an exception, whatever its __str__ does."""
    try:
        return str(value)
    except Exception as error:
        return f"<str() of this {type(value).__name__} raised {type(error).__name__}>"


def make_shell() -> ZMQInteractiveShell:
    config = Config()
    # Its presence is how tqdm and others recognise a kernel.
    config.IPKernelApp.connection_file = ""
    config.HistoryManager.hist_file = ":memory:"
    config.Completer.jedi_compute_type_timeout = 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ZMQInteractiveShell.instance(config=config)


def pristine_builtins(shell: ZMQInteractiveShell) -> None:
    """exit() and quit() as IPython's, also while no cell runs."""
    builtins.exit = builtins.quit = shell.exiter
    sys.modules["__main__"] = shell.user_module


def current_request() -> Request:
    return parents.get()
