"""A cell that opens a file which lies beside the notebook and was not sent."""

import pytest

from support import remote
from support.client import START

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


place, folder, start = remote.place, remote.folder, remote.start


def told(client, code) -> str:
    """What the cell is told behind its error."""
    cell = client.execute(code, timeout=START)
    assert cell.status == "error", cell
    return "".join(line for line in cell.stderr.splitlines() if line.startswith("cellpod: beside")
                   or "is beside the notebook now" in line)


@pytest.fixture
def left_out(folder):
    """One of each kind that is not sent."""
    with (folder / "big.csv").open("wb") as big:
        big.truncate(10_000_000_000)
    (folder / "link.csv").symlink_to("big.csv")
    (folder / "elsewhere").symlink_to("/")
    (folder / ".hidden.csv").write_text("x")
    (folder / "it's.csv").write_text("x")
    (folder / ".cellpodignore").write_text("it's.csv\nraw/\n")
    (folder / "raw").mkdir()
    (folder / "raw/x.csv").write_text("x")
    return folder


def test_it_is_told_why_and_what_to_do(start, left_out):
    client = start(env={"JPY_SESSION_NAME": str(left_out / "sales 1.ipynb")})
    client.execute("import pandas, pathlib", timeout=START)
    assert told(client, "pandas.read_csv('big.csv')") == (
        "cellpod: beside the notebook, and not sent: big.csv (10.0 GB, larger than carry_file_mb). "
        "To send it now, run `cellpod cp big.csv 'sales 1.ipynb:big.csv'' in this folder. "
        'For other ways, see docs/cluster.md, "Files".')
    assert "link.csv (links are not followed)" in told(client, "open('/workspace/link.csv')")
    assert "elsewhere (links are not followed)" in told(client, "open('elsewhere/etc/passwd')")
    assert ".hidden.csv (hidden names, Python" in told(client, "pathlib.Path('./.hidden.csv').read_text()")
    assert "raw/x.csv (named in .cellpodignore)" in told(client, "open('raw/x.csv')")
    assert "cellpod cp 'it'\\''s.csv' 'sales 1.ipynb:it'\\''s.csv'" in told(client, 'open("it\'s.csv")')


def test_other_libraries_words_are_understood(start, left_out):
    client = start()
    for error in ("OSError('No such file or directory (os error 2): big.csv')",
                  "OSError('IO Error: No files found that match the pattern \"big.csv\"')",
                  "RuntimeError('File big.csv does not exist: /workspace/big.csv')"):
        assert "big.csv (10.0 GB" in told(client, f"raise {error}"), error


def test_of_what_is_not_there_either_nothing_is_told(start, left_out):
    client = start()
    for code in ("open('nowhere.csv')", "open('raw')", "open('../notebooks/big.csv')",
                 "open('/etc/nowhere')", "raise FileNotFoundError", "raise FileNotFoundError('\\'' * 3)",
                 "raise ValueError('big.csv')"):
        assert told(client, code) == "", code


def test_what_came_while_the_cell_ran_and_what_was_removed_there(start, folder):
    (folder / "sent.csv").write_text("x")
    client = start()
    msg_id = client.send_execute("print('now', flush=True); input()\nopen('late.csv')", allow_stdin=True)
    client.wait_for_text(msg_id, "now")
    (folder / "late.csv").write_text("x")
    client.answer_input("")
    cell = client.finish(msg_id, timeout=START)
    assert "cellpod: late.csv is beside the notebook now. Run the cell again" in cell.stderr
    assert client.execute("print(open('late.csv').read())").stdout == "x\n"
    assert "sent.csv (sent before, and removed there since)" in told(
        client, "import os; os.remove('sent.csv'); open('sent.csv')")


def test_it_is_told_where_nothing_comes_back_too(start, left_out):
    assert "big.csv (10.0 GB" in told(start("--carry", "send"), "open('big.csv')")
    assert told(start("--carry", "none"), "open('big.csv')") == ""
