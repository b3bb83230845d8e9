"""What this machine forbids whoever runs the tests."""

import os
from pathlib import Path

DEBIANS = Path("/proc/sys/kernel/unprivileged_userns_clone")


def forbids_user_namespaces() -> bool:
    """By Debian's setting; root may make them all the same."""
    return os.getuid() != 0 and DEBIANS.exists() and DEBIANS.read_text() == "0\n"
