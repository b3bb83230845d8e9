"""The worker's life: say hello, then answer one request after the other."""

import contextlib
import functools
import gc
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn

from . import (
    comms,
    failures,
    introspect,
    ipykernel_face,
    journal,
    mending,
    messages,
    packages,
    parents,
    programs,
    question_names,
    streams,
    subshells,
    trio_runs,
    warm,
)
from .aio import Async, let_run_start
from .attempts import Attempts
from .channel import SIGNALS, Channel
from .check import check
from .checkpoint import NO_INIT, Init
from .debugger import Debugger
from .envelope import Request, share_of
from .execute import Executor
from .history import writable_file
from .imports import Imports
from .inventory import Inventory
from .kernel import Kernel
from .profile import profile
from .saves import QUIET_MS, Answered, Saves
from .shell import ZMQInteractiveShell, safe_str
from .stdin import Stdin
from .undo import UndoMagics

HOME = Path("/home/sandbox")
_LOOKS = (
    "beside", "complete_request", "is_complete_request", "history_request", "comm_info_request",
)  # fmt: skip
_COMM_TYPES = ("comm_open", "comm_msg", "comm_close")

Reply = tuple[dict[str, Any], dict[str, Any]]
Answer = Callable[[Request], dict[str, Any]]


def _bare(answer: Answer) -> Callable[[Request], Reply]:
    """A reply without metadata."""
    return lambda request: (answer(request), {})


