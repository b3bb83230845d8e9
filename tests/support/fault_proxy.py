"""A path between kernel and sandboxd that breaks as it is told.

It listens on a unix socket and passes each connection on to sandboxd's. A plan is a list of
faults, each due when so many bytes have passed in one direction since the plan was armed:
so a fault strikes anywhere in a request, an answer, an event.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

UP, DOWN = "up", "down"  # towards sandboxd, and back
PIECE = 1 << 16


@dataclass
class Fault:
    """`kind` is one of the functions of Proxy that are called strike_…"""

    direction: str
    at: int  # bytes of that direction before it strikes
    kind: str
    ms: int = 0
    act: Callable[[], None] = lambda: None

    def __str__(self) -> str:
        return f"{self.kind} {self.direction}@{self.at}" + (f" {self.ms}ms" if self.ms else "")


class Link:
    """One connection of a client, and ours to sandboxd on its behalf."""

    def __init__(self, client, daemon):
        self.client, self.daemon = client, daemon  # (reader, writer)

    def cut(self) -> None:
        for _, writer in (self.client, self.daemon):
            writer.transport.abort()


class Proxy:
    def __init__(self, path: Path, target: Path):
        self.path, self.target = path, target
        self.links: set[Link] = set()
        self.plan: list[Fault] = []
        self.passed = {UP: 0, DOWN: 0}
        self.struck: list[Fault] = []
        self.is_slow = 0  # so many bytes go one by one
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(
            asyncio.start_unix_server(self._serve, str(path)))
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    def arm(self, plan: list[Fault]) -> None:
        """From now on this plan, and no other. Returns when it is in force."""
        asyncio.run_coroutine_threadsafe(self._arm(plan), self.loop).result()

    async def _arm(self, plan: list[Fault]) -> None:
        self.plan = sorted(plan, key=lambda fault: fault.at)
        self.passed = {UP: 0, DOWN: 0}
        self.struck = []
        self.is_slow = 0

    def cut_all(self) -> None:
        self.loop.call_soon_threadsafe(self._cut_all)

    def _cut_all(self) -> None:
        for link in list(self.links):
            link.cut()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
        self.path.unlink(missing_ok=True)

    async def _close(self) -> None:
        self.server.close()
        self._cut_all()
        tasks = asyncio.all_tasks(self.loop) - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- what passes --------------------------------------------------------------------

    async def _serve(self, reader, writer) -> None:
        try:
            daemon = await asyncio.open_unix_connection(str(self.target))
        except OSError:  # as when nobody listens at all
            writer.transport.abort()
            return
        link = Link((reader, writer), daemon)
        self.links.add(link)
        try:
            await asyncio.gather(self._pump(link, UP, reader, daemon[1]),
                                 self._pump(link, DOWN, daemon[0], writer))
        except (OSError, ConnectionError):
            pass
        finally:
            link.cut()
            self.links.discard(link)

    async def _pump(self, link: Link, direction: str, reader, writer) -> None:
        while data := await reader.read(PIECE):
            while data:
                data = await self._pass(link, direction, data, writer)
        writer.close()

    def _due(self, direction: str) -> Fault | None:
        return next((fault for fault in self.plan if fault.direction == direction), None)

    async def _pass(self, link: Link, direction: str, data: bytes, writer) -> bytes:
        """Pass on what comes before the next fault; the rest is returned."""
        fault = self._due(direction)
        room = fault.at - self.passed[direction] if fault else len(data)
        piece = data[:max(0, room)]
        self.passed[direction] += len(piece)
        await self._send(piece, writer)
        if fault and len(data) > len(piece):
            self.plan.remove(fault)
            self.struck.append(fault)
            await getattr(self, f"strike_{fault.kind}")(link, fault)
        return data[len(piece):]

    async def _send(self, data: bytes, writer) -> None:
        while data and self.is_slow > 0:
            self.is_slow -= 1
            writer.write(data[:1])
            await writer.drain()
            await asyncio.sleep(0)
            data = data[1:]
        writer.write(data)
        await writer.drain()

    # --- what strikes -------------------------------------------------------------------

    async def strike_cut(self, link: Link, fault: Fault) -> None:
        link.cut()
        raise ConnectionResetError

    async def strike_cut_all(self, link: Link, fault: Fault) -> None:
        self._cut_all()
        raise ConnectionResetError

    async def strike_deaf(self, link: Link, fault: Fault) -> None:
        """All that the client says arrives, and it hears no more."""
        link.client[1].transport.abort()

    async def strike_delay(self, link: Link, fault: Fault) -> None:
        await asyncio.sleep(fault.ms / 1000)

    async def strike_split(self, link: Link, fault: Fault) -> None:
        self.is_slow = 300

    async def strike_act(self, link: Link, fault: Fault) -> None:
        fault.act()
