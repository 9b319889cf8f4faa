"""`deacs --version`: the version, and with `--verbose` the details for a bug report.

It needs no optional package, so that a broken installation can be reported too.
"""

import os
import platform
import sys

from deacs import __version__
from deacs._extras import installed_version

__all__ = ["version_text"]

PACKAGES = (
    *("numpy", "scipy", "scikit-learn", "highspy", "narwhals"),
    *("polars", "pandas", "pyarrow", "typer", "rich", "jinja2", "matplotlib", "dask"),
)


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
