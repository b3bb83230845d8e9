"""The workspace through sandboxd's API, as in tests/security, against the image `sandbox`."""

import pytest

from security import test_files_api

from .decided import made

pytestmark = pytest.mark.timeout(600)
globals().update(made(test_files_api))
