"""Whose session a claim gets that another process has left: over the daemon's HTTP API."""

import json
import os
import subprocess
import sys
import uuid

import pytest

from sandboxd_client import Daemon, Sandbox, TcpDaemon, starting

# Claims, runs a cell without end unless it is told not to, says what it got, and stays until it is
# ended.
OWNER = """
import http.client, json, socket, sys
def call(method, path, body):
    connection = http.client.HTTPConnection('localhost')
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(sys.argv[1])
    connection.request(method, path, body)
    response = connection.getresponse()
    return response.status, response.read()
status, text = call('POST', '/v1/sandboxes', sys.argv[2])
answer = json.loads(text)
if status == 201 and sys.argv[3] == 'runs':
    connection = http.client.HTTPConnection('localhost')
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(sys.argv[1])
    connection.request('GET', '/v1/sandboxes/%s/events' % answer['id'])
    connection.getresponse().readline()
    content = '{"code": "sleep"}'
    line = json.dumps({'type': 'execute_request', 'id': 'x1', 'bytes': len(content)})
    call('POST', '/v1/sandboxes/%s/requests' % answer['id'], line + chr(10) + content + chr(10))
print(json.dumps([status, answer]), flush=True)
sys.stdin.read()
"""
KEEP = {"notebook": "/one.ipynb", "seconds": 600}


@pytest.fixture
def start():
    with starting(Daemon) as start:
        yield start


class Owner:
    def __init__(self, daemon: Daemon, keep: dict, runs: bool = True, uid: int | None = None,
                 **fields: object):
        build = daemon.call("GET", "/v1/health")[1]["build"]
        claim = {"task_id": uuid.uuid4().hex, "owner": True, "env": {"STANDIN": ""},
                 "keep": {"build": build, **keep}, "resources": {"checkpoints": 0}} | fields
        user = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
        self.claim, self.daemon = claim, daemon
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER, daemon.path, json.dumps(claim), "runs" if runs else "idle"],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **user)
        self.status, self.answer = json.loads(self.process.stdout.readline())

    @property
    def id(self) -> str:
        return self.answer["id"]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def own():
    owners = []

    def own(*arguments, **options) -> Owner:
        owners.append(Owner(*arguments, **options))
        return owners[-1]

    yield own
    for owner in owners:
        owner.end()


def test_the_same_claim_gets_it(start, own):
    daemon = start()
    first = own(daemon, KEEP)
    first.end()
    second = own(daemon, KEEP)
    assert (second.status, second.id) == (200, first.id)
    kept = second.answer["kept"]
    assert (kept["cell"], kept["takeover"], kept["models"], kept["is_cut"]) == ("x1", 1, False, False)


def test_a_claim_that_is_repeated_gets_the_same_answer(start, own):
    daemon = start()
    own(daemon, KEEP).end()
    second = own(daemon, KEEP)
    assert daemon.call("POST", "/v1/sandboxes", second.claim) == (200, second.answer)


