"""The agents' calls of tests/security, against the image `sandbox`."""

import pytest

from security import test_execute_api

from .decided import made

pytestmark = pytest.mark.timeout(600)
globals().update(made(test_execute_api))
