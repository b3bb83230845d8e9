"""The community's conformance suite, every class of it, on the kernel under test."""

import jupyter_kernel_test
import pytest


@pytest.fixture(scope="class", autouse=True)
def kernel_under_test(request, laboratory):
    """Runs before setUpClass, which starts the kernel by name."""
    request.cls.kernel_name = laboratory.kernel_name
    if laboratory.is_ipykernel:  # with IPython 9 it answers session 0 for whichever was asked
        request.cls.supported_history_operations = ("tail", "search")


class TestKernel(jupyter_kernel_test.KernelTests):
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [
        {"text": "zi", "matches": {"zip"}},
        {"text": "import itertools as it; it.zip_l"},
        {"text": "'éà'.isal"},
    ]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n    return x*2\n\n\n",
                             "%time 1", ""]
    incomplete_code_samples = ["print('''hello", "def f(x):\n    x*2", "%%timeit\na", "foo = ["]
    invalid_code_samples = ["import = 7q", "x = 1 +", "raise = 2", "print hello)"]
    code_page_something = "zip?"
    code_generate_error = "raise ValueError('on purpose')"
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
        {"code": "'text'", "result": "'text'"},
    ]
    code_display_data = [
        {"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))",
         "mime": "text/html"},
        {"code": "from IPython.display import Math, display; display(Math('x'))",
         "mime": "text/latex"},
        {"code": "import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); plt.show()",
         "mime": "image/png"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output; clear_output()"


class TestIopubWelcome(jupyter_kernel_test.IopubWelcomeTests):
    support_iopub_welcome = True
