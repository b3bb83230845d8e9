"""Top-level await, and tasks that outlive their cell."""

from driver import Driver


def test_top_level_await(worker: Driver):
    assert worker.run("import asyncio\nawait asyncio.sleep(0.01, 'slept')").result == "'slept'"
    assert worker.run("[x async for x in (lambda: (i async for i in agen()))()]").status == "error"
    code = "async def agen():\n    for i in range(3): yield i\n[x async for x in agen()]"
    assert worker.run(code).result == "[0, 1, 2]"


def test_a_task_goes_on_between_cells_and_prints_where_it_began(worker: Driver):
    code = """
import asyncio
async def tick():
    for n in range(3):
        await asyncio.sleep(0.02)
        print('tick', n)
    done.set()
done = asyncio.Event()
task = asyncio.create_task(tick()); None"""
    first = worker.run(code)
    assert first.status == "ok"
    seen = ""
    while "tick 2\n" not in seen:
        message = worker.receive()
        assert message.parent == first.request
        seen += message.content["text"]
    assert worker.run("await done.wait()").result == "True"


def test_tasks_of_a_cell_that_awaits_keep_their_cell(worker: Driver):
    first = worker.run(
        "import asyncio\nasync def late():\n    await asyncio.sleep(0.05)\n    print('late')\n"
        "t = asyncio.ensure_future(late())\nawait asyncio.sleep(0)"
    )
    second = worker.run("print('mine')\nawait t")
    said = {first.request: "", second.request: ""}
    for message in second.of("stream"):
        said[message.parent] += message.content["text"]
    assert said == {second.request: "mine\n", first.request: "late\n"}


def test_asyncio_run_works_in_a_cell(worker: Driver):
    code = "import asyncio\nasync def f(): return 7\n"
    assert worker.run(code + "asyncio.run(f())").result == "7"
    assert worker.run("asyncio.get_event_loop().run_until_complete(f())").result == "7"
    assert worker.run("await f()").result == "7"
    assert worker.run("asyncio.run(f()), await f()").content["ename"] == "RuntimeError"


def test_a_running_loop_is_seen_by_plain_cells(worker: Driver):
    code = "import asyncio; asyncio.get_running_loop() is asyncio.get_event_loop()"
    assert worker.run(code).result == "True"


def test_a_task_that_exits_ends_only_itself(worker: Driver):
    worker.run(
        "import asyncio, sys\nasync def leave():\n    await asyncio.sleep(0.02)\n    sys.exit(3)\n"
        "t = asyncio.create_task(leave()); None"
    )
    seen = ""
    while "SystemExit" not in seen:
        seen += worker.receive().content["text"]
    assert worker.run("t.done()").result == "True"


def test_contexts_with_async(worker: Driver):
    code = """
import contextlib
@contextlib.asynccontextmanager
async def c():
    print('in'); yield 3; print('out')
async with c() as x:
    print(x)"""
    assert worker.run(code).text() == "in\n3\nout\n"


def test_an_exception_in_an_awaited_cell(worker: Driver):
    answer = worker.run("import asyncio\nawait asyncio.sleep(0)\n1/0")
    assert answer.content["ename"] == "ZeroDivisionError"
    assert len(answer.of("error")) == 1
    answer = worker.run("await asyncio.wait_for(asyncio.sleep(9), 0.01)")
    assert answer.content["ename"] == "TimeoutError"


def test_a_server_answers_between_cells(worker: Driver, cwd):
    code = """
import asyncio
async def hello(reader, writer):
    writer.write(b'hello'); writer.close()
server = await asyncio.start_unix_server(hello, 'sock'); None"""
    assert worker.run(code).status == "ok"
    import socket

    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(cwd / "sock"))
        client.settimeout(10)
        assert client.recv(10) == b"hello"
