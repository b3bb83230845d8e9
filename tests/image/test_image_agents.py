"""agent-sandbox's published client in its direct connection mode, and its sequence of calls, against
the image `sandbox`: tests/e2e/test_agent_clients.py's tests."""

import pytest

from e2e.test_agent_clients import (  # noqa: F401
    call,
    sandbox,
    test_cannot_be_confused_by_a_form,
    test_files_of_the_second_generation,
    test_it_runs_commands,
    test_it_writes_reads_and_lists_files,
    test_the_answers_are_upstreams,
    test_what_is_not_there_is_an_error_of_its_own,
)
from support import images

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def daemon(runtime, network):
    pod = images.Pod(runtime, network, arguments=["--runtime-api", "open"])
    assert call(pod, "GET", "/exists/")[0] == 200  # the default sandbox is made
    yield pod
    pod.close()
