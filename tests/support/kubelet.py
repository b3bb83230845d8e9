"""Plays scheduler and kubelet for a real API server: its pods are cellpod-sandboxd, or records alone."""

import http.client
import json
import socket
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any, Callable

from support.cluster import PODS, Api, ApiError
from support.lean_python import WHOLE
from support.pods import Pod, TemplatePod, arguments_of

GONE = (404, 409)  # it has been deleted, or changed, meanwhile
LOOK_SECONDS = 0.05  # at the processes of pods, which tell nobody


def path_of_pod(item: dict) -> str:
    return f"/api/v1/namespaces/{item['metadata']['namespace']}/pods/{item['metadata']['name']}"


class Collection(threading.Thread):
    """What is in a collection, by uid, kept by a watch: lists of many, again and again, would take more
    of the machine than what is tested. The server ends the watch of who is too slow for it; then it is
    listed and watched again."""

    def __init__(self, api: Api, path: str):
        super().__init__(daemon=True)
        self.api, self.path = api, path
        self.items: dict[str, dict] = {}
        self.is_closing = threading.Event()
        self.problem: Exception | None = None
        self._changed: set[str] = set()
        self._lock, self._told = threading.Lock(), threading.Event()
        self._connection: http.client.HTTPSConnection | None = None
        self.start()

    def close(self) -> None:
        self.is_closing.set()
        if self._connection and self._connection.sock:
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self.join(10)

    def changed(self, seconds: float) -> set[str]:
        """The uids of what has changed since the last call: those that are no longer in items are gone."""
        self._told.wait(seconds)
        with self._lock:
            self._told.clear()
            taken, self._changed = self._changed, set()
        return taken

    def run(self) -> None:
        while not self.is_closing.is_set():
            try:
                self._watch(self._list())
            except (OSError, ValueError, http.client.HTTPException):
                self.is_closing.wait(0.2)  # the API server is being shut down, or starts
            except ApiError as error:
                self.problem = error
                return

    def _tell(self, items: dict[str, dict], changed: set[str]) -> None:
        with self._lock:
            self.items = items
            self._changed |= changed
            self._told.set()

    def _list(self) -> str:
        listed = self.api.get(self.path)
        items = {item["metadata"]["uid"]: item for item in listed["items"]}
        self._tell(items, items.keys() | self.items.keys())
        return listed["metadata"]["resourceVersion"]

    def _watch(self, version: str) -> None:
        where = urllib.parse.urlsplit(self.api.url)
        self._connection = http.client.HTTPSConnection(where.hostname, where.port, context=self.api.context)
        self._connection.connect()
        if self.is_closing.is_set():
            return
        self._connection.request("GET", f"{self.path}?watch=1&resourceVersion={version}&timeoutSeconds=7200",
                                 headers={"Authorization": f"Bearer {self.api.token}"})
        with self._connection.getresponse() as events:
            for line in events:
                event = json.loads(line)
                if event["type"] == "ERROR":  # what was there then is no longer known
                    return
                self._take(event["type"], event["object"])

    def _take(self, kind: str, item: dict) -> None:
        uid = item["metadata"]["uid"]
        with self._lock:
            if kind == "DELETED":
                self.items.pop(uid, None)
            else:
                self.items[uid] = item
            self._changed.add(uid)
            self._told.set()