OTHERS = {
    "notebook": {"keep": {**KEEP, "notebook": "/two.ipynb"}},
    "build": {"keep": {**KEEP, "build": "0123456789ab"}},
    "fresh": {"keep": {**KEEP, "fresh": True}},
    "python": {"template": "/proc/self/exe"},
    "folder": {"workspace": {"path": "/var/tmp"}},
    "mounts": {"mounts": [{"source": "/usr"}]},
    "waived": {"waive": ["seccomp"]},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_cannot_have_it_with_another(start, own, other):
    daemon = start()
    first = own(daemon, KEEP)
    first.end()
    second = own(daemon, **{"keep": KEEP, "runs": False, **other})
    assert second.status == 201 and second.id != first.id
    assert "kept" not in second.answer
    assert own(daemon, KEEP).id == first.id


def test_cannot_have_it_from_a_daemon_of_another_build(start, own):
    """Both kernels agree with one another, and not with this sandboxd."""
    daemon, keep = start(), {**KEEP, "build": "0123456789ab"}
    first = own(daemon, keep)
    first.end()
    assert own(daemon, keep, runs=False).id != first.id


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
def test_cannot_have_it_as_another_user(start, own):
    """Root may talk to a user's daemon, and is still somebody else."""
    daemon = start(uid=54321)
    first = own(daemon, KEEP, uid=54321)
    assert first.status == 201
    first.end()
    assert own(daemon, KEEP, runs=False).id != first.id
    assert own(daemon, KEEP, uid=54321).id == first.id


def test_cannot_have_it_while_its_owner_lives(start, own):
    daemon = start()
    first, second = own(daemon, KEEP), own(daemon, KEEP, runs=False)
    assert second.status == 201 and second.id != first.id
    assert "kept" not in second.answer  # nothing was ever taken over


def test_of_two_claims_one_gets_it_and_the_other_is_told(start, own):
    daemon = start()
    first = own(daemon, KEEP)
    first.end()
    second, third = own(daemon, KEEP), own(daemon, KEEP, runs=False)
    assert (second.id, third.status) == (first.id, 201)
    assert third.answer["kept"] == {"elsewhere": second.process.pid}


def test_a_lease_that_is_over(start, own):
    daemon = start()
    first = own(daemon, {**KEEP, "seconds": 1})
    events = Sandbox(daemon, 200, first.answer).events()
    first.end()
    ended = events.next("sandbox_ended").json
    events.close()
    assert ended["cause"] == "owner" and "(keep_minutes)" in ended["message"]
    assert own(daemon, KEEP, runs=False).status == 201


def test_a_sandbox_that_has_run_nothing_ends_with_its_owner(start, own):
    daemon = start()
    first = own(daemon, KEEP, runs=False)
    events = Sandbox(daemon, 200, first.answer).ready()
    first.end()
    assert events.next("sandbox_ended").json["message"].endswith("that claimed it has ended")
    events.close()


@pytest.mark.parametrize(("claim", "said"), [
    ({"keep": {"notebook": "/n", "build": "b"}, "owner": True}, "seconds"),
    ({"keep": {"notebook": "", "build": "b", "seconds": 1}, "owner": True}, "notebook"),
    ({"keep": {"notebook": "/n", "build": "b", "seconds": 1}}, "owner"),
])
def test_a_claim_that_is_wrong_says_why(start, claim, said):
    status, answer = start().call("POST", "/v1/sandboxes", {"task_id": "t", **claim})
    assert status == 400 and said in answer["error"]["message"]


# --- over TCP: a session is found by the task that claimed it ---------------------------------------


@pytest.fixture
def far():
    with starting(TcpDaemon) as start:
        yield start("--claims", "open", "--capacity", "2")


def claim_of(*before: dict, **changes: object) -> dict:
    """Of a notebook whose session the kernels of these claims had."""
    keep = {**KEEP, "build": "b", **changes.pop("keep", {})}
    if before:
        keep["before"] = [claim["task_id"] for claim in before]
    return {"task_id": uuid.uuid4().hex, "env": {"STANDIN": ""}, "keep": keep,
            "resources": {"checkpoints": 0}} | changes


def claim_far(daemon: Daemon, *before: dict) -> Sandbox:
    claim = claim_of(*before)
    sandbox = Sandbox(daemon, *daemon.call("POST", "/v1/sandboxes", claim))
    sandbox.claim = claim
    return sandbox


def refused(daemon: Daemon, claim: dict) -> tuple[int, str]:
    status, answer = daemon.call("POST", "/v1/sandboxes", claim)
    return status, answer["error"]["message"]


def run(sandbox: Sandbox, name: str = "x1") -> None:
    """It still runs afterwards: what was seen to its end a while ago would not be told again."""
    events = sandbox.events()
    events.next("sandbox_ready")
    sandbox.execute("sleep", name)
    events.next("stream")
    events.close()


def test_the_next_claim_gets_it_from_afar(far):
    first = claim_far(far)
    run(first)
    second = claim_far(far, first.claim)
    assert (second.status, second.id) == (200, first.id)
    kept = second.answer["kept"]
    assert (kept["cell"], kept["takeover"], kept["ago_ms"] < 60_000) == ("x1", 1, True)
    assert far.call("POST", "/v1/sandboxes", second.claim) == (200, second.answer)
    assert claim_far(far, second.claim).id == first.id


def test_any_task_of_its_claims_opens_it(far):
    """A kernel that is killed while it takes a session over does not know whether it has."""
    first = claim_far(far)
    run(first)
    never = {"task_id": uuid.uuid4().hex}
    assert claim_far(far, never, first.claim).id == first.id


def test_cannot_go_on_with_the_token_from_before(far):
    first = claim_far(far)
    run(first)
    events = first.events()
    second = claim_far(far, first.claim)
    assert second.answer["token"] != first.answer["token"]
    with pytest.raises(EOFError):
        events.next("none")
    assert first.call("GET")[0] == 403
    assert second.call("GET")[0] == 200


AFAR = {
    "another notebook": {"keep": {"notebook": "/two.ipynb"}},
    "another build": {"keep": {"build": "c"}},
    "other limits": {"resources": {"memory_mb": 512, "checkpoints": 0}},
}
NOT_HERE = (409, "the session from before is not here")


@pytest.mark.parametrize("other", AFAR.values(), ids=AFAR)
def test_cannot_have_it_from_afar_with(far, other):
    first = claim_far(far)
    run(first)
    assert refused(far, claim_of(first.claim, **other)) == NOT_HERE
    assert claim_far(far, first.claim).id == first.id


def test_cannot_have_it_by_another_task(far):
    run(claim_far(far))
    assert refused(far, claim_of({"task_id": uuid.uuid4().hex})) == NOT_HERE


def test_cannot_have_what_was_claimed_without_keep(far):
    first = far.claim()
    first.ready().close()
    assert refused(far, claim_of({"task_id": first.call("GET")[1]["task_id"]})) == NOT_HERE


def test_cannot_have_an_owner_over_tcp(far):
    status, message = refused(far, claim_of(owner=True))
    assert status == 403 and message.startswith("owner is not allowed in claims over TCP")


def test_before_is_for_tcp(start):
    status, answer = start().call("POST", "/v1/sandboxes", {
        "task_id": "t", "owner": True, "keep": {**KEEP, "build": "b", "before": ["u"]}})
    assert status == 400 and "before is for claims over TCP" in answer["error"]["message"]
