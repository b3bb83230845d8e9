"""get_ipython().kernel: the face of ipykernel that libraries know."""

import logging
import platform
import uuid
from typing import Any

import comm

from . import parents
from .channel import Channel


class Session:
    """Sends messages as jupyter_client's Session does; there is one way for all of them."""

    def __init__(self, channel: Channel) -> None:
        self.session = uuid.uuid4().hex
        self.username = "sandbox"
        self.bsession = self.session.encode()
        self._channel = channel

    def msg(self, msg_type: str, content: Any = None, parent: Any = None, **_kwargs: Any) -> Any:
        header = {"msg_type": msg_type, "msg_id": uuid.uuid4().hex, "session": self.session}
        return {
            "header": header,
            "msg_id": header["msg_id"],
            "msg_type": msg_type,
            "parent_header": (parent or {}).get("header", parent or {}),
            "content": content or {},
            "metadata": {},
        }

    def send(
        self,
        stream: Any,
        msg_or_type: Any,
        content: Any = None,
        parent: Any = None,
        ident: Any = None,
        buffers: Any = None,
        metadata: Any = None,
        **_kwargs: Any,
    ) -> Any:
        message = msg_or_type
        if isinstance(message, str):
            message = self.msg(message, content, parent)
        request = parents.find(message.get("parent_header") or {}) or parents.get()
        self._channel.send(
            message["header"]["msg_type"],
            request,
            message["content"],
            metadata or message.get("metadata"),
            buffers or (),
        )
        return message


class Kernel:
    """Only what is asked for: the parent, the comms, the session."""

    implementation = "cellpod"
    banner = f"Python {platform.python_version()} in a cellpod sandbox"
    # The sockets are the kernel's, which is another process.
    iopub_socket = shell_socket = stdin_socket = control_socket = None
    shell_stream = control_stream = None
    eventloop = None
    exit_now = False

    def __init__(self, shell: Any, channel: Channel) -> None:
        self.shell = shell
        self.session = Session(channel)
        self.ident = self.session.session
        self.log = logging.getLogger("cellpod")
        self.shell_handlers: dict[str, Any] = {}
        self._channel = channel

    @property
    def comm_manager(self) -> Any:
        return comm.get_comm_manager()

    @property
    def execution_count(self) -> int:
        return self.shell.execution_count

    @property
    def user_ns(self) -> dict[str, Any]:
        return self.shell.user_ns

    @property
    def _parent_header(self) -> dict[str, Any]:
        return self.get_parent()

    def get_parent(self, channel: str | None = None) -> dict[str, Any]:
        return parents.get().as_message()

    def set_parent(self, ident: Any, parent: Any, channel: str = "shell") -> None:
        self.shell.set_parent(parent)

    def send_response(
        self, stream: Any, msg_or_type: Any, content: Any = None, ident: Any = None,
        buffers: Any = None, track: bool = False, header: Any = None, metadata: Any = None,
        channel: str = "shell",
    ) -> Any:  # fmt: skip
        return self.session.send(stream, msg_or_type, content, buffers=buffers, metadata=metadata)

    def raw_input(self, prompt: str = "") -> str:
        return input(prompt)