class Worker:
    def __init__(self, sock: socket.socket, home: Path, init: Init) -> None:
        self.channel = Channel(sock)
        self.shell: ZMQInteractiveShell = warm.shell()
        self.output = streams.Output(self.channel, journal.borrow(sock))
        self.aio = Async(self.channel.interrupts)
        self.stdin = Stdin(self.channel)
        self.executor = Executor(self.shell, self.channel, self.stdin, self.aio)
        self.attempts = Attempts(self, init)
        self.debugger = Debugger(self.shell, self.channel)
        self.subshells = subshells.Subshells(self)
        self.saves = Saves(self, self.attempts.checkpoint, self.attempts)
        self.channel.interrupts.memory_mb = init.memory_mb
        self.channel.most = share_of(init.memory_mb)
        self.inventory = Inventory(self.channel)
        self.imports = Imports(self.channel)
        self.home = home
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        shell = self.shell
        self._answers: dict[str, Callable[[Request], Reply | None]] = {
            "execute_request": self.executor.execute,
            "attempt_request": self._attempt,
            "complete_request": _bare(
                lambda r: question_names.answer(shell, r) or introspect.complete(shell, r)
            ),
            "inspect_request": _bare(lambda r: introspect.inspect(shell, r)),
            "is_complete_request": _bare(lambda r: introspect.is_complete(shell, r)),
            "history_request": _bare(self._history),
            "comm_info_request": _bare(self._comm_info),
            "debug_request": _bare(self.debugger.answer),
            "announce_request": _bare(self.executor.announce),
            "subshell_request": _bare(self.subshells.refuse),
            "command_request": _bare(lambda r: programs.answer(r.content, self.channel.interrupts)),
            "check_request": _bare(lambda r: check(r.content, shell.user_ns)),
            "attempt_end_request": _bare(self.attempts.end),
            "profile_request": _bare(self._profile),
            **dict.fromkeys(_COMM_TYPES, _bare(self._comm)),
        }
        messages.check(self._answers)

    # --- becoming a worker -------------------------------------------------------------

    def prepare(self) -> None:
        set_environment(self.home)
        introspect.keep_cache_below(self.home)
        if packages.is_wanted_from_the_start():
            packages.ensure(self.home)
        streams.install(self.output)
        self.shell.adopt(self.channel, self.home)
        self.shell.kernel = Kernel(self.shell, self.channel)
        self.shell.register_magics(UndoMagics(self.shell, self.saves))
        self.shell.loop_runner = self.subshells.run_awaiting
        self.output.listener = self.subshells
        let_run_start()
        trio_runs.install()
        self.output.record = self.shell.history_manager.record
        self.stdin.install()
        comms.install(self.channel)
        ipykernel_face.install()
        parents.follow_threads()
        self._flush_before_subprocesses()
        self._follow_forks()
        self.channel.interrupts.install()

    def _flush_before_subprocesses(self) -> None:
        """What was printed before a subprocess starts comes before its output."""

        def flushing(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                self.output.flush()
                return function(*args, **kwargs)

            return call

        subprocess._fork_exec = flushing(subprocess._fork_exec)
        os.system = flushing(os.system)
        os.posix_spawn = flushing(os.posix_spawn)
        os.posix_spawnp = flushing(os.posix_spawnp)
        os._exit = flushing(os._exit)

    def _follow_forks(self) -> None:
        def in_child() -> None:
            if self.attempts.checkpoint.is_forking():
                return
            self.channel.after_fork_in_child()
            self.subshells.forget()
            self.debugger.after_fork_in_child()
            self.output.after_fork_in_child()

        os.register_at_fork(
            before=self.channel.before_fork,
            after_in_parent=self.channel.after_fork_in_parent,
            after_in_child=in_child,
        )

    def after_waking(self) -> None:
        """In a checkpoint that is the worker now."""
        self.aio.after_waking()
        self.output.after_waking()
        self.shell.history_manager.open_again()
        self.inventory.forget()
        self.saves.after_waking()
        mending.mend()

    def greet(self) -> None:
        versions = dict(warm.versions())
        self.channel.send("hello", None, {"python": versions.pop("python"), "packages": versions})

    # --- answering ---------------------------------------------------------------------

    def serve(self) -> NoReturn:
        while True:
            request = self._next()
            if request.type not in _LOOKS:  # nothing is loaded behind the back of code that ran
                warm.leave()
            if request.type == "beside":
                self.subshells.adopt(self.channel.take_lent())
                self.output.start()
            elif request.type != "input_reply":  # one that comes too late is dropped
                self._handle(request)

    def _next(self) -> Request:
        self._take_comms()
        self._warm_up()
        while self.saves.is_waiting() and self._is_quiet():
            self._take_comms()
            if self.saves.is_due():
                self.saves.make()
        return self.channel.receive(self._await_request)

    def _warm_up(self) -> None:
        """What the zygote had not loaded yet when it forked, while nobody asks for anything."""
        while warm.is_left() and not self.channel.has_input(0):
            warm.go_on()

    def _take_comms(self) -> None:
        if self.subshells.has_for_main():
            self.subshells.take_for_main()

    def _await_request(self) -> None:
        """Returns when there is something to read."""
        while not self.aio.used:
            if self.subshells.wait(self.channel.fileno()):
                return
        self._wait()

    def _is_quiet(self) -> bool:
        """Nothing is asked for a moment."""
        if not self.aio.used:
            return not self.channel.has_input(QUIET_MS)
        if not self.channel.has_input(0):
            self._wait(QUIET_MS / 1000)
        return not self.channel.has_input(0)

    def _wait(self, seconds: float | None = None) -> None:
        """Tasks are user code, too."""
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
            self.aio.wait_for(self.channel.fileno(), seconds)
        except BaseException:
            traceback.print_exc()
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)

    def _handle(self, request: Request) -> None:
        interrupts = self.channel.interrupts
        interrupts.start()
        self.channel.running = request
        parents.start(request)
        comms.install()
        self.output.start()
        self.attempts.begin_request(request)
        began = perf_counter()
        reply = self._answer_with_signals(request)
        worked = perf_counter() - began
        interrupts.finish()
        try:
            reply = self.saves.before_reply(request) or reply
        except Answered:
            self.saves.make()
            return
        self.channel.running = None
        if reply:
            self.reply(request, *reply)
        self.saves.note(request)
        if request.type == "execute_request":
            self._tell_imports(request.content.get("code"))
        request.forget()
        self._afterwards()
        self.saves.after_reply(worked)

    def handle_comm(self, request: Request) -> None:
        """One that came for the main thread while a cell ran there, and that did not await it."""
        interrupts = self.channel.interrupts
        interrupts.start()
        parents.start(request)
        comms.install()
        reply = self._answer_with_signals(request)
        interrupts.finish()
        if reply:
            self.reply(request, *reply)
        request.forget()

    def _answer_with_signals(self, request: Request) -> Reply | None:
        """User code may have set an alarm, say. Its handler may run in user code alone:
        elsewhere the exception that it raises would cost somebody a message."""
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        except BaseException:  # of an alarm that rang after its cell
            traceback.print_exc()
        try:
            reply = self.answer(request)
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        except BaseException as error:
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
            reply = self.apology(request, error), {}
        return reply

    def answer(self, request: Request) -> Reply | None:
        """None when the reply has been sent."""
        answer = self._answers.get(request.type)
        if answer is None:
            raise ValueError(f"{request.type} is not known here")
        return answer(request)

    def _attempt(self, request: Request) -> Reply | None:
        self.debugger.end()
        return self.attempts.run(request, functools.partial(self.executor.attempt, request))

    def _profile(self, request: Request) -> dict[str, Any]:
        namespace = self.shell.user_ns
        found = profile(namespace, self.shell.user_ns_hidden)
        if request.content.get("failure") is True:
            found["failure"] = failures.describe_last(namespace)
        return found

    def apology(self, request: Request, error: BaseException) -> dict[str, Any]:
        """Every request gets its answer, also one that we fail on."""
        if request.type in _COMM_TYPES:
            return {}
        content = {
            "status": "error",
            "ename": type(error).__name__,
            "evalue": safe_str(error),
            "traceback": traceback.format_exception(error),
        }
        if request.type in ("execute_request", "attempt_request"):
            count = self.shell.execution_count - 1
            content |= {"execution_count": count, "user_expressions": {}, "payload": []}
        return content

    def reply(self, request: Request, content: dict[str, Any], metadata: dict[str, Any]) -> None:
        unknown = request.type.removesuffix("_request") + "_reply"  # sandboxd sends none
        kind = messages.REQUESTS.get(request.type, unknown)
        try:
            self.channel.send(kind, request, content, metadata)
        except BaseException as error:  # of objects that cannot be sent, or that we must ask
            self.channel.send(kind, request, self.apology(request, error), metadata)

    def _afterwards(self) -> None:
        """What need not keep a client waiting."""
        self.shell.history_manager.save()
        with contextlib.suppress(Exception):  # of objects that lie about themselves
            self.inventory.after_cell(self.shell.user_ns, self.shell.user_ns_hidden)

    def _tell_imports(self, code: object) -> None:
        with contextlib.suppress(Exception):  # of a path or a table of modules that cells changed
            self.imports.after_cell(code)

    # --- the small requests --------------------------------------------------------------

    def _comm(self, request: Request) -> dict[str, Any]:
        interrupts = self.channel.interrupts
        try:
            with self.aio.current():
                interrupts.enter_code()
                comms.handle(request)
        except KeyboardInterrupt:
            traceback.print_exc()
        finally:
            interrupts.end()
        return {}

    def _history(self, request: Request) -> dict[str, Any]:
        return {"status": "ok", "history": self.shell.history_manager.answer(request.content)}

    def _comm_info(self, request: Request) -> dict[str, Any]:
        return {"status": "ok", "comms": comms.info(request.content.get("target_name"))}


