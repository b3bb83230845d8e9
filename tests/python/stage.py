"""A zygote without walls: warms up, then forks a worker for each socket it is sent.

Started by driver.py as `python -I -X utf8 stage.py WORKER_DIR LIBDIR SOCKET_FD`.
"""

import array
import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    from cellpod.loop import main as work
    from cellpod.warm import warm

    sys.path.remove(sys.argv[1])
    versions = warm(sys.argv[2])
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=int(sys.argv[3]))
    control.send(json.dumps(versions).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        data, ancillary, _, _ = control.recvmsg(65536, socket.CMSG_SPACE(4))
        if not data:
            return
        ends = array.array("i", ancillary[0][2])
        pid = os.fork()
        if pid == 0:
            become_worker(control, ends[0], json.loads(data), work)
        os.close(ends[0])
        control.send(str(pid).encode())


def become_worker(control: socket.socket, end: int, spec: dict, work: Callable) -> None:
    control.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setpgid(0, 0)
    os.chdir(spec["cwd"])
    os.environ.update(spec["env"])
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2) if not spec.get("show") else (0,):
        os.dup2(null, fd)
    work(socket.socket(fileno=end), Path(spec["home"]))


main()
