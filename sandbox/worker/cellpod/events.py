"""What runs before and after each cell: IPython's own callbacks, libraries', the user's.

An interrupt that hits one of them is for the cell. IPython takes it for an error of the callback's,
says so, and goes on: a cell that was interrupted would run all the same, and its answer be "ok".
"""

from typing import Any

from IPython.core.events import EventManager, available_events

_BEFORE = ("pre_execute", "pre_run_cell")


class CellEvents(EventManager):
    @classmethod
    def instead_of(cls, events: EventManager) -> "CellEvents":
        """With what is registered there."""
        ours = cls(events.shell, available_events)
        ours.callbacks = events.callbacks
        return ours

    def trigger(self, event: str, *args: Any, **kwargs: Any) -> None:
        """All of them are called. Interrupted before a cell it does not run; after it, only its
        answer tells."""
        interrupt: KeyboardInterrupt | None = None
        for callback in self.callbacks[event][:]:
            try:
                callback(*args, **kwargs)
            except KeyboardInterrupt as error:
                interrupt = error
            except Exception:
                if self.print_on_error:
                    print(f"Error in callback {callback} (for {event}), with arguments args {args},"
                          f"kwargs {kwargs}:")  # fmt: skip
                self.shell.showtraceback()
        if interrupt and event in _BEFORE:
            raise interrupt
        if interrupt:
            self.shell.display_error = interrupt
            self.shell.showtraceback((type(interrupt), interrupt, interrupt.__traceback__))
