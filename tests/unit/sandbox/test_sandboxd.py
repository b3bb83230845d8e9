"""The daemon as a whole, over its HTTP API, with a stand-in behind it that can misbehave."""

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandboxd_client import STANDIN, Daemon, UnixConnection, starting
from support import processes


@pytest.fixture
def start():
    with starting(Daemon) as start:
        yield start


@pytest.fixture
def daemon(start):
    return start()


# --- start and end ----------------------------------------------------------------------------
def test_of_two_daemons_one_serves(daemon):
    second, said = daemon.start()
    assert said == "taken"
    assert second.wait(10) == 0
    assert daemon.call("GET", "/v1/health")[1]["status"] == "ok"


def test_one_that_was_killed_leaves_no_trace(start):
    first = start()
    first.process.kill()
    first.process.wait(10)
    second, said = first.start()
    first.process = second
    assert said == "ready"
    assert first.call("GET", "/v1/health")[0] == 200


def test_says_why_it_does_not_start(start, tmp_path):
    (tmp_path / "cellpod").write_text("in the way")
    daemon = Daemon(XDG_STATE_HOME=str(tmp_path))
    try:
        assert re.fullmatch(r"error: .*/cellpod.*", daemon.said)
        assert daemon.process.wait(10) == 1
    finally:
        daemon.close()


def test_a_signal_ends_it_and_all_that_it_started(start):
    daemon = start()
    events = daemon.claim().ready()
    children = processes.descendants(daemon.process.pid)
    assert len(children) == 3
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(10) == 0
    processes.assert_all_end(children, "sandboxd")
    assert not daemon.path.exists()
    assert_ends(events, "sandboxd", "sandboxd is shutting down")


def test_leaves_when_nobody_needs_it(start):
    daemon = start(CELLPOD_IDLE_EXIT_SECONDS="1")
    sandbox = daemon.claim()
    sandbox.ready()
    with pytest.raises(subprocess.TimeoutExpired):
        daemon.process.wait(1.5)  # a sandbox is a reason to stay
    sandbox.call("DELETE")
    assert daemon.process.wait(10) == 0


def test_a_daemon_that_was_killed_takes_its_sandboxes_along(start):
    daemon = start()
    daemon.claim().ready()
    children = processes.descendants(daemon.process.pid)
    daemon.process.kill()
    daemon.process.wait(10)
    processes.assert_all_end(children, "sandboxd")
    daemon.process, _ = daemon.start()  # which removes their control groups


def test_nobody_else_may_look_into_its_log_or_its_memory(daemon):
    token = daemon.claim().answer["token"]
    log = daemon.state / "sandboxd.log"
    assert log.stat().st_mode & 0o777 == 0o600
    assert token not in log.read_text()
    # Root reads every process; what an ordinary user may not is owned by root.
    assert Path(f"/proc/{daemon.process.pid}/environ").stat().st_uid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_serves_its_own_user_only(daemon):
    os.chmod(daemon.folder, 0o711)
    os.chmod(daemon.path, 0o666)
    code = ("import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX);"
            "s.connect(sys.argv[1]); s.sendall(b'GET /v1/health HTTP/1.0\\r\\n\\r\\n');"
            "print(s.recv(65536).decode())")
    answer = subprocess.run([sys.executable, "-c", code, daemon.path], capture_output=True,
                            text=True, timeout=20, check=True).stdout
    assert " 403 " in answer.splitlines()[0]
    assert "another user" in answer


# --- claims -----------------------------------------------------------------------------------
def test_the_same_task_gets_the_same_sandbox(daemon):
    first, second = daemon.claim(task_id="t"), daemon.claim(task_id="t")
    assert (first.status, second.status) == (201, 200)
    assert first.answer["id"] == second.answer["id"]
    assert first.answer["token"] == second.answer["token"]
    assert daemon.claim(task_id="u").id != first.id


def test_refuses_more_than_its_capacity(start):
    daemon = start("--capacity", "1")
    first = daemon.claim()
    status, answer = daemon.call("POST", "/v1/sandboxes", {"task_id": "more"})
    assert (status, answer["error"]["code"]) == (429, "busy")
    assert first.call("DELETE") == (200, {})
    daemon.claim(task_id="more")


