"""Jupyter without the grammars of IRIs, which nothing here checks.

jsonschema can check that texts are IRIs (RFC 3987), and then compiles 39 grammars when it is
imported: two seconds of a processor for each process that reads a notebook. It does without where
the package is missing. Say so before jsonschema is imported.
"""

import sys

# For a program of its own.
WITHOUT_GRAMMARS = "import sys; sys.modules['rfc3987_syntax'] = None"


def leave_out_grammars() -> None:
    sys.modules["rfc3987_syntax"] = None
