"""The zygote: a Python that has imported what notebooks need, and only forks.

    PYTHON -I -X utf8 zygote.py LIBDIR own|pod        (descriptor 3: sandboxd's socket)

It runs no user code, holds no secret and has one thread. docs/sandbox-protocol.md,
section 4, lists its messages. It is ready when it has what every cell needs, and forks the first
sandbox then; the next ones, once all is loaded: those share its memory.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import pwd
import select
import site
import socket
import sys
import time
from collections.abc import Callable

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from cellpod import init, threads  # noqa: E402
from cellpod.isolate import Failure, Library, make_plan  # noqa: E402
from cellpod.preload import Preloads  # noqa: E402
from cellpod.plan import (  # noqa: E402
    POD_BINDS,
    POD_HOME,
    WORKSPACE,
    binds_for,
    lies_in,
    temporary_folder,
)

SPEC_BYTES = 1 << 20
FIRST_SECONDS = 0.02  # from "ready" to the request of somebody who waits for it
REST_SECONDS = 0.5  # from the first sandbox to the modules that are not in it

# Libraries that start threads when they are loaded, and what keeps them from it.
NO_THREADS = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}  # pyarrow's allocator


class StartError(Exception):
    def __init__(self, code: str, message: str, remedy: str):
        super().__init__(message)
        self.report = {"type": "failed", "code": code, "message": message, "remedy": remedy}


def import_first(library_folder: str) -> tuple[init.Worker, dict]:
    """The worker's entry and the versions of what was imported."""
    try:
        import IPython  # noqa: F401  first: it is what people lack
        from cellpod.loop import main
        from cellpod.warm import begin

        return main, begin(library_folder)
    except ImportError as error:
        name = (error.name or "").partition(".")[0]
        raise StartError(
            f"no-{name.lower() or 'module'}",
            f"{sys.executable} cannot import {name or 'a module'}: {error}",
            f"{sys.executable} -m pip install ipython comm numpy pandas matplotlib",
        ) from error


def stop_library_threads() -> None:
    """OpenBLAS starts its threads when it is loaded, ends them before a fork, and starts
    them anew when they are needed: so fork once."""
    if os.fork() == 0:
        os._exit(0)


def check_threads() -> None:
    names = threads.names()
    if len(names) > 1:
        raise StartError(
            "threads",
            f"an imported module has started threads: {', '.join(sorted(names))}",
            "a sandbox is forked from one thread: remove the start-up file (.pth, "
            f"sitecustomize) in {sys.prefix} that starts them",
        )


def python_prefixes() -> list[str]:
    """Every folder that this Python needs at run time, by each of its names."""
    named = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    named |= {path for path in site.getsitepackages() if os.path.isdir(path)}
    named |= {os.path.realpath(path) for path in named}
    return sorted(p for p in named if not any(p != q and lies_in(p, q) for q in named))


def executable_links(prefixes: list[str]) -> list[str]:
    """The symbolic links that lead to this Python from outside of its folders."""
    links, path = [], sys.executable
    while os.path.islink(path):
        path = os.path.join(os.path.dirname(path), os.readlink(path))
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not any(lies_in(path, folder) for folder in prefixes):
            links.append(path)
    return links


