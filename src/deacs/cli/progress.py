"""A progress bar for what takes longer than a second, and silence for what does not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["progress_bar"]

PATIENCE_SECONDS = 1.0


@contextmanager
def progress_bar(total: int | None, *, quiet: bool = False) -> Iterator[Callable[[int, str], None]]:
    """Yield a function `(step, name)`; the bar is on the error stream and leaves no trace."""
    console = Console(stderr=True)
    # How long it takes is known only if it is known how many are wanted.
    time_left = [] if total is None else [TimeRemainingColumn(), TextColumn("left")]
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        *time_left,
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    task = progress.add_task("reading and coding the table", total=total)
    timer = Timer(PATIENCE_SECONDS, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda step, name: progress.update(
            task, completed=step, description=f"selected {name}"
        )
    finally:
        timer.cancel()
        if progress.live.is_started:
            progress.stop()
