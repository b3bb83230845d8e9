"""Envelopes: a line of JSON that names lengths, then the bytes themselves."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

# As in common/limits.h.
MAX_LINE = 64 << 10
MAX_BUFFERS = 1024
MAX_METADATA = 1 << 20
MAX_BYTES = 256 << 20
MAX_ID = 256
_LEAST_SHARE = 32 << 20  # as channel_share() in sandbox/messages/channel.c


class ProtocolError(Exception):
    """The stream of envelopes makes no sense; it cannot be used any further."""


def share_of(memory_mb: int) -> int:
    """What may be sent at once from a sandbox with so much memory, 0: without a limit."""
    share = (memory_mb << 20) // 8 or MAX_BYTES
    return min(MAX_BYTES, max(_LEAST_SHARE, share))


def encode(
    kind: str,
    parent: bytes,
    content: bytes,
    metadata: bytes = b"",
    buffers: Sequence[memoryview] = (),
    most: int = MAX_BYTES,
) -> list[Any]:
    """The parts of an envelope, to be sent one after the other. `parent` is a JSON string
    or empty. ValueError when it would be larger than its reader takes."""
    if not metadata and not buffers:
        if len(content) > most:
            raise ValueError(_too_large(len(content), most))
        return [head(kind, parent, len(content)) + b"}\n" + content + b"\n"]
    sizes = [len(part) for part in buffers]
    total = len(content) + len(metadata) + sum(sizes)
    if total > most:
        raise ValueError(_too_large(total, most))
    if len(metadata) > MAX_METADATA:
        raise ValueError(f"metadata of {len(metadata)} bytes, at most {MAX_METADATA} can be sent")
    if len(sizes) > MAX_BUFFERS:
        raise ValueError(f"{len(sizes)} buffers, at most {MAX_BUFFERS} can be sent at once")
    line = head(kind, parent, len(content)) + b',"metadata":%d' % len(metadata)
    line += b',"buffers":%s}\n' % json.dumps(sizes).encode()
    return [line + content + metadata, *buffers, b"\n"]


def head(kind: str, parent: bytes, size: int) -> bytes:
    """The line as far as content's size."""
    if parent:
        return b'{"type":"%s","parent":%s,"bytes":%d' % (kind.encode(), parent, size)
    return b'{"type":"%s","bytes":%d' % (kind.encode(), size)


def _too_large(size: int, most: int) -> str:
    sizes = f"an output of {size >> 20} MiB, at most {most >> 20} MiB can be sent at once"
    return sizes + (", an eighth of resources.memory_mb" if _LEAST_SHARE < most < MAX_BYTES else "")


@dataclass(slots=True)
class Request:
    """What sandboxd asks for; also the parent of whatever comes of it."""

    type: str
    id: str
    msg_id: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    buffers: list[memoryview] = field(default_factory=list)
    parent: bytes = b""
    beside: str | None = None  # runs there: in this subshell, or "": where a cell awaits

    def forget(self) -> None:
        """Once answered: whoever still prints for this request needs its names only."""
        self.content = {}
        self.buffers = []

    def as_message(self) -> dict[str, Any]:
        """The shape in which ipykernel hands requests to libraries."""
        header = {"msg_id": self.msg_id or self.id, "msg_type": self.type, "session": "",
                  "username": "", "version": "5.4"}  # fmt: skip
        return {
            "header": header,
            "msg_id": header["msg_id"],
            "msg_type": self.type,
            "parent_header": {},
            "metadata": self.metadata,
            "content": self.content,
            "buffers": self.buffers,
        }


def decode(bytes_: bytearray) -> tuple[Request | None, int]:
    """Take one request off the front: it and the bytes it used, or None and the number of
    bytes that are needed at least."""
    end = bytes_.find(b"\n", 0, MAX_LINE)
    if end < 0:
        if len(bytes_) >= MAX_LINE:
            raise ProtocolError("envelope line too long")
        return None, len(bytes_) + 1
    line = json.loads(bytes_[:end])
    sizes = [line.get("bytes", 0), line.get("metadata", 0), *line.get("buffers", ())]
    total = end + 1 + sum(sizes) + 1
    if total > MAX_BYTES + MAX_LINE:
        raise ProtocolError("envelope too large")
    if len(bytes_) < total:
        return None, total
    content, metadata, *buffers = _sections(bytes_, end + 1, sizes)
    request = Request(
        type=line["type"],
        id=line.get("id", ""),
        msg_id=line.get("msg_id", ""),
        content=json.loads(content) if content else {},
        metadata=json.loads(metadata) if metadata else {},
        buffers=[memoryview(part) for part in buffers],
        parent=json.dumps(line.get("id", "")).encode(),
        beside=line.get("beside"),
    )
    return request, total


def _sections(bytes_: bytearray, at: int, sizes: Iterable[int]) -> list[bytes]:
    sections = []
    for size in sizes:
        sections.append(bytes(bytes_[at : at + size]))
        at += size
    return sections