def home_folder() -> str:
    """Empty for a user whom this machine does not know."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def check_prefixes(prefixes: list[str]) -> None:
    home = home_folder()
    for prefix in prefixes:
        if prefix == "/" or (home not in ("", "/") and lies_in(home, prefix)):
            raise StartError(
                "python-prefix",
                f"this Python is installed in {prefix}, which holds your home: sandboxes "
                "would see all of it",
                "make a virtual environment in a folder of its own: python3 -m venv ~/.venv",
            )


class Zygote:
    def __init__(self, channel: socket.socket, library_folder: str, mode: str):
        self.started = time.monotonic()
        self.channel = channel
        self.is_pod = mode == "pod"
        self.library_folder = library_folder
        self.library = Library(library_folder)
        self.prefixes = python_prefixes()
        installation = os.path.dirname(os.path.dirname(library_folder))
        self.prefixes += [*executable_links(self.prefixes), library_folder, HERE]
        self.spawned = 0
        self.preloads = Preloads(channel.fileno(), self.settle)
        self.programs = [os.path.join(installation, "bin")]

    def start(self) -> None:
        gc.disable()  # until all is loaded: it would look at each module time and again
        self.library.prepare(is_pod=self.is_pod)
        check_prefixes(self.prefixes)
        os.environ.update(NO_THREADS)
        set_home()
        self.worker, packages = import_first(self.library_folder)
        sys.path.remove(HERE)  # what was imported stays; the user's modules come first
        self.library.compile()
        if self.is_pod:  # it is ready when its one sandbox will be
            self.load_rest()
        else:
            self.settle()
        self.tell(
            {
                "type": "ready",
                "python": ".".join(map(str, sys.version_info[:3])),
                "packages": packages,
                "prefixes": self.prefixes,
                "warm_ms": round((time.monotonic() - self.started) * 1000),
            }
        )

    def settle(self) -> None:
        """Be what can be forked: one thread, and nothing for the collector to look at."""
        stop_library_threads()
        threads.settle()
        check_threads()
        gc.freeze()

    def load_rest(self) -> None:
        from cellpod import warm

        while warm.go_on():
            pass
        gc.enable()
        gc.collect()
        self.settle()

    def serve(self) -> None:
        """The first sandbox does not wait for the rest, if it is wanted by now. Those that come
        meanwhile do: they would have to load it each for itself."""
        if not gc.isenabled():
            while self.spawned < 1 and self.is_asked(FIRST_SECONDS):
                if not self.hear():
                    return
            if self.spawned:  # it needs the processor more; whoever comes now needs the rest
                self.is_asked(REST_SECONDS)
            self.load_rest()
        while True:
            self.preloads.begin()
            tried = self.preloads.file()
            files = [self.channel] if tried is None else [self.channel, tried]
            ready = select.select(files, [], [], self.preloads.seconds_left())[0]
            if self.channel not in ready:
                self.preloads.finish()
            elif not self.hear():
                return

    def is_asked(self, seconds: float) -> bool:
        return bool(select.select([self.channel], [], [], seconds)[0])

    def tell(self, message: dict, fds: list[int] | None = None) -> None:
        socket.send_fds(self.channel, [json.dumps(message).encode()], fds or [])

    def hear(self) -> bool:
        """Answer one request. Returns false at the end of all."""
        text, fds, _, _ = socket.recv_fds(self.channel, SPEC_BYTES, 4)
        if not text:
            return False
        try:
            self.answer(json.loads(text), fds)
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def answer(self, request: dict, fds: list[int]) -> None:
        if request.get("type") == "preload":
            self.preloads.want(request.get("names"), request.get("memory_mb"))
        else:
            self.answer_spawn(request, fds)

    def answer_spawn(self, request: dict, fds: list[int]) -> None:
        name = {"id": request.get("id")}
        try:
            pid, pidfd = self.spawn(request["spec"], fds)
        except Failure as failure:
            self.tell(failure.report | name)
        except (MemoryError, OSError) as error:  # it may be better for the next one
            self.tell(init.failure_of(error) | name)
        except (KeyError, TypeError, ValueError) as error:
            message = f"{type(error).__name__}: {error}"
            report = {"type": "failed", "code": "bad-spec", "message": message, "remedy": ""}
            self.tell(report | name)
        else:
            self.tell({"type": "spawned", "pid": pid} | name, [pidfd])
            os.close(pidfd)

    def spawn(self, spec: dict, fds: list[int]) -> tuple[int, int]:
        waived = self.library.waivers(spec["waive"])
        if len(fds) != 1 + spec["idmap"]:
            raise ValueError(f"{len(fds)} descriptors beside the request")
        if "users" in spec["waive"]:  # the sandbox's files are its own as they are
            spec |= {"sandbox_uid": None, "idmap": False}
            fds = fds[:1]
        plan = make_plan(
            POD_BINDS if self.is_pod else binds_for(spec, self.prefixes, self.programs),
            waived=waived,
            sandbox_id=spec["sandbox_uid"],
            has_idmap=spec["idmap"],
            limits=spec["limits"],
            proxy_port=spec["proxy_port"] or 0,
            cwd=spec["cwd"] if spec["workspace"] else WORKSPACE,
        )
        env = default_environment() | temporary_folder(spec)
        env |= spec["env"] | {"HOME": POD_HOME if self.is_pod else init.HOME}
        workspace = spec["workspace"]["path"] if spec["workspace"] else WORKSPACE
        self.library.memory_mb = plan.memory_mb
        self.spawned += 1
        pid, pidfd = self.library.spawn(waived)
        if pid == 0:
            self.become_init(fds, lambda: init.run(self.library, plan, env, workspace, self.worker))
        return pid, pidfd

    def become_init(self, fds: list[int], run: Callable[[], None]) -> None:
        try:
            if not gc.isenabled():
                gc.enable()
                self.preloads.leave_to_worker()
            if self.is_pod:
                os.makedirs(POD_HOME, mode=0o700, exist_ok=True)
            self.library.keep_only(*fds, *[None] * (2 - len(fds)))
            run()
        finally:
            os._exit(1)


def set_home() -> None:
    """Libraries look for one while they are imported, and fail without."""
    known = os.path.expanduser("~")
    os.environ.setdefault("HOME", known if os.path.isabs(known) else "/nonexistent")


def default_environment() -> dict[str, str]:
    programs = os.path.join(sys.prefix, "bin")
    return {
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "USER": "sandbox",
        "LOGNAME": "sandbox",
        "SHELL": "/bin/bash",
    }


def main() -> None:
    channel = socket.socket(fileno=3)
    try:
        zygote = Zygote(channel, os.path.abspath(sys.argv[1]), sys.argv[2])
        zygote.start()
        zygote.serve()
    except (StartError, Failure) as error:
        channel.send(json.dumps(error.report).encode())
        sys.exit(1)
    except Exception as error:
        if isinstance(error, MemoryError) or getattr(error, "errno", 0) == errno.ENOMEM:
            channel.send(json.dumps(init.failure_of(error)).encode())
            raise
        report = {
            "type": "failed",
            "code": "zygote",
            "message": f"{type(error).__name__}: {error}",
            "remedy": "sandboxd.log in the state folder has the traceback",
        }
        channel.send(json.dumps(report).encode())
        raise


if __name__ == "__main__":
    main()
