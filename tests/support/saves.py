"""Checkpoints after cells, as they are seen from inside of the sandbox."""

import ast
import time

from support.client import START, Client

PROCESSES = "sorted(n for n in __import__('os').listdir('/proc') if n.isdigit())"


def wait_for_checkpoint(client: Client, code: str = "pass") -> None:
    """Of all that is there now. It is one process beside init and the worker, and another one after
    each cell: also after who looks for it. The worker waits until one has settled, so one that a
    cell sees has. Who asks more often than the worker comes to rest on a busy machine would keep it
    from making one, so each pause is longer than the one before."""
    client.run(code, timeout=START)
    before = processes(client)
    pause = 0.03
    while processes(client) <= before:
        time.sleep(pause)
        pause *= 1.5


def processes(client: Client) -> set[str]:
    return set(ast.literal_eval(client.value(PROCESSES)))
