"""A stand-in for a Kubernetes API server, and for agent-sandbox's controller behind it.

It speaks what the kernel needs of the API: create, get, list, watch (with bookmarks, from a
version on, 410 for one that is too old), merge patches, deletion, Status objects; and it
does on demand what a real one does seldom: too many requests, conflicts, cut connections,
answers that get lost. `make test-cluster` runs the same scenarios against the real thing.
"""

import copy
import json
import os
import re
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit

import yaml

from support.pods import Pod, SilentPod, TemplatePod, template_arguments

CLAIMS = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{}/sandboxclaims"
SANDBOXES = "/apis/agents.x-k8s.io/v1beta1/namespaces/{}/sandboxes"
PODS = "/api/v1/namespaces/{}/pods"
EVENTS = "/api/v1/namespaces/{}/events"

DEPLOY = Path(__file__).resolve().parents[2] / "deploy/gke"
VERBS = {"POST": "create"}  # the others have their method's name


def rights(*paths: str) -> dict[str, set[str]]:
    """What the Roles in these files of deploy/gke let JupyterLab's account do: resource, verbs."""
    return {resource: set(rule["verbs"])
            for path in paths
            for document in yaml.safe_load_all((DEPLOY / path).read_text()) if document["kind"] == "Role"
            for rule in document["rules"] for resource in rule["resources"]}


COLLECTION = re.compile(r"(/apis?/.+/namespaces/(?P<namespace>[^/]+)/(?P<kind>[a-z]+))"
                        r"(/(?P<name>[^/]+))?")
NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


