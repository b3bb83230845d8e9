"""A stand-in for agent-sandbox's router: it looks at the headers that say where to, and cuts
each answer after a while. `make test-cluster` runs the same against the real one."""

import http.client
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Router"

    def log_message(self, *arguments) -> None:
        pass

    def forward(self) -> None:
        self.close_connection = True
        sandbox = self.headers["X-Sandbox-ID"]
        assert self.headers["X-Sandbox-Namespace"] == "lab"
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append((self.command, self.path, sandbox))
        headers = {k: v for k, v in self.headers.items() if k not in ("Authorization", "Host")}
        upstream = http.client.HTTPConnection(
            self.server.addresses[sandbox], int(self.headers["X-Sandbox-Port"]), timeout=0.1)
        try:
            upstream.connect()
            upstream.sock.settimeout(self.server.seconds)
            upstream.request(self.command, self.path, body, headers)
            self._relay(upstream.getresponse())
        except OSError as error:
            self.send_error(502, explain=str(error))
        finally:
            upstream.close()

    def _relay(self, answer: http.client.HTTPResponse) -> None:
        end = time.monotonic() + self.server.seconds
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type") or "text/plain")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        try:
            while time.monotonic() < end and (data := answer.read1(65536)):
                self.wfile.write(data)
                self.wfile.flush()
        except (TimeoutError, BrokenPipeError, ConnectionResetError):
            pass  # its time is over, in the middle of whatever it was

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = forward


class Router(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, addresses: dict[str, str], seconds: float):
        super().__init__(("127.0.0.1", 0), Handler)
        self.addresses, self.seconds = addresses, seconds
        self.seen: list[tuple[str, str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    def handle_error(self, request, client_address) -> None:
        pass

    def close(self) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()
