"""A defect of jupyter_console, taken out of the tests that press Ctrl-C: see handle_sigint.

Its handler of SIGINT waits for another thread, which may wait for a lock that the interrupted
main thread holds: then the console hangs for good, whatever the kernel (one Ctrl-C in some
1,500). Here the handler leaves the waiting to a thread of its own.
"""

from threading import Thread

from jupyter_console.app import ZMQTerminalIPythonApp

waiting_handler = ZMQTerminalIPythonApp.handle_sigint


def handle_sigint(app, *args):
    if app.shell._executing and app.kernel_manager:
        Thread(target=app.kernel_manager.interrupt_kernel).start()
    else:
        waiting_handler(app, *args)


ZMQTerminalIPythonApp.handle_sigint = handle_sigint
