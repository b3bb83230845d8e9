"""Writes a model file for llama.cpp that types given programs: nothing in it was trained.

One block of zeros, one-hot embeddings, and an output matrix that maps each piece of text to the
one that follows it: greedy decoding walks along a program. What is real is everything around it:
tokenizer, chat template, sampler, server, streams. Which program is typed, the chat template
decides by the conversation's length; for plain completions, the last byte of the prompt decides.
"""

from __future__ import annotations

import argparse
import struct
from array import array
from pathlib import Path

CONTEXT = 65536
SHORTEST, LONGEST = 5, 24  # of a piece of text, if that works out
ATOMIC = 3  # shorter ones the tokenizer would find in prompts too
HEADS, INNER = 2, 32
END, UNKNOWN = 2, 0

WRONG = """```python
import matplotlib.pyplot as plt
df.groupby("Region")["Profitt"].sum().plot.bar(title="Profit by region")
```
"""
RIGHT = """```python
totals = df.groupby("Region")["Profit"].sum().sort_values(ascending=False)
ax = totals.plot.bar(title="Profit by region", ylabel="Profit")
```
The column is called Profit.
"""
UNABLE = "CANNOT: there is no column of costs.\n"
THOUGHTS = """<think>The user wants a total.</think>
```python
print(1 + 1)
```
"""

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if 'UNABLE' in messages[-1]['content'] %}<|unable|>"
    "{% elif 'THINK' in messages[-1]['content'] %}<|thoughts|>"
    "{% elif messages|length > 2 %}<|right|>{% else %}<|wrong|>{% endif %}"
)

Tensor = tuple[str, tuple[int, ...], array]


def split(text: str, used: set[str], at: int = 0) -> list[str] | None:
    """Pieces that no other program has: texts of tokens must be unique."""
    if at == len(text):
        return []
    for length in [*range(SHORTEST, LONGEST + 1), *range(SHORTEST - 1, ATOMIC - 1, -1)]:
        piece = text[at : at + length]
        if len(piece) < length or piece in used:
            continue
        used.add(piece)
        rest = split(text, used, at + length)
        if rest is not None:
            return [piece, *rest]
        used.discard(piece)
    return None


class Vocabulary:
    """Tokens with their types, and which token follows which."""

    def __init__(self, programs: dict[str, str]) -> None:
        self.tokens = [("<unk>", 2), ("<s>", 3), ("</s>", 3)]
        self.tokens += [(f"<0x{byte:02X}>", 6) for byte in range(256)]
        self.follows: dict[int, int] = {}
        starts = {name: self._add(f"<|{name}|>", 4) for name in programs}
        used: set[str] = set()
        for name, program in programs.items():
            last = starts[name]
            for piece in split(program, used) or []:
                token = self._add(piece.replace(" ", "\u2581"), 1)
                self.follows[last] = token
                last = token
            self.follows[last] = END
        for byte in range(256):
            name = "right" if byte == ord(":") else "wrong"
            self.follows[3 + byte] = self.follows[starts[name]]

    def _add(self, text: str, kind: int) -> int:
        self.tokens.append((text, kind))
        return len(self.tokens) - 1


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _metadata(vocabulary: Vocabulary, width: int) -> list[bytes]:
    out: list[bytes] = []

    def add(key: str, kind: int, value: bytes) -> None:
        out.append(_string(key) + struct.pack("<I", kind) + value)

    tokens = vocabulary.tokens
    count = len(tokens)
    add("general.architecture", 8, _string("llama"))
    add("general.name", 8, _string("scripted"))
    numbers = {
        "context_length": CONTEXT,
        "embedding_length": width,
        "block_count": 1,
        "feed_forward_length": INNER,
        "attention.head_count": HEADS,
        "attention.head_count_kv": HEADS,
        "rope.dimension_count": width // HEADS,
        "vocab_size": count,
    }
    for key, number in numbers.items():
        add(f"llama.{key}", 4, struct.pack("<I", number))
    add("llama.attention.layer_norm_rms_epsilon", 6, struct.pack("<f", 1e-5))
    add("tokenizer.ggml.model", 8, _string("llama"))
    texts = b"".join(_string(text) for text, _ in tokens)
    add("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, count) + texts)
    # Scores so low that prompts are read byte by byte, never as pieces of a program.
    add("tokenizer.ggml.scores", 9, struct.pack(f"<IQ{count}f", 6, count, *[-1e4] * count))
    kinds = [kind for _, kind in tokens]
    add("tokenizer.ggml.token_type", 9, struct.pack(f"<IQ{count}i", 5, count, *kinds))
    for key, number in {"bos": 1, "eos": END, "unknown": UNKNOWN}.items():
        add(f"tokenizer.ggml.{key}_token_id", 4, struct.pack("<I", number))
    add("tokenizer.ggml.add_bos_token", 7, b"\x01")
    add("tokenizer.ggml.add_space_prefix", 7, b"\x00")
    add("tokenizer.chat_template", 8, _string(TEMPLATE))
    return out


def _tensors(vocabulary: Vocabulary, width: int) -> list[Tensor]:
    count = len(vocabulary.tokens)

    def zeros(*shape: int) -> array:
        return array("f", bytes(4 * shape[0] * shape[1]))

    def ones() -> array:
        return array("f", [1.0] * width)

    embedding, output = zeros(width, count), zeros(width, count)
    for token in range(count):
        embedding[token * width + token] = 1.0
    for token, following in vocabulary.follows.items():
        output[following * width + token] = 10.0
    tensors: list[Tensor] = [
        ("token_embd.weight", (width, count), embedding),
        ("output_norm.weight", (width,), ones()),
        ("output.weight", (width, count), output),
        ("blk.0.attn_norm.weight", (width,), ones()),
        ("blk.0.ffn_norm.weight", (width,), ones()),
    ]
    shapes = {
        "attn_q": (width, width),
        "attn_k": (width, width),
        "attn_v": (width, width),
        "attn_output": (width, width),
        "ffn_gate": (width, INNER),
        "ffn_up": (width, INNER),
        "ffn_down": (INNER, width),
    }
    return tensors + [
        (f"blk.0.{name}.weight", shape, zeros(*shape)) for name, shape in shapes.items()
    ]


def write_model(path: Path, programs: dict[str, str]) -> None:
    """`programs` needs "wrong" and "right", and whatever else TEMPLATE names."""
    vocabulary = Vocabulary(programs)
    width = (len(vocabulary.tokens) + 31) // 32 * 32
    metadata, tensors = _metadata(vocabulary, width), _tensors(vocabulary, width)
    head = struct.pack("<IIQQ", 0x46554747, 3, len(tensors), len(metadata)) + b"".join(metadata)
    offset = 0
    for name, shape, data in tensors:
        sizes = struct.pack(f"<{len(shape)}Q", *shape)
        head += (
            _string(name) + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", 0, offset)
        )
        offset += (len(data) * 4 + 31) // 32 * 32
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32))
        for _, _, data in tensors:
            file.write(data.tobytes() + b"\0" * (-len(data) * 4 % 32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--wrong", type=Path, help="what it answers at first")
    parser.add_argument("--right", type=Path, help="what it answers when corrected")
    args = parser.parse_args()
    programs = {
        "wrong": args.wrong.read_text() if args.wrong else WRONG,
        "right": args.right.read_text() if args.right else RIGHT,
        "unable": UNABLE,
        "thoughts": THOUGHTS,
    }
    write_model(args.out, programs)


if __name__ == "__main__":
    main()
