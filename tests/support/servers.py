"""Servers outside of a sandbox, for what runs inside of it to reach, or not."""

from __future__ import annotations

import contextlib
import http.server
import socket
import threading
from collections.abc import Callable, Iterator


class Web:
    """An HTTP server on 127.0.0.1 (or another address); `seen` lists the requests."""

    def __init__(self, address: str = "127.0.0.1", pages: dict[str, bytes] | None = None):
        seen: list[tuple[str, str, bytes]] = []
        heads: list[dict[str, str]] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                seen.append((self.command, self.path, body))
                heads.append(dict(self.headers))
                page = (pages or {}).get(self.path, b"hello from outside\n")
                self.send_response(200)
                kind = "text/html" if page.startswith(b"<") else "application/octet-stream"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_) -> None:
                pass

        self.seen, self.heads = seen, heads
        self.server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.server.daemon_threads = True
        self.host, self.port = self.server.server_address[:2]
        self.where = f"{self.host}:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def __enter__(self) -> Web:
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@contextlib.contextmanager
def serving(answer: Callable[[socket.socket], None], address: str = "127.0.0.1",
            ) -> Iterator[str]:
    """A TCP server: `answer` has one connection, in a thread; yields "address:port"."""
    with socket.create_server((address, 0)) as server:
        def serve() -> None:
            with contextlib.suppress(OSError):
                peer, _ = server.accept()
                with peer:
                    answer(peer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield "{}:{}".format(*server.getsockname()[:2])
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(20)
            assert not thread.is_alive()
