"""The command line, with one module per command."""

import os
import signal
import sys
from _thread import interrupt_main
from threading import Timer
from typing import Any, NoReturn

from deacs._extras import lacking

__all__ = ["main"]

USAGE_ERROR, INTERRUPTED = 2, 130
SOON_SECONDS = 0.01


def main() -> None:
    """Run the `deacs` command; Ctrl-C ends it quietly, even while modules load."""
    sys.unraisablehook = _interrupt_again
    try:
        if missing := lacking("cli"):
            _say_what_is_missing(missing)
        from deacs.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    except SystemExit as end:
        if end.code != INTERRUPTED:
            # The work is done: interrupting the interpreter's shutdown changes nothing.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if end.code:
                _drop_what_cannot_be_written()
            raise
    sys.stderr.flush()
    os._exit(INTERRUPTED)  # Python itself would end by the signal, not with this code


def _say_what_is_missing(packages: list[str]) -> NoReturn:
    """Say what to install if the command line's packages are missing, except for `--version`."""
    if "--version" in sys.argv[1:]:
        from deacs.cli.version import version_text

        print(version_text("--verbose" in sys.argv[1:]))
        sys.exit(0)
    print(
        f"error: the deacs command needs {', '.join(packages)}, not installed here; "
        "pip install 'deacs[cli]'",
        file=sys.stderr,
    )
    sys.exit(USAGE_ERROR)


def _drop_what_cannot_be_written() -> None:
    """Discard output that cannot be written: flushing it at exit would change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt_again(lost: Any) -> None:
    """Raise Ctrl-C again if it came where Python cannot raise it, as in an import callback."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        Timer(SOON_SECONDS, interrupt_main).start()  # now it would be lost again
    else:
        sys.__unraisablehook__(lost)
