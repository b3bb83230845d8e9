"""Where no control group can be had: none is mounted, or none is the user's."""

from support.client import START
from support.kernel import connection_info


def test_the_doctor_says_what_there_is_instead(doctor):
    status, checks = doctor()
    assert status == 0, checks
    memory, processors = checks["memory"], checks["processors"]
    assert memory["status"] == processors["status"] == "note"
    assert "a meter in cellpod-sandboxd enforces the limit" in memory["detail"]
    assert "sandboxes that ask for `cpus` are refused" in processors["detail"]
    assert memory["remedy"] == processors["remedy"] != ""


def test_processors_that_cannot_be_limited_are_refused(start_kernel):
    kernel = start_kernel.on(connection_info(), arguments=("--cpus", "0.5"))
    cell = kernel.ready_client().execute("print('ran')", timeout=START)
    assert (cell.status, cell.stdout) == ("error", "")
    assert "cellpod has no control group for processor time" in cell.content["evalue"]
