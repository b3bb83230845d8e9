"""Magics that a notebook's shell has beside IPython's own."""

import os
import shlex
import sys
from pathlib import Path
from typing import Any

from IPython.core import page
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magics.code import CodeMagics, MacroToEdit
from IPython.display import Javascript, display
from IPython.utils import openpy

from . import packages

_NO_NETWORK = """
This cell runs in a sandbox: there is no network here. Either let sandboxes reach the
package index, in ~/.config/cellpod/config.json, and restart the kernel,

    {{"sandbox": {{"network": {{"mode": "list", "allow": ["pypi.org", "files.pythonhosted.org"]}}}}}}

or install packages from a terminal outside the notebook:

    {python} -m pip {line}"""

_OLD_MODULES = """
Already imported, and so unchanged until this sandbox ends: {names}. To change what sandboxes
start with, install it into their environment, from a terminal outside the notebook."""


@magics_class
class KernelMagics(Magics):
    @line_magic
    def edit(self, parameter_s: str = "", last_call: Any = None) -> None:
        """%edit [-n LINE] [-p] [-r] TARGET: have the notebook open an editor, if it has one.

        TARGET is a file, an object, or lines of the history, as in IPython. What was edited
        is not run."""
        last_call = last_call or ["", ""]
        options, arguments = self.parse_options(parameter_s, "prn:")
        try:
            name, line, _ = CodeMagics._find_edit_target(self.shell, arguments, options, last_call)
        except MacroToEdit:
            raise UsageError("macros cannot be edited from a notebook") from None
        payload = {"source": "edit_magic", "filename": str(Path(name).resolve()),
                   "line_number": line}  # fmt: skip
        self.shell.payload_manager.write_payload(payload)

    @line_magic
    def pip(self, line: str) -> None:
        """Run the pip of this Python: `%pip install seaborn`, `%pip list`.

        What it installs is there for this sandbox, and gone with it."""
        python = shlex.quote(sys.executable)
        is_install = line.split()[:1] == ["install"]
        if is_install:
            packages.ensure(Path.home())
        self.shell.system(f"{shlex.quote(sys.executable)} -m pip {line}")
        if self.shell.user_ns.get("_exit_code"):
            if is_install and not os.environ.get("HTTPS_PROXY"):
                print(_NO_NETWORK.format(python=python, line=line), file=sys.stderr)
        elif is_install:
            old = packages.refresh(Path.home())
            if old:
                print(_OLD_MODULES.format(names=", ".join(old)), file=sys.stderr)

    @line_magic
    def clear(self, arg_s: str) -> None:
        """Clear the terminal."""
        self.shell.system("clear")

    @line_magic
    def less(self, arg_s: str) -> None:
        """Show a file through the pager; Python files with syntax highlighting."""
        if not arg_s:
            raise UsageError("Missing filename.")
        if arg_s.endswith(".py"):
            text = self.shell.pycolorize(openpy.read_py_file(arg_s, skip_encoding_cookie=False))
        else:
            text = Path(arg_s).read_text()
        page.page(text)

    more = line_magic("more")(less)

    @line_magic
    def man(self, arg_s: str) -> None:
        """Show a manual page through the pager."""
        page.page(self.shell.getoutput(f"man {arg_s} | col -b", split=False))

    @line_magic
    def connect_info(self, arg_s: str) -> None:
        """Where the kernel listens is not known in here."""
        print("The code runs in a sandbox, which cannot see the kernel's connection file.")

    @line_magic
    def autosave(self, arg_s: str) -> None:
        """Set the interval in seconds at which the notebook is saved; 0 turns it off."""
        try:
            seconds = int(arg_s)
        except ValueError:
            raise UsageError(f"%autosave requires an integer, got {arg_s!r}") from None
        display(
            Javascript(f"IPython.notebook.set_autosave_interval({1000 * seconds})"),
            include=["application/javascript"],
        )
        print(f"Autosaving every {seconds} seconds" if seconds else "Autosave disabled")