def now(ahead: float = 0) -> str:
    return (datetime.now(timezone.utc) + timedelta(seconds=ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(
        tzinfo=timezone.utc).timestamp()


def status(code: int, reason: str, message: str, **details: Any) -> dict:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "details": details, "code": code}


def condition(kind: str, is_true: bool, reason: str, message: str) -> dict:
    return {"type": kind, "status": "True" if is_true else "False", "reason": reason,
            "message": message, "lastTransitionTime": now(), "observedGeneration": 1}


class Refusal(Exception):
    def __init__(self, code: int, reason: str, message: str, headers: dict | None = None,
                 **details: Any):
        super().__init__(message)
        self.code, self.headers = code, headers or {}
        self.body = status(code, reason, message, **details)


@dataclass
class Fault:
    """What becomes of the next `times` requests of this method and kind of object."""

    method: str            # GET, POST, …, LIST, WATCH
    kind: str = "sandboxclaims"
    times: int = 1
    refusal: Refusal | None = None
    cut: str = ""          # "before" or "after" the request has had its effect; "never": no answer
    text: bytes | None = None  # an answer that is none of Kubernetes'

    @property
    def is_spent(self) -> bool:
        return self.times <= 0


@dataclass
class Request:
    method: str
    path: str
    kind: str
    name: str | None
    query: dict
    body: Any
    token: str | None
    content_type: str | None = None
    time: float = field(default_factory=time.monotonic)


class Cut(Exception):
    """The connection is closed without an answer."""


class Store:
    """Objects with versions, and all that changed since the last compaction."""

    def __init__(self):
        self.changed = threading.Condition()
        self.version, self.floor = 1000, 0
        self.ahead = 0  # seconds: later on the server's clock than on ours
        self.objects: dict[str, dict[str, dict]] = {}
        self.log: list[tuple[int, str, str, dict]] = []  # version, collection, type, object

    def _note(self, collection: str, kind: str, item: dict) -> None:
        self.version += 1
        item["metadata"]["resourceVersion"] = str(self.version)
        self.log.append((self.version, collection, kind, copy.deepcopy(item)))
        self.changed.notify_all()

    def create(self, collection: str, item: dict) -> dict:
        with self.changed:
            name = item["metadata"]["name"]
            items = self.objects.setdefault(collection, {})
            if name in items:
                raise Refusal(409, "AlreadyExists", f'"{name}" already exists', name=name)
            item["metadata"] |= {"uid": str(uuid.uuid4()), "creationTimestamp": now(self.ahead),
                                 "generation": 1}
            items[name] = item
            self._note(collection, "ADDED", item)
            return copy.deepcopy(item)

    def get(self, collection: str, name: str) -> dict | None:
        with self.changed:
            return copy.deepcopy(self.objects.get(collection, {}).get(name))

    def patch(self, collection: str, name: str, change: dict) -> dict:
        with self.changed:
            item = self._existing(collection, name)
            merge(item, change)
            self._note(collection, "MODIFIED", item)
            return copy.deepcopy(item)

    def delete(self, collection: str, name: str) -> dict:
        with self.changed:
            item = self._existing(collection, name)
            del self.objects[collection][name]
            self._note(collection, "DELETED", item)
            return copy.deepcopy(item)

    def _existing(self, collection: str, name: str) -> dict:
        item = self.objects.get(collection, {}).get(name)
        if item is None:
            kind = collection.rsplit("/", 1)[1]
            raise Refusal(404, "NotFound", f'{kind} "{name}" not found', name=name, kind=kind)
        return item

    def list(self, collection: str) -> list[dict]:
        with self.changed:
            objects = self.objects.get(collection, {})
            return copy.deepcopy([objects[name] for name in sorted(objects)])


def merge(into: dict, change: dict) -> None:
    for key, value in change.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


def page_of(items: list[dict], version: str, query: dict) -> dict:
    """Who asks for what the server has in memory is sent all of it, whatever the limit."""
    limit = len(items) if "resourceVersion" in query else int(query.get("limit", len(items)))
    metadata = {"resourceVersion": version}
    if limit < len(items):
        metadata |= {"continue": "next", "remainingItemCount": len(items) - limit}
    return {"kind": "List", "apiVersion": "v1", "items": items[:limit], "metadata": metadata}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "ApiServer"

    def date_time_string(self, timestamp=None) -> str:
        return super().date_time_string((timestamp or time.time()) + self.server.store.ahead)

    def log_message(self, *arguments) -> None:
        pass

    def answer(self, code: int, body: Any, headers: dict | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_one(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        try:
            self.server.serve(self, json.loads(body) if body else None)
        except Refusal as refusal:
            self.answer(refusal.code, refusal.body, refusal.headers)
        except (Cut, BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.close_connection = True

    do_GET = do_POST = do_PATCH = do_DELETE = handle_one


class ApiServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, certificate: tuple[Path, Path] | None, client_ca: Path | None = None,
                 host: str = "127.0.0.1", port: int = 0):
        super().__init__((host, port), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            if client_ca:
                context.load_verify_locations(client_ca)
                context.verify_mode = ssl.CERT_OPTIONAL
            self.socket = context.wrap_socket(self.socket, server_side=True,
                                              do_handshake_on_connect=False)
        scheme = "https" if certificate else "http"
        self.url = f"{scheme}://{host}:{self.server_address[1]}"
        self.store = Store()
        self.tokens: set[str] | None = {"good-token"}  # None: certificates do
        self.namespaces = {"lab"}
        self.installed = {"sandboxclaims", "sandboxes", "pods", "events"}
        self.rights = rights("base/jupyter.yaml", "components/reasons/reasons.yaml")
        self.readable = {*self.rights, "podsnapshotmanualtriggers"}
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        self.watches = 0           # open ones
        self.watch_epoch = 0       # a watch of an earlier one ends
        self.is_closing = False
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    def handle_error(self, request, client_address) -> None:
        pass  # clients that break off, handshakes that fail

    def close(self) -> None:
        with self.store.changed:
            self.is_closing = True
            self.store.changed.notify_all()
        self.shutdown()
        self.thread.join()
        self.server_close()

    # --- faults ---------------------------------------------------------------------------

    def cut_watches(self) -> None:
        with self.store.changed:
            self.watch_epoch += 1
            self.store.changed.notify_all()

    def compact(self) -> None:
        """Forget what changed: whoever asks from before is refused with 410."""
        with self.store.changed:
            self.store.floor = self.store.version
            self.store.log.clear()

    def bookmark(self, collection: str) -> None:
        with self.store.changed:
            self.store.version += 1
            self.store.log.append((self.store.version, collection, "BOOKMARK", {
                "kind": "SandboxClaim",
                "metadata": {"resourceVersion": str(self.store.version)}}))
            self.store.changed.notify_all()

    def wait_for(self, what: Callable[[], Any], timeout: float = 300) -> Any:
        """Until it is true; looked at whenever something changed."""
        deadline = time.monotonic() + timeout
        with self.store.changed:
            while not (found := what()):
                left = deadline - time.monotonic()
                assert left > 0, "it never came"
                self.store.changed.wait(min(left, 0.05))
            return found

    def _fault(self, request: Request, verb: str) -> Fault | None:
        for fault in self.faults:
            if fault.method == verb and fault.kind == request.kind and not fault.is_spent:
                fault.times -= 1
                return fault
        return None

    # --- requests -------------------------------------------------------------------------

    def serve(self, handler: Handler, body: Any) -> None:
        parts = urlsplit(handler.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        match = COLLECTION.fullmatch(parts.path)
        word, _, token = (handler.headers.get("Authorization") or "").partition(" ")
        request = Request(handler.command, parts.path, match["kind"] if match else "",
                          match["name"] if match else None, query, body,
                          token if word == "Bearer" else None,
                          handler.headers.get("Content-Type"))
        with self.store.changed:
            self.requests.append(request)
            self.store.changed.notify_all()
        if parts.path == "/version":
            handler.answer(200, {"major": "1", "minor": "34"})
            return
        self._authenticate(handler, request)
        if not match or request.kind not in self.installed:
            handler.answer(404, b"404 page not found\n")
            return
        verb = handler.command
        if verb == "GET" and not request.name:
            verb = "WATCH" if query.get("watch") else "LIST"
        fault = self._fault(request, verb)
        self._before(fault, handler)
        if fault and fault.text is not None:
            handler.answer(200, fault.text)
        elif request.kind not in self.readable or VERBS.get(verb, verb.lower()) not in self.rights[request.kind]:
            raise Refusal(403, "Forbidden", f'{request.kind} is forbidden: User "tester" '
                          f"cannot {verb.lower()} it", kind=request.kind)
        elif verb == "WATCH":
            self._watch(handler, match[1], request)
        else:
            code, answer = self._perform(verb, match, request)
            if fault and fault.cut == "never":
                handler.rfile.read(1)  # until the client has had enough
            if fault and fault.cut:
                raise Cut
            handler.answer(code, answer)

    def _before(self, fault: Fault | None, handler: Handler) -> None:
        if fault and fault.refusal:
            raise fault.refusal
        if fault and fault.cut == "before":
            raise Cut

    def _authenticate(self, handler: Handler, request: Request) -> None:
        if self.tokens is not None:
            if request.token not in self.tokens:
                raise Refusal(401, "Unauthorized", "Unauthorized")
        elif not handler.connection.getpeercert():
            raise Refusal(401, "Unauthorized", "Unauthorized")

    def _perform(self, verb: str, match: re.Match, request: Request) -> tuple[int, dict]:
        collection = match[1]
        if verb == "POST":
            if match["namespace"] not in self.namespaces:
                raise Refusal(404, "NotFound", f'namespaces "{match["namespace"]}" not found',
                              name=match["namespace"], kind="namespaces")
            if request.kind == "sandboxclaims":
                check_claim(request.body, self.store.ahead)
            return 201, self.store.create(collection, request.body)
        if verb == "LIST":
            items = [item for item in self.store.list(collection) if selects(request, item)]
            return 200, page_of(items, str(self.store.version), request.query)
        if verb == "GET":
            with self.store.changed:
                return 200, copy.deepcopy(self.store._existing(collection, request.name))
        if verb == "PATCH":
            assert request.content_type == "application/merge-patch+json"
            return 200, self.store.patch(collection, request.name, request.body)
        return 200, self.store.delete(collection, request.name)

    # --- watches --------------------------------------------------------------------------

    def _watch(self, handler: Handler, collection: str, request: Request) -> None:
        version = int(request.query["resourceVersion"])
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        if version < self.store.floor:
            self._send_event(handler, "ERROR", status(
                410, "Expired", f"too old resource version: {version}"))
            self._end_stream(handler)
            return
        self._stream(handler, collection, request, version)

    def _stream(self, handler: Handler, collection: str, request: Request,
                version: int) -> None:
        with self.store.changed:
            epoch = self.watch_epoch
            self.watches += 1
            self.store.changed.notify_all()
        try:
            while True:
                with self.store.changed:
                    events = [entry for entry in self.store.log if entry[0] > version
                              and entry[1] == collection and selects(request, entry[3])]
                    if not events and (epoch != self.watch_epoch or self.is_closing):
                        break
                    if not events:
                        self.store.changed.wait(0.2)
                        continue
                for version, _, kind, item in events:  # noqa: B007 (the next look begins behind it)
                    self._send_event(handler, kind, item)
            self._end_stream(handler)
        finally:
            with self.store.changed:
                self.watches -= 1

    def _send_event(self, handler: Handler, kind: str, item: dict) -> None:
        line = json.dumps({"type": kind, "object": item}).encode() + b"\n"
        half = len(line) // 2  # a line in two pieces: clients must put up with that
        for piece in (line[:half], line[half:]):
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.flush()

    def _end_stream(self, handler: Handler) -> None:
        handler.wfile.write(b"0\r\n\r\n")


def selects(request: Request, item: dict) -> bool:
    selector = request.query.get("fieldSelector")
    if not selector:
        return True
    key, _, value = selector.partition("=")
    if "name" not in item["metadata"]:
        return True  # a bookmark
    for part in key.split("."):
        item = item.get(part, {})
    return item == value


def check_claim(claim: dict, ahead: float) -> None:
    """What the API server's validation and the CRD's schema say."""
    metadata, spec = claim["metadata"], claim["spec"]
    assert claim["apiVersion"] == "extensions.agents.x-k8s.io/v1beta1"
    assert claim["kind"] == "SandboxClaim"
    assert NAME.fullmatch(metadata["name"]), metadata["name"]
    for value in metadata.get("labels", {}).values():
        assert LABEL.fullmatch(value), value
    assert set(spec) == {"warmPoolRef", "lifecycle", "additionalPodMetadata"}, "anything more loses the warm pod"
    labels = spec["additionalPodMetadata"]["labels"]
    assert list(spec["additionalPodMetadata"]) == ["labels"] and all(key.startswith("sandbox.users.io/") for key in labels)
    assert spec["lifecycle"]["shutdownPolicy"] == "Delete"
    assert parse_time(spec["lifecycle"]["shutdownTime"]) > time.time() + ahead


class Cluster:
    """The stand-in server, a controller's deeds on demand, and pods that are real."""

    def __init__(self, server: ApiServer, folder: Path):
        self.server, self.folder = server, folder
        self.ahead = 0  # seconds: later here than it is
        self.pods: dict[str, Pod] = {}
        self.warm: list[Pod] = []
        self.adopts = True
        self.refusal: tuple[str, str] | None = None  # of every claim: reason, message
        self.seen: set[str] = set()
        self.is_closing = False
        self.collection = CLAIMS.format("lab")
        self.thread = threading.Thread(target=self._reconcile)
        self.thread.start()

    def close(self) -> None:
        with self.server.store.changed:
            self.is_closing = True
            self.server.store.changed.notify_all()
        self.thread.join()
        for pod in self.pods.values():
            pod.stop()
        self.server.close()

    def add_pod(self, python: str | None = None) -> Pod:
        """As the template starts it, and warm; who is not root can only start its sandboxd."""
        name = f"python-{len(self.pods)}"
        if os.geteuid() == 0:
            pod = TemplatePod(name, self.folder, template_arguments(), python)
        else:
            pod = Pod(name, self.folder, python=python)
        pod.wait_ready()
        self.pods[pod.name] = pod
        self.warm.append(pod)
        return pod

    def add_silent_pod(self) -> SilentPod:
        pod = SilentPod(f"python-{len(self.pods)}")
        self.pods[pod.name] = pod
        self.warm.append(pod)
        return pod

    # --- the controller -------------------------------------------------------------------

    def _reconcile(self) -> None:
        store = self.server.store
        while True:
            with store.changed:
                if self.is_closing:
                    return
                new = [claim for name, claim in store.objects.get(self.collection, {}).items()
                       if name not in self.seen]
                if new and self.refusal:
                    self.say(new[0]["metadata"]["name"], *self.refusal)
                    continue
                if not (new and self.adopts and self.warm):
                    self._expire()
                    store.changed.wait(0.1)
                    continue
                self.adopt(new[0]["metadata"]["name"], self.warm.pop(0))

    def _expire(self) -> None:
        claims = self.server.store.objects.get(self.collection, {})
        for name, claim in list(claims.items()):
            if parse_time(claim["spec"]["lifecycle"]["shutdownTime"]) < time.time() + self.ahead:
                self.server.store.delete(self.collection, name)

    def add_claim(self, name: str, ahead: float, pool: str) -> None:
        """Somebody else's, made so many seconds later than now."""
        self.seen.add(name)
        self.server.store.create(self.collection, {
            "metadata": {"name": name}, "spec": {
                "warmPoolRef": {"name": pool}, "lifecycle": {"shutdownTime": now(3600)}}})
        self.server.store.patch(self.collection, name, {"metadata": {"creationTimestamp": now(ahead)}})

    def adopt(self, claim: str, pod: Pod) -> None:
        self.seen.add(claim)
        self.set_ready(claim, pod.name, pod.ip)

    def set_ready(self, claim: str, sandbox: str, ip: str | None, is_ready: bool = True,
                  reason: str = "DependenciesReady", message: str = "Pod is Ready") -> None:
        self.server.store.patch(self.collection, claim, {"status": {
            "conditions": [condition("Ready", is_ready, reason, message)],
            "sandbox": {"name": sandbox, "podIPs": [ip] if ip else None}}})

    def say(self, claim: str, reason: str, message: str, sandbox: str | None = None) -> None:
        """The claim is not ready, and why."""
        self.seen.add(claim)
        self.server.store.patch(self.collection, claim, {"status": {
            "conditions": [condition("Ready", False, reason, message)],
            "sandbox": {"name": sandbox} if sandbox else None}})

    def move_to(self, server: ApiServer) -> None:
        """Another process of the API server, with the same objects."""
        with self.server.store.changed:
            old, server.store = self.server, self.server.store
            self.server = server
        old.close()

    # --- what tests ask -------------------------------------------------------------------

    @property
    def claims(self) -> list[dict]:
        return self.server.store.list(self.collection)

    def wait_claim(self) -> dict:
        return self.server.wait_for(lambda: self.claims)[0]

    def wait_no_claim(self) -> None:
        self.server.wait_for(lambda: not self.claims)

    def count(self, method: str, kind: str = "sandboxclaims") -> int:
        return sum(r.method == method and r.kind == kind for r in self.server.requests)