@pytest.mark.parametrize("claim, said", [
    (b"", "JSON"), ({"task_id": "t", "colour": "red"}, "colour"),
    ({"task_id": "t", "workspace": {"path": "/no/such/folder"}}, "/no/such/folder"),
    ({"task_id": "t", "workspace": {"path": "/etc/passwd"}}, "not a folder"),
])
def test_a_claim_that_is_refused_says_why(daemon, claim, said):
    status, answer = daemon.call("POST", "/v1/sandboxes", claim)
    assert status == 400
    assert said in answer["error"]["message"]
    assert daemon.call("GET", "/v1/sandboxes") == (200, {"sandboxes": []})


def test_a_sandbox_ends_with_its_owner(daemon):
    code = ("import http.client, json, socket, sys; c = http.client.HTTPConnection('x');"
            "c.sock = socket.socket(socket.AF_UNIX); c.sock.connect(sys.argv[1]);"
            "c.request('POST', '/v1/sandboxes', json.dumps({'task_id': 't', 'owner': True}));"
            "print(json.loads(c.getresponse().read())['id'], flush=True); sys.stdin.read()")
    owner = subprocess.Popen([sys.executable, "-c", code, daemon.path], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    claimed = owner.stdout.readline().strip()
    sandbox = daemon.claim(task_id="t")
    assert (sandbox.status, sandbox.id) == (200, claimed)
    events = sandbox.ready()
    owner.communicate()
    assert_ends(events, "owner", "the process that claimed it has ended")
    assert sandbox.call("GET")[0] == 404


def test_a_sandbox_ends_when_its_time_is_up(daemon):
    sandbox = daemon.claim(ttl_seconds=1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", sandbox.answer["expires_at"])
    assert_ends(sandbox.ready(), "ttl", "its time of 1 s is up (ttl_seconds)")


def test_a_sandbox_ends_when_it_is_idle_but_not_while_it_works(daemon):
    sandbox = daemon.claim(idle_seconds=1)
    events = sandbox.ready()
    sandbox.execute("sleep", "r")
    assert events.next("stream").json["text"] == "sleeping"
    with pytest.raises(TimeoutError):
        events.connection.sock.settimeout(2.5)
        events.next()
    events = sandbox.events(after=2)
    assert sandbox.call("POST", "/interrupt", {"request": "r"}) == (200, {"delivered": True})
    assert events.next().type == "execute_reply"
    assert_ends(events, "idle", "it was idle for 1 s (idle_seconds)")


def assert_ends(events, cause: str, why: str) -> None:
    event = events.next()
    assert (event.type, event.parent) == ("sandbox_ended", "")
    assert event.json == {"cause": cause, "message": f"the sandbox has ended: {why}"}
    with pytest.raises(EOFError):
        events.next()


# --- HTTP -------------------------------------------------------------------------------------
@pytest.mark.parametrize("method, path, body, status", [
    ("GET", "/nowhere", None, 404),
    ("POST", "/", None, 405),  # GET / is a probe: test_sandboxd_tcp.py
    ("GET", "/v1/sandboxes/nobody", None, 404),
    ("GET", "/v1/sandboxes/nobody/events", None, 404),
    ("PUT", "/v1/health", None, 405),
    ("POST", "/v1/sandboxes", b"x" * ((1 << 20) + 1), 413),
    ("POST", "/v1/sandboxes", b"{" * (1 << 20), 400),
])
def test_errors_have_a_status_a_code_and_a_sentence(daemon, method, path, body, status):
    got, answer = daemon.call(method, path, body)
    assert got == status
    assert answer["error"]["code"] and answer["error"]["message"]


def test_a_body_without_a_length_has_the_same_limit(daemon):
    connection = UnixConnection(daemon.path)
    connection.request("POST", "/v1/sandboxes", iter([b"x" * 65536] * 17), encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
    assert connection.getresponse().status == 413


@pytest.mark.parametrize("what, body, status", [
    ("/requests", b"no envelope", 400),
    ("/requests", b'{"type":"shutdown_request","id":"x"}\n\n', 400),
    ("/input", {"value": "x"}, 409),
    ("/input", [], 400),
    ("/input", {"value": 7}, 400),
    ("/interrupt", {"request": 7}, 400),
    ("/interrupt", {"request": "x", "number": 0}, 400),
    ("/interrupt", {"request": "x"}, 200),
])
def test_what_a_sandbox_cannot_do_now(daemon, what, body, status):
    sandbox = daemon.claim()
    sandbox.ready()
    got, answer = sandbox.call("POST", what, body)
    assert got == status
    assert answer == {"delivered": False} if status == 200 else answer["error"]


def test_a_request_that_comes_again_runs_once(daemon):
    """Its client did not get to see the answer: before it ran, while and after."""
    sandbox = daemon.claim()

    def again():
        return sandbox.call("POST", "/requests", b'{"type":"comm_msg","id":"same"}\n\n')

    sandbox.execute("sleep", "same")
    assert again() == (200, {})
    events = sandbox.ready()
    events.next("stream")
    assert again() == (200, {})
    sandbox.call("POST", "/interrupt", {"request": "same"})
    events.next("execute_reply")
    assert again() == (200, {})
    sandbox.execute("echo next")
    assert events.next("stream", "execute_reply").json["text"] == "next"


def test_an_interrupt_that_comes_again_is_one(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    for number in (1, 2):
        request = sandbox.execute("sleep")
        events.next("stream")
        body = {"request": request, "number": number}
        assert sandbox.call("POST", "/interrupt", body) == (200, {"delivered": True})
        events.next("execute_reply")
        assert sandbox.call("POST", "/interrupt", body) == (200, {"delivered": True})
    deaf = sandbox.execute("deaf")
    events.next("stream")
    assert sandbox.call("POST", "/interrupt", {"request": deaf, "number": 3})[0] == 200
    events.next("notice")  # from here on an interrupt kills: not one that was heard before
    assert sandbox.call("POST", "/interrupt", {"request": deaf, "number": 3})[0] == 200
    assert sandbox.call("GET")[1]["state"] == "ready"
    assert sandbox.call("POST", "/interrupt", {"request": deaf, "number": 4})[0] == 200
    assert events.next("worker_exited").json["cause"] == "interrupt"


def test_an_answer_is_for_its_question(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    questions = []
    for text in ("a", "b"):
        sandbox.execute("input")
        questions.append(events.next("input_request").seq)
        answers = [{"value": text, "question": number} for number in questions]
        statuses = [sandbox.call("POST", "/input", answer)[0] for answer in answers]
        assert statuses == [202] if text == "a" else [409, 202]
        assert events.next("stream").json["text"] == text


# --- events -----------------------------------------------------------------------------------
def test_requests_that_come_early_run_in_order(daemon):
    sandbox = daemon.claim()
    ids = [sandbox.execute(f"echo {i}") for i in range(20)]
    events = sandbox.ready()
    got = [events.next() for _ in range(40)]
    assert [e.parent for e in got] == [i for i in ids for _ in range(2)]
    assert [e.seq for e in got] == list(range(2, 42))


def test_a_client_that_comes_back_misses_nothing_and_sees_nothing_twice(daemon):
    sandbox = daemon.claim()
    sandbox.ready().close()
    sandbox.execute("echo a")
    sandbox.execute("echo b")
    for after in range(5):
        events = sandbox.events(after)
        assert [events.next().seq for _ in range(5 - after)] == list(range(after + 1, 6))
        events.close()
    assert sandbox.events(6).status == 400
    assert sandbox.events(-1).status == 400


def test_what_is_no_longer_kept_is_gone(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("print 40")
    last = events.next("execute_reply").seq
    assert sandbox.events(0).status == 410
    for after in (last - 15, last):  # 16 MiB are kept
        assert sandbox.events(after).status == 200


def test_a_worker_waits_for_a_client_that_does_not_read(daemon):
    sandbox = daemon.claim()
    sandbox.ready().close()
    sandbox.execute("print 200")
    stalled = sandbox.events(1)
    processes.forget_peak_memory(daemon.process.pid)
    assert sandbox.call("GET")[1]["state"] == "ready"
    for count in range(200):
        event = stalled.next()
        assert (event.seq, event.type) == (count + 2, "stream")
        assert len(event.content) > 1 << 20
    assert stalled.next().type == "execute_reply"
    assert processes.peak_memory_mb(daemon.process.pid) < 80


def test_many_clients_that_leave_are_forgotten(daemon):
    sandbox = daemon.claim()
    keeper = sandbox.ready()
    processes.need_to_look_into(daemon.process.pid)
    folder = Path(f"/proc/{daemon.process.pid}/fd")
    before = len(list(folder.iterdir()))
    for _ in range(50):
        sandbox.events().close()
    sandbox.execute("echo on")
    keeper.next("execute_reply")
    assert sandbox.call("GET")[0] == 200
    # A checkpoint or a connection that is about to close may hold a few: the 50 would be 50 more.
    assert len(list(folder.iterdir())) <= before + 10


# --- workers ----------------------------------------------------------------------------------
def test_a_worker_that_dies_takes_its_request_and_no_other(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("exit 7", "a")
    sandbox.execute("echo on", "b")
    died = events.next()
    assert (died.type, died.parent) == ("worker_exited", "a")
    assert died.json["cause"] == "exit" and died.json["exit_code"] == 7
    assert events.next().type == "worker_started"
    assert [events.next().parent, events.next().type] == ["b", "execute_reply"]


@pytest.mark.parametrize("said", [
    r"nonsense\n",
    r'{\"type\":\"stream\",\"parent\":\"nobody\",\"bytes\":2}\n{}\n',
    r'{"type":"stream","parent":"r","bytes":2}\n{}x',
])
def test_a_worker_that_breaks_the_protocol_is_replaced(daemon, said):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("raw " + said, "r")
    died = events.next()
    assert (died.type, died.parent, died.json["cause"]) == ("worker_exited", "r", "protocol")
    assert events.next().type == "worker_started"


def test_a_worker_that_leaves_again_and_again_is_started_less_and_less_often(daemon):
    """After 0.1, 0.2, 0.4 and 0.8 s, all together: when one of them is heard of says little."""
    begun = time.monotonic()
    sandbox = daemon.claim("worker-leaves")
    came = [event.type for event in itertools.islice(sandbox.ready(), 13)]
    waited = time.monotonic() - begun
    pair = ["worker_exited", "worker_started"]
    assert came == [*pair, *pair, "worker_exited", "notice", "worker_started", *pair, *pair, *pair]
    assert waited > 1.5
    assert sandbox.call("DELETE") == (200, {})


def test_a_restart_in_a_row_waits_for_nothing(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    for _ in range(6):
        assert sandbox.call("POST", "/restart", {}) == (202, {})
        assert [events.next().type, events.next().type] == ["worker_exited", "worker_started"]


def test_restart_keeps_the_sandbox_and_replaces_the_worker(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    before = sandbox.call("GET")[1]["worker"]["pid"]
    sandbox.execute("deaf", "r")
    events.next("stream")
    assert sandbox.call("POST", "/restart", {}) == (202, {})
    died = events.next()
    assert (died.parent, died.json["cause"]) == ("r", "restart")
    assert events.next().type == "worker_started"
    assert sandbox.call("GET")[1]["worker"]["pid"] != before


def test_only_what_runs_is_interrupted(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("sleep", "a")
    sandbox.execute("sleep", "b")
    events.next("stream")
    assert sandbox.call("POST", "/interrupt", {"request": "b"})[1] == {"delivered": False}
    assert sandbox.call("POST", "/interrupt", {"request": "a"})[1] == {"delivered": True}
    assert events.next("execute_reply").parent == "a"
    events.next("stream")
    assert sandbox.call("POST", "/interrupt", {})[1] == {"delivered": True}
    assert events.next("execute_reply").parent == "b"
    assert sandbox.call("POST", "/interrupt", {})[1] == {"delivered": False}


def test_who_does_not_listen_is_warned_before_it_is_ended(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("deaf", "r")
    events.next("stream")
    for _ in range(3):
        assert sandbox.call("POST", "/interrupt", {"request": "r"})[1] == {"delivered": True}
    notice = events.next()
    assert (notice.type, notice.parent) == ("notice", "r")
    sandbox.call("POST", "/interrupt", {"request": "r"})
    died = events.next()
    assert (died.type, died.json["cause"]) == ("worker_exited", "interrupt")


def test_input_reaches_who_asked(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("input", "r")
    assert events.next().type == "input_request"
    assert sandbox.call("POST", "/input", {"value": 'é\n"'}) == (202, {})
    assert sandbox.call("POST", "/input", {"value": "again"})[0] == 409
    assert events.next("stream").json["text"] == 'é\n"'


# --- what may go wrong behind it ----------------------------------------------------------------
def link(tmp_path, name):
    path = tmp_path / name
    path.symlink_to(STANDIN)
    return str(path)


def test_a_template_that_is_not_there(daemon):
    failure = daemon.claim(template="/no/such/python").failure()
    assert failure["code"] == "no-python"
    assert "/no/such/python" in failure["message"]
    assert "CELLPOD_PYTHON" in failure["remedy"]


def test_a_template_that_ends_at_once(daemon, tmp_path):
    assert daemon.claim(template=link(tmp_path, "exits")).failure()["code"] == "zygote-start"
    assert "no reason given" in daemon.log()


def test_a_template_that_says_what_it_lacks(daemon, tmp_path):
    sandbox = daemon.claim(template=link(tmp_path, "fails"))
    assert sandbox.failure() == {"code": "no-ipython", "layer": "", "message": "no IPython here",
                                 "remedy": "pip install ipython"}
    about = sandbox.call("GET")[1]
    assert (about["state"], about["error"]["code"]) == ("failed", "no-ipython")
    status, answer = sandbox.call("POST", "/requests", b'{"type":"comm_msg","id":"x"}\n\n')
    assert status == 409
    assert answer["error"]["message"].endswith("has failed: no IPython here. pip install ipython")
    assert sandbox.call("DELETE") == (200, {})


@pytest.mark.parametrize("fault, code", [
    ("spawn-fails", "no-fork"),
    ("zygote-dies", "zygote-died"),
    ("init-fails", "isolation"),
    ("init-dies", "init-died"),
    ("init-babbles", "init-died"),
    ("init-too-many-fds", "init-died"),
    ("worker-exits", "worker-start"),
])
def test_a_start_that_fails_is_told_and_others_go_on(daemon, fault, code):
    good = daemon.claim().ready()
    sandbox = daemon.claim(fault)
    failure = sandbox.failure()
    assert failure["code"] == code
    assert failure["message"]
    assert sandbox.call("DELETE") == (200, {})
    daemon.claim().ready()
    good.close()


def test_an_init_may_be_faster_than_its_zygote(daemon):
    daemon.claim("zygote-tells-late").ready()


def test_an_init_that_dies_is_replaced(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    sandbox.execute("kill_init", "r")
    died = events.next()
    assert (died.type, died.parent) == ("worker_exited", "r")
    assert events.next().type == "worker_started"
    sandbox.execute("echo on")
    assert events.next().json["text"] == "on"


def test_an_init_that_lies_about_an_end_is_replaced(daemon):
    sandbox = daemon.claim("init-lies-about-status")
    events = sandbox.ready()
    sandbox.execute("exit 0", "r")
    assert events.next().type == "worker_exited"
    assert events.next().type == "worker_started"


def test_an_init_cannot_pass_another_process_for_its_worker(daemon):
    env = {"STANDIN": "init-gives-our-pidfd", "SANDBOXD_PID": str(daemon.process.pid)}
    assert daemon.claim(env=env).failure()["code"] == "worker-start"
    daemon.claim().ready()


def test_a_zygote_that_dies_is_replaced_and_its_sandboxes_live_on(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    pid = int(re.search(r"zygote ready pid=(\d+)", daemon.log())[1])
    os.kill(pid, signal.SIGKILL)
    daemon.claim().ready()
    sandbox.execute("echo on")
    assert events.next().json["text"] == "on"


def test_delete_while_it_starts(daemon):
    sandbox = daemon.claim()
    assert sandbox.call("DELETE") == (200, {})
    assert daemon.call("GET", "/v1/sandboxes") == (200, {"sandboxes": []})


def test_usage_counts_every_process(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    usage = sandbox.call("GET", "/usage")[1]
    assert usage["hostname"] == socket.gethostname()
    assert usage["cpu_percent"] == 0
    assert usage["memory_bytes"] > 1 << 20
    assert usage["cpu_count"] == len(os.sched_getaffinity(0))
    assert processes.status_field(usage["pid"], "Name")
    sandbox.execute("print 20")
    events.next("execute_reply")
    assert sandbox.call("GET", "/usage")[1]["cpu_percent"] > 0
