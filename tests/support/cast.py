"""Who takes part in a kernel's cells."""

import psutil

from support.sandboxd_http import sandboxes


class Cast:
    """By name: their pids. The kernel's sandbox is ready."""

    def __init__(self, laboratory, kernel):
        self.daemon = laboratory.sandboxd().pid
        self.kernel = kernel.pid
        (path,) = (laboratory.runtime / "cellpod").glob("sandboxd*.sock")
        (ready,) = [s for s in sandboxes(path) if s.get("owner") == {"pid": kernel.pid}]
        self.worker = ready["worker"]["pid"]
        self.init = psutil.Process(self.worker).ppid()
        self.zygote = psutil.Process(self.init).ppid()

    def below_daemon(self) -> list[psutil.Process]:
        return psutil.Process(self.daemon).children(recursive=True)
