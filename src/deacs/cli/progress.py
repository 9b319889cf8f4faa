"""Progress bars for work that takes longer than a second, on the error stream of a terminal.

Bars leave no trace.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Timer

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from deacs.cli.console import terminal

__all__ = ["cell_progress", "share_progress", "step_progress", "waiting"]

PATIENCE_SECONDS = 1.0


@contextmanager
def step_progress(total: int | None, *, quiet: bool) -> Iterator[Callable[[int, str], None]]:
    """Yield a function `(step, name)` that reports selected features."""
    # The remaining time is known only if the number of features is.
    left = [] if total is None else [TimeRemainingColumn(), TextColumn("left")]
    columns = [BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), *left]
    with _shown("reading and coding the table", columns, total, quiet=quiet) as (progress, task):
        yield lambda step, name: progress.update(
            task, completed=step, description=f"selected {name}"
        )


@contextmanager
def share_progress(what: str, *, quiet: bool) -> Iterator[Callable[[str, float], None]]:
    """Yield a function `(what, share)` that reports the share of work done, from 0 to 1."""
    columns = [BarColumn(), TaskProgressColumn(), TimeElapsedColumn()]
    with _shown(what, columns, 1.0, quiet=quiet) as (progress, task):
        yield lambda what, share: progress.update(task, description=what, completed=share)


@contextmanager
def cell_progress(*, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function `(cells finished, cells in all, what)` that reports an experiment."""
    columns = [
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    ]
    with _shown("reading the tables", columns, None, quiet=quiet) as (progress, task):
        yield lambda done, total, what: progress.update(
            task, completed=done, total=total, description=what
        )


@contextmanager
def waiting(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show the elapsed time, for work without steps to count."""
    with _shown(what, [SpinnerColumn(), TimeElapsedColumn()], None, quiet=quiet):
        yield


@contextmanager
def _shown(
    what: str, columns: list[ProgressColumn], total: float | None, *, quiet: bool
) -> Iterator[tuple[Progress, TaskID]]:
    console = terminal(stderr=True)
    is_hidden = quiet or not console.is_terminal
    description = TextColumn("{task.description}", markup=False)
    progress = Progress(description, *columns, console=console, transient=True, disable=is_hidden)
    task = progress.add_task(what, total=total)
    with ExitStack() as stack:
        if not is_hidden:
            stack.callback(progress.stop)
            stack.enter_context(_after(PATIENCE_SECONDS, progress.start))
        yield progress, task


@contextmanager
def _after(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    timer = Timer(seconds, call)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
