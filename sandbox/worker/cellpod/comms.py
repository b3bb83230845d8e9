"""Comms: what widgets talk through."""

import logging
from typing import Any

import comm
from comm.base_comm import BaseComm, CommManager

from . import parents
from .channel import Channel
from .envelope import MAX_ID, Request

_channel: Channel
_manager = CommManager()


class Comm(BaseComm):
    sender: Request | None = None  # for which it has said something last

    def publish_msg(
        self,
        msg_type: str,
        data: Any = None,
        metadata: Any = None,
        buffers: Any = None,
        **keys: Any,
    ) -> None:
        if len(self.comm_id.encode()) > MAX_ID:
            raise ValueError(f"a comm id of more than {MAX_ID} bytes")
        content = {"data": {} if data is None else data, "comm_id": self.comm_id, **keys}
        self.sender = parents.get()
        _channel.send(msg_type, self.sender, content, metadata, buffers or ())


def create_comm(*args: Any, **kwargs: Any) -> Comm:
    return Comm(*args, **kwargs)


def get_comm_manager() -> CommManager:
    return _manager


def install(channel: Channel | None = None) -> None:
    """Make libraries use these; again for each request, as importing ipykernel undoes it."""
    global _channel
    if channel:
        _channel = channel
    comm.create_comm = create_comm
    comm.get_comm_manager = get_comm_manager


def handle(request: Request) -> None:
    """comm_open, comm_msg and comm_close of a client."""
    content = request.content
    if not isinstance(content.get("comm_id"), str):
        logging.getLogger("Comm").error("%s without a comm_id", request.type)
        return
    content.setdefault("data", {})
    content.setdefault("target_name", "")
    getattr(_manager, request.type)(None, None, request.as_message())


def is_awaited_by(request: Request, cell: Request | None) -> bool:
    """Is it an answer to what this cell has said, as far as one can tell?"""
    found = _manager.comms.get(request.content.get("comm_id"))
    return (
        request.type != "comm_open"
        and cell is not None
        and (getattr(found, "sender", None) is cell)
    )


def info(target_name: str | None) -> dict[str, Any]:
    return {
        comm_id: {"target_name": each.target_name}
        for comm_id, each in list(_manager.comms.items())
        if target_name in (None, each.target_name)
    }
