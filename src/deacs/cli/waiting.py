"""A sign that work goes on, for work that has no steps to count."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

__all__ = ["waiting"]

PATIENCE_SECONDS = 1.0


@contextmanager
def waiting(words: str, *, quiet: bool = False) -> Iterator[None]:
    """Show words and the time on the error stream after a second; they leave no trace."""
    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    progress.add_task(words, total=None)
    timer = Timer(PATIENCE_SECONDS, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if progress.live.is_started:
            progress.stop()
