"""Questions that are answered: what is sent, what comes back, what is kept of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness import KEY, OK, PROFILE, Opener, config_for, error, fenced
from standin import StandIn, http, recorded, stream
from wires import ANTHROPIC, CHAT, GEMINI, RESPONSES, WIRES, Wire

each_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


@each_wire
def test_answers_and_sends_what_the_provider_expects(bridge: Opener, wire: Wire) -> None:
    with StandIn([stream(*wire.answer(fenced()))]) as server:
        driver = bridge(config_for(wire, server.url), STANDIN_KEY=KEY)
        driver.ask()
        end = driver.answer(OK)
    assert end["finished"] == "answered"
    assert end["code"] == "df['Profit'].sum()"
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", wire.path)
    assert request.headers["content-type"] == "application/json"
    assert "expect" not in request.headers
    auth = f"Bearer {KEY}" if wire.auth == "authorization" else KEY
    assert request.headers[wire.auth] == auth
    assert sum(KEY in value for value in request.headers.values()) == 1
    assert KEY not in request.body.decode() and KEY not in request.path
    prompt = wire.prompt(request.json())
    assert "Total profit" in prompt and "Profit" in prompt and "2.2.3" in prompt
    if wire is not GEMINI:
        assert request.json()["stream"] is True and request.json()["model"] == "m-1"
    facts = end["metadata"]
    assert (facts["provider"], facts["api"], facts["model"]) == ("standin", wire.name, "m-1")
    assert facts["tokens"] == {"prompt": 1000, "completion": 7}
    assert [attempt["outcome"] for attempt in facts["attempts"]] == ["ok"]


def test_each_provider_has_its_own_required_members(bridge: Opener) -> None:
    wanted: list[tuple[Wire, dict[str, Any]]] = [
        (CHAT, {"max_tokens": 4096, "stream_options": {"include_usage": True}, "temperature": 0}),
        (RESPONSES, {"store": False, "max_output_tokens": 4096}),
        (ANTHROPIC, {"max_tokens": 4096}),
        (
            GEMINI,
            {"generationConfig": {"maxOutputTokens": 4096, "candidateCount": 1, "temperature": 0}},
        ),
    ]
    for wire, members in wanted:
        with StandIn([stream(*wire.answer(fenced()))]) as server:
            driver = bridge(config_for(wire, server.url))
            driver.ask()
            driver.answer(OK)
        body = server.requests[0].json()
        assert {name: body[name] for name in members} == members
        assert wire.auth not in server.requests[0].headers  # there was no key: no empty one
    assert server.requests[0].path.endswith("alt=sse")


def test_anthropic_names_its_version(bridge: Opener) -> None:
    with StandIn([stream(*ANTHROPIC.answer(fenced()))]) as server:
        driver = bridge(config_for(ANTHROPIC, server.url), STANDIN_KEY=KEY)
        driver.ask()
        driver.answer(OK)
    assert server.requests[0].headers["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize(
    ("api", "file", "code"),
    [
        ("completions", "completions_stream.txt", 'print(df["Profit"].sum())'),
        ("responses", "responses_stream.txt", 'import pandas as pd\nprint(df["Profitt"].sum())'),
        ("anthropic", "anthropic_stream.txt", 'import pandas as pd\nprint(df["Profitt"].sum())'),
    ],
)
def test_reads_what_a_real_server_said(bridge: Opener, api: str, file: str, code: str) -> None:
    wire = next(wire for wire in WIRES if wire.name == api)
    with StandIn([recorded(file)]) as server:
        driver = bridge(config_for(wire, server.url))
        driver.ask()
        end = driver.answer(OK)
    assert (end["finished"], end["code"]) == ("answered", code)


@each_wire
def test_a_correction_continues_the_conversation(bridge: Opener, wire: Wire) -> None:
    wrong, right = fenced("df['Profitt0'].sum()"), fenced("df['Profit'].sum()")
    if wire.name == "completions":
        right = " as asked\ndf['Profit'].sum()\n"
    with StandIn([stream(*wire.answer(wrong)), stream(*wire.answer(right))]) as server:
        driver = bridge(config_for(wire, server.url))
        driver.ask()
        end = driver.answer(error(0), OK)
    assert end["finished"] == "answered"
    first, second = (wire.prompt(request.json()) for request in server.requests)
    assert "Error0" in second and "Profitt0" in second and "attempt 1 of 4" in second
    if wire.name != "completions":
        assert second.startswith(first)  # what the server has cached stays valid
    else:
        assert not second.endswith("\n")
    outcomes = [attempt["outcome"] for attempt in end["metadata"]["attempts"]]
    assert outcomes == ["error", "ok"]
    assert end["metadata"]["tokens"] == {"prompt": 2000, "completion": 14}


def test_earlier_questions_go_along(bridge: Opener) -> None:
    earlier = [{"question": f"q{i}", "code": f"c{i}"} for i in range(4)]
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask(earlier=earlier)
        driver.answer(OK)
    contents = [m["content"] for m in server.requests[0].json()["messages"]][1:]
    assert contents == ["q2", "```python\nc2\n```", "q3", "```python\nc3\n```", "Total profit"]


def test_the_level_decides_what_leaves(bridge: Opener) -> None:
    seen = {}
    for level in range(4):
        with StandIn([stream(*CHAT.answer(fenced()))]) as server:
            driver = bridge(config_for(CHAT, server.url))
            driver.ask(f"%%ask --level {level}\nTotal profit")
            driver.answer(OK)
        seen[level] = server.requests[0].body.decode()
    cells = ["John Smith", "Mary Ann", "Aaron Zed", "Zuschuss"]
    for level in range(3):
        assert not any(cell in seen[level] for cell in cells)
    assert "John Smith" in seen[3] and "Mary Ann" in seen[3]
    assert "Aaron Zed" not in seen[3]  # the range of a text column is never a statistic
    assert "Customer" not in seen[0] and "Customer" in seen[1]
    assert "8399" not in seen[1] and "8399" in seen[2] and "2014-01-03" in seen[2]


def test_show_prints_the_very_bytes(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url), STANDIN_KEY=KEY)
        driver.say(show="%ask --show Total profit", profile=PROFILE)
        shown = driver.hear("show", "error")["show"]
        assert not server.requests
        driver.ask()
        driver.answer(OK)
    head, body = shown.split("\n\n", 1)
    assert body == server.requests[0].body.decode() + "\n"
    assert head.startswith(f"POST {server.url}/v1/chat/completions\n")
    assert "Authorization: Bearer <STANDIN_KEY>" in head and KEY not in shown


def test_the_same_question_is_answered_from_the_cache(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))] * 2) as server:
        driver = bridge({**config_for(CHAT, server.url), "cache": True}, STANDIN_KEY=KEY)
        for cached in (False, True):
            driver.ask()
            assert driver.answer(OK)["metadata"]["cached"] is cached
        assert len(server.requests) == 1
        driver.ask("%%ask --no-cache\nTotal profit")
        assert driver.answer(OK)["metadata"]["cached"] is False
        assert len(server.requests) == 2
    files = list((driver.errors.parent / "cache/cellpod/ask").iterdir())
    assert len(files) == 1 and files[0].stat().st_mode & 0o777 == 0o600
    assert KEY not in files[0].read_text() and "Total profit" not in files[0].read_text()


def test_what_failed_is_not_cached(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))] * 2) as server:
        driver = bridge({**config_for(CHAT, server.url), "cache": True})
        for _ in range(2):
            driver.ask("%%ask --retries 0\nTotal profit")
            assert driver.answer(error())["finished"] == "failed"
        assert len(server.requests) == 2


def test_a_corrected_answer_is_cached_with_its_correction(bridge: Opener) -> None:
    scripts = [stream(*CHAT.answer(fenced("df['Profitt0']"))), stream(*CHAT.answer(fenced()))]
    with StandIn(scripts) as server:
        driver = bridge({**config_for(CHAT, server.url), "cache": True})
        for cached in (False, True):
            driver.ask()
            assert driver.answer(error(), OK)["metadata"]["cached"] is cached
        assert len(server.requests) == 2


def test_fields_that_a_server_refuses_are_left_out_and_stay_so(bridge: Opener) -> None:
    def refuse(text: str, param: str | None = None) -> Any:
        return http(400, json.dumps({"error": {"message": text, "param": param, "code": None}}))

    scripts = [
        refuse("Unsupported parameter", "max_tokens"),
        refuse("Unsupported value: 'temperature' does not support 0"),
        stream(*CHAT.answer(fenced())),
        stream(*CHAT.answer(fenced())),
    ]
    with StandIn(scripts) as server:
        driver = bridge(config_for(CHAT, server.url), "--virtual")
        for _ in range(2):
            driver.ask()
            end = driver.answer(OK)
            assert end["finished"] == "answered" and end["now_ms"] == 0
    bodies = [request.json() for request in server.requests]
    assert [("max_tokens" in b, "max_completion_tokens" in b) for b in bodies] == [
        (True, False),
        (False, True),
        (False, True),
        (False, True),
    ]
    assert ["temperature" in body for body in bodies] == [True, True, False, False]


def test_a_context_that_is_too_small_shrinks_the_prompt(bridge: Opener) -> None:
    wide = {
        "frames": [
            {
                "name": "df",
                "rows": 1,
                "columns": [
                    {"name": f"column number {i}", "dtype": "float64", "min": 1, "max": 2}
                    for i in range(300)
                ]
                + [{"name": "Profit", "dtype": "float64", "min": 123456}],
            }
        ]
    }
    message = "request (12011 tokens) exceeds the available context size (4096 tokens)"
    refusal = {
        "error": {
            "code": 400,
            "message": message,
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 12011,
            "n_ctx": 4096,
        }
    }
    with StandIn([http(400, json.dumps(refusal)), stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url), "--virtual")
        driver.ask(profile=wide)
        end = driver.answer(OK)
    first, second = (request.body.decode() for request in server.requests)
    assert len(second) < len(first) / 2 and "123456" in second  # the column that was asked for
    assert "but" in end["metadata"]["left_out"]


def test_a_prompt_that_can_not_fit_is_refused_here(bridge: Opener) -> None:
    wide = {
        "frames": [{"name": "df", "columns": [{"name": "x" * 50 + str(i)} for i in range(3000)]}]
    }
    with StandIn([]) as server:
        driver = bridge(config_for(CHAT, server.url, context_tokens=4096))
        driver.ask(profile=wide)
        end = driver.hear("finished")
        assert not server.requests
    assert (end["finished"], end["failure"]) == ("failed", "context") and "tokens" in end["message"]


def test_an_answer_that_is_too_short_gets_more_room_once(bridge: Opener) -> None:
    short = [
        *CHAT.begin,
        CHAT.text("```python\ndf."),
        CHAT.end[0].replace(b'"stop"', b'"length"'),
        CHAT.end[2],
    ]
    with StandIn([stream(*short), stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url), "--virtual")
        driver.ask()
        assert driver.answer(OK)["code"] == "df['Profit'].sum()"
    assert [request.json()["max_tokens"] for request in server.requests] == [4096, 16384]


def test_explain_asks_for_words_and_hands_them_on(bridge: Opener) -> None:
    with StandIn([stream(*CHAT.answer("It adds up.\n" + fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask("%%ask --explain\nTotal profit")
        end = driver.answer(OK)
    assert end["said"] == "It adds up."
    assert "three sentences" in server.requests[0].body.decode()


@pytest.mark.parametrize("flag", ["--no-run", "--code-only"])
def test_code_can_be_had_without_running_it(bridge: Opener, flag: str) -> None:
    with StandIn([stream(*CHAT.answer(fenced()))]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.ask(f"%%ask {flag}\nTotal profit", check=True)
        driver.hear("check")
        driver.say(checked={"ok": True})
        end = driver.hear("run", "finished")
    assert end["finished"] == "code" and end["code"] == "df['Profit'].sum()"


def test_models_lists_who_can_be_reached(bridge: Opener) -> None:
    with StandIn([recorded("models.txt")]) as server:
        driver = bridge(config_for(CHAT, server.url))
        driver.say(models=True)
        lines = driver.hear("models")["models"].splitlines()
    table = {line.split()[0]: line for line in lines if line}
    assert lines[-1] == "Questions go to standin (m-1)."
    assert "scripted.gguf" in table["standin"]
    assert table["openai"].split()[1] == "needs"  # its name once
    assert "OPENAI_API_KEY" in table["openai"] and "ANTHROPIC_API_KEY" in table["anthropic"]
    assert "built in" in table["planner"] and "cannot be reached" in table["local"]


def test_the_planner_answers_when_no_model_is_named(bridge: Opener, tmp_path: Any) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text(
        json.dumps({"code": "df.sum()", "said": "I took Profit.", "plan": {"mark": "bar"}})
    )
    driver = bridge({}, "--planner", str(answer), OPENAI_API_KEY=KEY)
    driver.ask()
    end = driver.answer(OK)
    assert (end["finished"], end["code"], end["said"]) == ("answered", "df.sum()", "I took Profit.")
    assert end["metadata"]["provider"] == "planner" and end["metadata"]["plan"] == {"mark": "bar"}
    driver.say(show="%ask --show Total profit", profile=PROFILE)
    assert "Nothing would be sent" in driver.hear("show")["show"]


def test_the_planner_may_refuse(bridge: Opener, tmp_path: Any) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"refusal": "I did not understand: seasonally"}))
    driver = bridge({}, "--planner", str(answer))
    driver.ask()
    end = driver.hear("finished")
    assert end["finished"] == "refused" and "seasonally" in end["message"]
