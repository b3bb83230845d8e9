"""The Debug Adapter Protocol: how its messages are framed, and the shape of answers."""

import json
from typing import Any

_HEAD_BYTES = 4096
_MAX_BYTES = 64 << 20

Message = dict[str, Any]


def encode(message: Message) -> bytes:
    content = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(content) + content


class Stream:
    """Messages out of bytes. ValueError when they make no sense."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def take(self, data: bytes) -> list[Message]:
        self._bytes += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> Message | None:
        end = self._bytes.find(b"\r\n\r\n", 0, _HEAD_BYTES)
        if end < 0:
            if len(self._bytes) >= _HEAD_BYTES:
                raise ValueError("a header without an end")
            return None
        size = self._size(bytes(self._bytes[:end]))
        if len(self._bytes) < end + 4 + size:
            return None
        content = bytes(self._bytes[end + 4 : end + 4 + size])
        del self._bytes[: end + 4 + size]
        message = json.loads(content)
        if not isinstance(message, dict):
            raise ValueError("not a JSON object")
        return message

    def _size(self, head: bytes) -> int:
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                size = int(value)
                if 0 <= size <= _MAX_BYTES:
                    return size
        raise ValueError("a header without a length")


def success(asked: Message, body: Message) -> Message:
    return {
        "type": "response",
        "seq": asked.get("seq", 0),
        "request_seq": asked.get("seq", 0),
        "command": asked.get("command", ""),
        "success": True,
        "body": body,
    }


def failure(asked: Message, why: str) -> Message:
    return success(asked, {}) | {"success": False, "message": why}


def stop_tracing() -> None:
    """In a fork of a process with a debugger."""
    from _pydevd_bundle import pydevd_constants  # debugpy's own, which is imported

    debugger = pydevd_constants.get_global_debugger()
    if debugger:
        debugger.disable_tracing()