def set_environment(home: Path) -> None:
    os.environ.update(
        HOME=str(home),
        USER="sandbox",
        LOGNAME="sandbox",
        IPYTHONDIR=str(home / ".ipython"),
        MPLCONFIGDIR=str(home / ".config/matplotlib"),
        XDG_CACHE_HOME=str(home / ".cache"),
        MPLBACKEND="module://matplotlib_inline.backend_inline",
    )
    # Without a network pip would try for a minute.
    os.environ.setdefault("PIP_RETRIES", "0")
    os.environ.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")


def main(channel: socket.socket, home: Path = HOME, init: Init = NO_INIT) -> NoReturn:
    """Be a worker, on this channel, for the rest of this process's life."""
    log = os.fdopen(os.dup(2), "w")  # descriptor 2 will be the user's
    try:
        worker = _start(channel, home, init)
    except BaseException:
        traceback.print_exc(file=log)
        log.flush()
        os._exit(1)
    while True:
        try:
            worker.serve()
        except BaseException:  # nothing should get here; the channel is whole, so go on
            traceback.print_exc(file=log)
            log.flush()


def _start(channel: socket.socket, home: Path, init: Init) -> Worker:
    channel.set_inheritable(False)
    sys.path.insert(0, "")  # the notebook's folder, as in ipykernel
    sys.argv = [""]  # as in an interactive Python; the zygote's arguments are not a cell's
    worker = Worker(channel, home, init)
    worker.prepare()
    worker.greet()
    worker.shell.history_manager.open(writable_file(home / ".state"))
    # Python looks for old garbage when its old objects have grown by a quarter; what the
    # zygote has frozen must not count, or closed figures would pile up by the dozen.
    gc.collect()
    return worker
