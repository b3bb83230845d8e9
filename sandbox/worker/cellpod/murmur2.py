"""MurmurHash2, by which clients' debuggers name a cell's file; Austin Appleby's, public domain."""

import struct

_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes, seed: int) -> int:
    h = seed ^ len(data)
    whole = len(data) & ~3
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        word = word * _M & _MASK
        h = (h * _M & _MASK) ^ ((word ^ word >> 24) * _M & _MASK)
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15
