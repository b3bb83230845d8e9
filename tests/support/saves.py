"""Checkpoints after cells, as they are seen from inside of the sandbox."""

import ast
import time

from support.client import START, Client

PROCESSES = "sorted(n for n in __import__('os').listdir('/proc') if n.isdigit())"


def wait_for_checkpoint(client: Client, code: str = "pass") -> None:
    """Of all that is there now. It is one process beside init and the worker, and another one after
    each cell: also after who looks for it. The worker waits until one has settled, so one that a
    cell sees has."""
    client.run(code, timeout=START)
    before = processes(client)
    while processes(client) <= before:
        time.sleep(0.03)


def processes(client: Client) -> set[str]:
    return set(ast.literal_eval(client.value(PROCESSES)))
