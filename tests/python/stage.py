"""A zygote without walls: warms up, then forks an init for each socket it is sent.

Started by driver.py as `python -I -X utf8 stage.py WORKER_DIR LIBDIR SOCKET_FD HOW`: `warm`, as a zygote
is after a while; `failing`, as warm, and pandas' failures have been told here; `early`, as it is when the first sandbox is forked; `bare`, likewise, and its
workers load nothing more by themselves.
"""

import array
import ctypes
import gc
import json
import os
import signal
import socket
import sys

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    from cellpod import init, isolate
    from cellpod.loop import main as work
    from cellpod.warm import begin, leave, warm

    sys.path.remove(sys.argv[1])
    how = sys.argv[4]
    versions = warm(sys.argv[2]) if how in ("warm", "failing") else begin(sys.argv[2])
    if how == "bare":
        leave()
    if how == "failing":
        tell_failures()
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
        if os.fork() == 0:
            control.close()
            library = isolate.Library(sys.argv[2])
            become_init(ends[0], json.loads(data))
            library.prepare_init()
            library.begin_init()
            init.serve(library, work)
        os.close(ends[0])


def tell_failures() -> None:
    """A traceback through pandas reads the whole of its files: most of what a failure costs."""
    import pandas
    from IPython.core.ultratb import FormattedTB

    names = {"df": pandas.DataFrame({"n": [1], "text": ["a"]})}
    for code in ("df['x']", "df['text'].mean()", "df['text'] / 2", "df.groupby('x').n.sum()",
                 "df['text'].astype(float)", "df['text'].diff()", "df.groupby('n').text.mean()"):
        try:
            exec(code, names)
        except Exception:
            FormattedTB(mode="Context").text(*sys.exc_info())


def become_init(end: int, spec: dict) -> None:
    """Orphans are its to reap, as in a sandbox."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.chdir(spec["cwd"])
    os.environ.update(spec["env"] | {"HOME": spec["home"]})
    os.dup2(end, 3)
    os.closerange(4, 200)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2) if not spec.get("show") else (0,):
        os.dup2(null, fd)


main()
