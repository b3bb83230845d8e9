"""input() and getpass(): a question to the user, in the middle of a cell."""

import builtins
import getpass
import threading
from typing import Any

from IPython.core.error import StdinNotImplementedError

from .channel import Channel

_END_OF_FILE = "\x04"


class Stdin:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.allowed = False

    def install(self) -> None:
        builtins.input = self.raw_input
        getpass.getpass = self.getpass

    def raw_input(self, prompt: Any = "") -> str:
        return self._ask("raw_input", str(prompt), password=False)

    def getpass(self, prompt: Any = "Password: ", stream: Any = None) -> str:
        return self._ask("getpass", str(prompt), password=True)

    def _ask(self, name: str, prompt: str, *, password: bool) -> str:
        if not self.allowed or self.channel.running is None:
            raise StdinNotImplementedError(
                f"{name} was called, but this frontend does not support input requests."
            )
        if threading.current_thread() is not threading.main_thread():
            raise StdinNotImplementedError(f"{name} was called, but not by the main thread.")
        self.channel.discard_input()
        content = {"prompt": prompt, "password": password}
        self.channel.send("input_request", self.channel.running, content)
        reply = self.channel.await_input()
        while reply.type != "input_reply":
            reply = self.channel.await_input()
        value = reply.content.get("value", "")
        if value == _END_OF_FILE:
            raise EOFError
        return value
