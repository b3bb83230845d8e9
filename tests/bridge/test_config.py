"""Who answers: flags, environment, file, built-in rows, in this order; and Vertex AI's tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness import KEY, OK, PROFILE, Opener, fenced
from standin import StandIn, http, stream
from wires import CHAT, GEMINI

FILE = {
    "provider": "house",
    "model": "big",
    "providers": {
        "house": {"api": "chat", "base_url": "https://models.house/v1", "model": "own"},
        "other": {"api": "anthropic", "base_url": "https://other.house", "model": "claude-y"},
    },
}


def shown(bridge: Opener, config: dict[str, Any], flags: str = "", **env: str) -> tuple[str, Any]:
    driver = bridge(config, **env)
    driver.say(show=f"%ask --show {flags} Total profit", profile=PROFILE)
    line = driver.hear("show", "error")
    if "error" in line:
        return "error", line["error"]
    text = line["show"]
    if "\n\n" not in text:
        return "planner", ""
    head, body = text.split("\n\n", 1)
    return head.split()[1], json.loads(body).get("model")


@pytest.mark.parametrize(
    ("config", "flags", "env", "url", "model"),
    [
        (FILE, "", {}, "https://models.house/v1/chat/completions", "big"),
        (FILE, "--model tiny", {}, "https://models.house/v1/chat/completions", "tiny"),
        (FILE, "--provider other", {}, "https://other.house/v1/messages", "claude-y"),
        (FILE, "--model other/claude-z", {}, "https://other.house/v1/messages", "claude-z"),
        (FILE, "", {"CELLPOD_MODEL": "mid"}, "https://models.house/v1/chat/completions", "mid"),
        (FILE, "", {"CELLPOD_MODEL": "other/mid"}, "https://other.house/v1/messages", "mid"),
        (
            FILE,
            "--model tiny",
            {"CELLPOD_MODEL": "mid"},
            "https://models.house/v1/chat/completions",
            "tiny",
        ),
        (FILE, "", {"CELLPOD_PROVIDER": "other"}, "https://other.house/v1/messages", "big"),
        (FILE, "--provider planner", {}, "planner", ""),
        ({}, "", {}, "planner", ""),
        ({}, "", {"OPENAI_API_KEY": KEY}, "planner", ""),
        (
            {},
            "--model gpt-x",
            {"OPENAI_API_KEY": KEY},
            "https://api.openai.com/v1/chat/completions",
            "gpt-x",
        ),
        (
            {},
            "",
            {"OPENAI_API_KEY": KEY, "CELLPOD_MODEL": "gpt-x"},
            "https://api.openai.com/v1/chat/completions",
            "gpt-x",
        ),
        (
            {},
            "",
            {"ANTHROPIC_API_KEY": KEY, "CELLPOD_MODEL": "claude-x"},
            "https://api.anthropic.com/v1/messages",
            "claude-x",
        ),
        (
            {},
            "",
            {
                "ANTHROPIC_API_KEY": KEY,
                "OPENAI_API_KEY": KEY,
                "CELLPOD_MODEL": "anthropic/claude-x",
            },
            "https://api.anthropic.com/v1/messages",
            "claude-x",
        ),
        (
            {},
            "--model gemini/g-x",
            {"GOOGLE_API_KEY": KEY},
            "https://generativelanguage.googleapis.com/v1beta/models/g-x"
            ":streamGenerateContent?alt=sse",
            None,
        ),
        (
            {},
            "--model openai-responses/gpt-x",
            {"OPENAI_API_KEY": KEY},
            "https://api.openai.com/v1/responses",
            "gpt-x",
        ),
        (
            {},
            "--model openai/gpt-x",
            {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://proxy.house/v1/"},
            "https://proxy.house/v1/chat/completions",
            "gpt-x",
        ),
        (
            {},
            "",
            {"CELLPOD_BASE_URL": "http://127.0.0.1:9/v1"},
            "http://127.0.0.1:9/v1/chat/completions",
            "default",
        ),
        (
            {},
            "--model meta/llama",
            {"CELLPOD_BASE_URL": "http://127.0.0.1:9/v1"},
            "http://127.0.0.1:9/v1/chat/completions",
            "meta/llama",
        ),
        ({}, "--model ollama/qwen", {}, "http://127.0.0.1:11434/v1/chat/completions", "qwen"),
        (
            {},
            "--model vertex/g-x",
            {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "europe-west4"},
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/"
            "publishers/google/"
            "models/g-x:streamGenerateContent?alt=sse",
            None,
        ),
        (
            {},
            "--model vertex/g-x",
            {"GOOGLE_CLOUD_PROJECT": "p"},
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/"
            "models/g-x:streamGenerateContent?alt=sse",
            None,
        ),
    ],
)
def test_precedence(
    bridge: Opener, config: Any, flags: str, env: dict[str, str], url: str, model: str | None
) -> None:
    assert shown(bridge, config, flags, **env) == (url, model)


@pytest.mark.parametrize(
    ("config", "flags", "says"),
    [
        ({"modle": "x"}, "", "ask.modle is not known; did you mean model? Known names: provider, model"),
        ({"level": "2"}, "", "ask.level must be a whole number"),
        ({"level": -1}, "", "ask.level must be"),
        (
            {"providers": {"x": {"api": "telepathy"}}},
            "--provider x",
            "must be one of chat, completions",
        ),
        ({"providers": {"x": {"base_ur": ""}}}, "", "ask.providers.x.base_ur is not known"),
        ({"providers": {"x": {"key": "sk-1"}}}, "", "a key is not allowed in this file"),
        ({"providers": {"x": 3}}, "", "ask.providers.x must be an object"),
        ({"providers": {"x": {"api": "vertex", "token_command": []}}}, "", "a list of strings"),
        ({"providers": {"x": {"api": "chat", "base_url": "ftp://x"}}}, "--provider x", "https://"),
        (
            {"providers": {"x": {"api": "chat", "base_url": "https://u:p@x/v1"}}},
            "--provider x",
            "must not contain a password",
        ),
        ({}, "--provider nobody", "no provider is called nobody"),
        ({}, "--model gpt-x", "no provider for the model gpt-x"),
        ({}, "--provider openai", "OPENAI_API_KEY"),
        ({}, "--model vertex/g", "GOOGLE_CLOUD_PROJECT"),
    ],
)
def test_mistakes_are_named(bridge: Opener, config: Any, flags: str, says: str) -> None:
    kind, text = shown(bridge, config, flags)
    assert kind == "error" and says in text and "\n" not in text


@pytest.mark.parametrize("text", ["{", "[]", '{"ask": 3}', '{"ask":{},"ask":{}}', "\udcff"])
def test_a_broken_file_is_named_with_its_place(bridge: Opener, text: str) -> None:
    driver = bridge({})
    file = driver.errors.parent / "config.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    driver.ask()
    end = driver.hear("finished")
    assert (end["finished"], end["failure"]) == ("failed", "config") and str(file) in end["message"]


def test_a_changed_file_counts_for_the_next_question(bridge: Opener) -> None:
    driver = bridge({})
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        settings = {**CHAT.settings(server.url), "parameters": {"top_k": 5, "temperature": 1}}
        config = {"provider": "new", "cache": False, "retries": 1, "providers": {"new": settings}}
        (driver.errors.parent / "config.json").write_text(json.dumps({"ask": config, "sandbox": {}}))
        driver.ask()
        assert driver.hear("run")["attempts"] == 2
        driver.say(ran=OK)
        driver.hear("finished")
        body = server.requests[0].json()
    assert (body["top_k"], body["temperature"]) == (5, 1)


def vertex(url: str, metadata: str) -> dict[str, Any]:
    settings = {
        "api": "vertex",
        "base_url": url,
        "project": "p",
        "location": "global",
        "model": "m-1",
        "metadata_url": metadata,
    }
    return {"provider": "v", "cache": False, "providers": {"v": settings}}


def token(name: str, seconds: int = 3600) -> Any:
    return http(
        200, json.dumps({"access_token": name, "expires_in": seconds, "token_type": "Bearer"})
    )


def test_vertex_takes_its_token_from_the_metadata_server_and_keeps_it(bridge: Opener) -> None:
    scripts = [stream(*GEMINI.answer(fenced()))] * 3
    with StandIn([token("t1"), token("t2")]) as metadata, StandIn(scripts) as server:
        driver = bridge(vertex(server.url, f"{metadata.url}/token"), "--virtual")
        for advance in (0, 3000_000, 600_000):  # the third finds it expired
            driver.say(advance=advance)
            driver.ask()
            assert driver.answer(OK)["finished"] == "answered"
        assert [r.headers["metadata-flavor"] for r in metadata.requests] == ["Google"] * 2
        auth = [request.headers["authorization"] for request in server.requests]
        assert auth == ["Bearer t1", "Bearer t1", "Bearer t2"]
        assert server.requests[0].path == (
            "/v1/projects/p/locations/global/publishers/google/models/m-1"
            ":streamGenerateContent?alt=sse"
        )


def test_vertex_renews_a_token_that_is_not_taken_once(bridge: Opener) -> None:
    refused = http(401, '[{"error":{"code":401,"message":"expired","status":"UNAUTHENTICATED"}}]')
    with StandIn([token("t1"), token("t2"), token("t3")]) as metadata:
        with StandIn([refused, stream(*GEMINI.answer(fenced())), refused, refused]) as server:
            driver = bridge(vertex(server.url, f"{metadata.url}/token"), "--virtual")
            driver.ask()
            assert driver.answer(OK)["finished"] == "answered"
            driver.ask()
            assert driver.hear("finished")["failure"] == "auth"
            assert len(metadata.requests) == 3 and len(server.requests) == 4


@pytest.mark.parametrize(
    ("command", "token_sent"),
    [
        (["printf", "tok-1\\n"], "tok-1"),
        (["echo", '{"access_token": "tok-2", "expires_in": 60}'], "tok-2"),
        (["true"], None),
        (["/no/such/program"], None),
        (["echo", "two words"], None),
        (["head", "-c", "100000", "/dev/zero"], None),
    ],
)
def test_vertex_takes_its_token_from_a_command(
    bridge: Opener, command: list[str], token_sent: str | None
) -> None:
    with StandIn([stream(*GEMINI.answer(fenced()))]) as server:
        config = vertex(server.url, "http://127.0.0.1:1/")
        config["providers"]["v"]["token_command"] = command
        driver = bridge(config)
        driver.ask()
        end = driver.hear("finished", "run")
        if token_sent:
            assert server.requests[0].headers["authorization"] == f"Bearer {token_sent}"
            driver.say(ran=OK)
            driver.hear("finished")
        else:
            assert end["failure"] == "auth" and not server.requests and "token" in end["message"]


def test_without_a_metadata_server_it_says_so(bridge: Opener) -> None:
    driver = bridge(vertex("http://127.0.0.1:1", "http://127.0.0.1:1/token"), "--virtual")
    driver.ask()
    assert driver.hear("finished")["failure"] == "network"


def test_a_cache_that_others_may_read_or_that_is_broken_is_not_used(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))] * 6) as server:
        settings = {**CHAT.settings(server.url), "model": "m-1"}
        driver = bridge({"provider": "x", "providers": {"x": settings}})
        driver.ask()
        driver.answer(OK)
        (entry,) = Path(driver.errors.parent / "cache/cellpod/ask").iterdir()
        entry.chmod(0o644)
        driver.ask()
        assert driver.answer(OK)["metadata"]["cached"] is False
        for broken in ('{"text": 3}', '{"text": ""}', '{"text": " "}', "{"):
            entry.unlink(missing_ok=True)
            entry.write_text(broken)
            entry.chmod(0o600)
            driver.ask()
            assert driver.answer(OK)["metadata"]["cached"] is False
        assert len(server.requests) == 6
