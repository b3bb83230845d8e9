"""Checkpoints after cells, as they are seen from inside of the sandbox."""

import time

from support.client import START, Client

PROCESSES = "sorted(n for n in __import__('os').listdir('/proc') if n.isdigit())"


def wait_for_checkpoint(client: Client, code: str = "pass") -> None:
    """Of all that is there now. It is one process beside init and the worker, and another one after
    each cell: also after who looks for it."""
    client.run(code, timeout=START)
    before = client.value(PROCESSES)
    while client.value(PROCESSES) == before:
        time.sleep(0.03)
