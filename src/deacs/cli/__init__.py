"""The command line, with one module per command.

What is here needs no optional package: a broken installation can be reported, too.
"""

import os
import platform
import signal
import sys
from _thread import interrupt_main
from threading import Timer
from typing import Any, NoReturn

from deacs import __version__
from deacs._extras import installed_version, lacking

__all__ = ["INTERRUPTED", "USAGE_ERROR", "main", "version_text"]

USAGE_ERROR, INTERRUPTED = 2, 130
SOON_SECONDS = 0.01

PACKAGES = (
    *("numpy", "scipy", "scikit-learn", "highspy", "narwhals"),
    *("polars", "pandas", "pyarrow", "typer", "rich", "jinja2", "matplotlib", "dask"),
)


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


def version_text(is_verbose: bool) -> str:
    """Return the version; if verbose, also those of Python, the system and the packages."""
    if not is_verbose:
        return f"deacs {__version__}"
    facts = {
        "deacs": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()}, {_lock()})",
        "system": f"{platform.platform()}, {platform.machine()}",
        "processors": str(os.cpu_count()),
        **{name: installed_version(name) or "not installed" for name in PACKAGES},
        **{name: value for name, value in sorted(os.environ.items()) if _matters(name)},
    }
    width = max(map(len, facts))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in facts.items())


def _lock() -> str:
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    return "with the global lock" if has_lock else "free-threaded"


def _matters(variable: str) -> bool:
    """Whether an environment variable affects deacs; data folders stay private."""
    return variable.startswith(("OMP_", "DEACS_")) and variable != "DEACS_DATA"