class Kubelet:
    """Binds pods, runs them, says how they are.

    Pods of a pool labelled `hollow` get an address and no process."""

    def __init__(self, api: Api, folder: Path, pods: str = PODS):
        self.api, self.folder = api, folder
        self.pods: dict[str, Pod | None] = {}  # by uid
        self.starting: set[str] = set()  # of those, that are not ready yet
        self.stopping: dict[str, float] = {}  # until when they may end by themselves
        self.is_closing = threading.Event()
        self.problem: Exception | None = None
        self.listed = Collection(api, pods)
        self.thread = threading.Thread(target=self._loop)
        self.thread.start()

    def close(self) -> None:
        self.is_closing.set()
        self.thread.join()
        self.listed.close()
        for pod in self.pods.values():
            if pod:
                pod.stop()
        problem = self.problem or self.listed.problem
        assert problem is None, problem

    def pod(self, name: str) -> Pod:
        return next(pod for pod in list(self.pods.values()) if pod and pod.name == name)

    def _loop(self) -> None:
        again: set[str] = set()
        while not self.is_closing.is_set():
            busy = {uid for uid, pod in self.pods.items() if pod}
            due, again = self.listed.changed(LOOK_SECONDS) | busy | self.starting | again, set()
            again = {uid for uid in due if not self._try(self._see, uid)}

    def _try(self, do: Callable[..., None], *arguments: Any) -> bool:
        try:
            do(*arguments)
        except ApiError as error:
            if error.code not in GONE:
                self.problem = error
            return False
        except OSError:
            return False  # the API server is being shut down
        except Exception as error:
            self.problem = error
            raise
        return True

    def _is_ours(self, item: dict) -> bool:
        return True

    def _see(self, uid: str) -> None:
        item = self.listed.items.get(uid)
        if item is None or not self._is_ours(item):
            self._end(uid)
        elif "deletionTimestamp" in item["metadata"]:
            if self._has_stopped(item):
                self._end(uid)
                self._delete(item)
        elif uid not in self.pods:
            self._run(item)
        elif self.pods[uid] and not self.pods[uid].is_running:
            self._tell_death(item)
        elif uid in self.starting:
            self._tell_ready(item)

    def _has_stopped(self, item: dict) -> bool:
        """As a node stops a pod: it is told, and has the time that whoever deleted it has given."""
        uid, grace = item["metadata"]["uid"], item["metadata"]["deletionGracePeriodSeconds"]
        pod = self.pods.get(uid)
        if not pod or not pod.is_running:
            return True
        if uid not in self.stopping:
            self.stopping[uid] = time.monotonic() + grace
            pod.terminate(grace)
        return time.monotonic() >= self.stopping[uid]

    def _delete(self, item: dict) -> None:
        try:
            self.api.delete(path_of_pod(item), gracePeriodSeconds=0)
        except ApiError as error:
            if error.code not in GONE:
                raise

    def _end(self, uid: str) -> None:
        self.starting.discard(uid)
        self.stopping.pop(uid, None)
        pod = self.pods.pop(uid, None)
        if pod:
            pod.stop()

    def _run(self, item: dict) -> None:
        name, uid = item["metadata"]["name"], item["metadata"]["uid"]
        self.api.create(f"{path_of_pod(item)}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"kind": "Node", "name": "node-1"}})
        self.pods[uid] = self._container(item)
        self.starting.add(uid)
        self._tell_ready(item)

    def _tell_ready(self, item: dict) -> None:
        pod = self.pods[item["metadata"]["uid"]]
        if pod and not pod.is_ready():
            return
        ip = pod.ip if pod else "127.9.9.9"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.api.merge(f"{path_of_pod(item)}/status", {"status": {
            "phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "startTime": now,
            "containerStatuses": [{"name": container["name"], "ready": True, "restartCount": 0,
                                   "image": container["image"], "imageID": "", "state": {"running": {"startedAt": now}}}
                                  for container in item["spec"]["containers"]],
            "conditions": [{"type": kind, "status": "True", "lastTransitionTime": now}
                           for kind in ("PodScheduled", "Initialized", "ContainersReady",
                                        "Ready")]}})
        self.starting.discard(item["metadata"]["uid"])

    def _container(self, item: dict) -> Pod | None:
        is_hollow = "hollow" in item["metadata"].get("labels", {})
        return None if is_hollow else TemplatePod(
            item["metadata"]["name"], self.folder, arguments_of(item), WHOLE)

    def _tell_death(self, item: dict) -> None:
        if item["status"].get("phase") == "Failed":
            return
        self.api.merge(f"{path_of_pod(item)}/status", {"status": {
            "phase": "Failed", "reason": "Evicted",
            "message": "The node was low on resource: memory.",
            "conditions": [{"type": "Ready", "status": "False", "reason": "PodFailed"}]}})
