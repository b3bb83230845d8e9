"""The providers that are tested: how each words an answer, an error, a cut."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Callable


def event(data: Any, name: str | None = None) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def typed(data: dict[str, Any]) -> bytes:
    return event(data, data["type"])


@dataclass
class Wire:
    """A provider's words. `settings` and `env` make it the default one of a configuration."""

    name: str
    path: str
    settings: Callable[[str], dict[str, Any]]
    auth: str
    begin: list[bytes]
    text: Callable[[str], bytes]
    end: list[bytes]
    error: bytes  # in mid-stream, may pass
    prompt: Callable[[dict[str, Any]], str]

    def answer(self, text: str) -> list[bytes]:
        return [*self.begin, self.text(text), *self.end]


def _chat_chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return event(
        {
            "object": "chat.completion.chunk",
            "model": "m-1",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
    )


def _text_chunk(text: str, finish: str | None = None) -> bytes:
    return event({"model": "m-1", "choices": [{"index": 0, "text": text, "finish_reason": finish}]})


def _gemini_chunk(text: str, finish: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 7}
    return event({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1"})


USAGE = {"prompt_tokens": 1000, "completion_tokens": 7}
SERVER_ERROR = {"error": {"message": "it broke", "type": "server_error", "code": 500}}
RESPONSE = {"model": "m-1", "usage": {"input_tokens": 1000, "output_tokens": 7}}

CHAT = Wire(
    name="chat",
    path="/v1/chat/completions",
    settings=lambda url: {"api": "chat", "base_url": f"{url}/v1"},
    auth="authorization",
    begin=[_chat_chunk({"role": "assistant", "content": None})],
    text=lambda text: _chat_chunk({"content": text}),
    end=[_chat_chunk({}, "stop"), event({"choices": [], "usage": USAGE}), event("[DONE]")],
    error=event(SERVER_ERROR),
    prompt=lambda body: "\n".join(m["content"] for m in body["messages"]),
)
COMPLETIONS = Wire(
    name="completions",
    path="/v1/completions",
    settings=lambda url: {"api": "completions", "base_url": f"{url}/v1"},
    auth="authorization",
    begin=[],
    text=_text_chunk,
    end=[_text_chunk("", "stop"), event({"choices": [], "usage": USAGE}), event("[DONE]")],
    error=event(SERVER_ERROR),
    prompt=lambda body: body["prompt"],
)
RESPONSES = Wire(
    name="responses",
    path="/v1/responses",
    settings=lambda url: {"api": "responses", "base_url": f"{url}/v1"},
    auth="authorization",
    begin=[typed({"type": "response.created", "response": {}})],
    text=lambda text: typed({"type": "response.output_text.delta", "delta": text}),
    end=[typed({"type": "response.completed", "response": RESPONSE})],
    error=typed({"type": "error", "code": "server_error", "message": "it broke"}),
    prompt=lambda body: body["instructions"]
    + "\n"
    + "\n".join(item["content"][0]["text"] for item in body["input"]),
)
GEMINI = Wire(
    name="gemini",
    path="/v1beta/models/m-1:streamGenerateContent?alt=sse",
    settings=lambda url: {"api": "gemini", "base_url": f"{url}/v1beta"},
    auth="x-goog-api-key",
    begin=[],
    text=_gemini_chunk,
    end=[_gemini_chunk("", "STOP")],
    error=json.dumps({"error": {"code": 503, "message": "it broke"}}, indent=2).encode(),
    prompt=lambda body: "\n".join(
        part["text"]
        for content in [body["systemInstruction"], *body["contents"]]
        for part in content["parts"]
    ),
)
VERTEX = replace(
    GEMINI,
    name="vertex",
    path="/v1/projects/p/locations/global/publishers/google/models/m-1:streamGenerateContent?alt=sse",
    settings=lambda url: {
        "api": "vertex",
        "base_url": url,
        "project": "p",
        "token_command": ["echo", "token-1"],
    },
    auth="authorization",
)
ANTHROPIC = Wire(
    name="anthropic",
    path="/v1/messages",
    settings=lambda url: {"api": "anthropic", "base_url": url},
    auth="x-api-key",
    begin=[
        typed(
            {
                "type": "message_start",
                "message": {"model": "m-1", "usage": {"input_tokens": 1000, "output_tokens": 1}},
            }
        ),
        typed({"type": "content_block_start", "index": 0, "content_block": {"text": ""}}),
    ],
    text=lambda text: typed(
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        }
    ),
    end=[
        typed(
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 7},
            }
        ),
        typed({"type": "message_stop"}),
    ],
    error=typed({"type": "error", "error": {"type": "overloaded_error", "message": "it broke"}}),
    prompt=lambda body: body["system"] + "\n" + "\n".join(m["content"] for m in body["messages"]),
)
WIRES = [CHAT, COMPLETIONS, RESPONSES, GEMINI, ANTHROPIC]  # whose key is a key
PROVIDERS = [*WIRES, VERTEX]
