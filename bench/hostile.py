"""How the kernel answers while a cell shows what takes long to look at, and how much it grows.

make bench BENCH_FLAGS=hostile
"""

from __future__ import annotations

import re
import statistics
from pathlib import Path

from kernels import DEADLINE, milliseconds, running

PICTURES = """
import base64, struct, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(width, height, colour):
    row = b"\\0" * (1 + width * {0: 1, 2: 3, 6: 4}[colour] * 2)
    packer = zlib.compressobj(9)
    data = b"".join([packer.compress(row * 16) for _ in range(height // 16)] + [packer.flush()])
    head = struct.pack(">IIBBBBB", width, height, 16, colour, 0, 0, 0)
    return base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data)
                            + chunk(b"IEND", b"")).decode()

grey, colours = png(10_000, 10_000, 0), png(10_000, 10_000, 6)
small = [{"a": "é" * 4}] * 300_000
large = "x" * (32 << 20)
"""
OUTPUTS = {  # what: the cell
    "10,000 x 10,000 of 16 bit, grey": 'display({"image/png": grey}, raw=True)',
    "twenty of these": 'for _ in range(20): display({"image/png": grey}, raw=True)',
    "10,000 x 10,000 of 16 bit, colours": 'display({"image/png": colours}, raw=True)',
    "JSON of 300,000 objects": 'display({"application/json": small}, raw=True)',
    "JSON of 32 MiB": 'display({"application/json": large}, raw=True)',
    "20,000 displays that are none": 'for _ in range(20_000): display({"image/png": "x"}, raw=True)',
    "text of 200 MiB": 'print("x" * (200 << 20))',
}


def measure_hostile() -> None:
    print(
        f"\n{'kernel_info on control, meanwhile':34} {'p50':>9} {'slowest':>10} {'answers':>8} {'grown by':>10}"
    )
    for what, code in OUTPUTS.items():
        with running("cellpod") as client:
            client.execute_interactive(PICTURES, timeout=DEADLINE, output_hook=lambda _: None)
            pid = client.parent.provisioner.pid
            before = peak_mb(pid)
            times = answers_until_idle(client, client.execute(code))
            grown = peak_mb(pid) - before
        print(
            f"{what:34} {statistics.median(times):6.1f} ms {max(times):7.1f} ms {len(times):8} {grown:7.0f} MB",
            flush=True,
        )


def answers_until_idle(client, cell: str) -> list[float]:
    """How long each took, in ms."""
    times = []
    while True:
        times.append(milliseconds(lambda: answer(client)))
        while client.iopub_channel.msg_ready():
            message = client.get_iopub_msg(timeout=DEADLINE)
            is_idle = message["content"].get("execution_state") == "idle"
            if is_idle and message["parent_header"].get("msg_id") == cell:
                return times


def answer(client) -> None:
    request = client.session.msg("kernel_info_request")
    client.control_channel.send(request)
    client.get_control_msg(timeout=DEADLINE)


def peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024 / 1e6
