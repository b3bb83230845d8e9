"""The codec, against what sandboxd might send."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sandbox/worker"))
from cellpod import envelope  # noqa: E402


def request(content=b'{"code":"x"}', metadata=b'{"m":1}', buffers=(b"ab", b""), **line) -> bytes:
    head = {"type": "execute_request", "id": "r1", "msg_id": "m1", "bytes": len(content),
            "metadata": len(metadata), "buffers": [len(b) for b in buffers]} | line  # fmt: skip
    return json.dumps(head).encode() + b"\n" + content + metadata + b"".join(buffers) + b"\n"


def test_a_request_is_read():
    data = bytearray(request() + b"next")
    found, used = envelope.decode(data)
    assert data[used:] == b"next"
    assert (found.type, found.id, found.msg_id) == ("execute_request", "r1", "m1")
    assert (found.content, found.metadata) == ({"code": "x"}, {"m": 1})
    assert [bytes(b) for b in found.buffers] == [b"ab", b""]
    assert found.parent == b'"r1"'
    assert found.as_message()["header"]["msg_id"] == "m1"


def test_every_truncation_asks_for_more():
    whole = request()
    for length in range(len(whole)):
        found, needed = envelope.decode(bytearray(whole[:length]))
        assert found is None
        assert length < needed <= len(whole)


def test_lines_and_lengths_are_bounded():
    with pytest.raises(envelope.ProtocolError):
        envelope.decode(bytearray(b"x" * envelope.MAX_LINE))
    with pytest.raises(envelope.ProtocolError):
        envelope.decode(bytearray(request(bytes=1 << 40)))
    with pytest.raises(ValueError, match="Expecting"):
        envelope.decode(bytearray(b"no json\n"))


def test_what_is_encoded_reads_back():
    parts = envelope.encode("display_data", b'"r\\"1"', b"{}", b'{"a":1}', [memoryview(b"xyz")])
    line, rest = b"".join(parts).split(b"\n", 1)
    assert json.loads(line) == {
        "type": "display_data", "parent": 'r"1', "bytes": 2, "metadata": 7, "buffers": [3],
    }  # fmt: skip
    assert rest == b'{}{"a":1}xyz\n'
    assert b"".join(envelope.encode("hello", b"", b"{}")) == b'{"type":"hello","bytes":2}\n{}\n'


def test_what_no_reader_takes_is_refused():
    with pytest.raises(ValueError, match="buffers"):
        envelope.encode("comm_msg", b"", b"{}", b"", [memoryview(b"")] * 1025)
    with pytest.raises(ValueError, match="metadata"):
        envelope.encode("comm_msg", b"", b"{}", b"x" * (envelope.MAX_METADATA + 1))
    big = memoryview(bytes(envelope.MAX_BYTES))
    with pytest.raises(ValueError, match="256 MiB"):
        envelope.encode("comm_msg", b"", b"{}", b"", [big])
    assert envelope.encode("comm_msg", b"", b"", b"", [big])
