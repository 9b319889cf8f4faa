"""Environments to test in: `nox` runs the matrix, `nox -s lowest` one session; `nox -l` lists them.

`make test` runs every test on one Python. The sessions here run the core of them on the others,
with few random examples and without folds. Words after `--` go to pytest instead:
`nox -s tests-3.14 -- tests` runs everything. nox looks for interpreters on the path (`python3.12`);
uv fetches those that are missing where the network lets it; it skips the others and says so.
"""

import os
import sys

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_missing_interpreters = False

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
OLDEST, NEWEST = PYTHONS[0], PYTHONS[-1]
# `make check-all` names the Python on which it has run every test; `make dist bill` runs the rest.
TESTED = os.environ.get("DEACS_TESTED")
OTHERS = [f"tests-{version}" for version in PYTHONS if version != TESTED]
nox.options.sessions = [*OTHERS, "lowest", f"bare-{NEWEST}"]

# What a Python, a compiler or a library may change: kernels, measures, tables, what all selectors
# share, scikit-learn's checks, the command. How each selector reasons is left to `make test`.
NAMES = """unit/kernels unit/tables unit/coding unit/counts
unit/selection/test_judges.py unit/selection/test_deacs.py unit/cli/test_select.py
contract/test_contract.py contract/test_estimators.py
system/cli/test_app.py system/cli/test_outputs.py system/test_extras.py"""
CHOICE = ["-k", "not _cv and not wrappers and not every_table", "--hypothesis-profile=quick"]
CHOICE += ["-n", "2", "--dist", "worksteal"]
CORE = [*(f"tests/{name}" for name in NAMES.split()), *CHOICE]
# What may fail because it is installed: files of the package, commands, where imports come from.
PACKAGED = [
    *(f"tests/{name}" for name in ("unit/cli", "unit/report", "system/cli")),
    *(f"tests/system/test_{name}.py" for name in ("package", "extras")),
    *CHOICE,
]


def _pytest(session: nox.Session, *options: str, chosen: list[str] = CORE) -> None:
    session.run("python", "-m", "pytest", *options, *(session.posargs or chosen))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest dependencies."""
    session.install(".[dev]")
    _pytest(session)


@nox.session(python=OLDEST)
def lowest(session: nox.Session) -> None:
    """The lowest dependencies that pyproject.toml allows; only uv can resolve to them."""
    session.install("--resolution", "lowest-direct", ".[dev]")
    # What these versions deprecate among themselves is not ours.
    _pytest(session, "-W", "ignore::DeprecationWarning")


@nox.session(python=PYTHONS)
def bare(session: nox.Session) -> None:
    """The wheel and nothing else: the quick start, every selector, what the command says."""
    session.install(".")
    session.run("python", ".ci/bare.py")


@nox.session(python=OLDEST)
def wheel(session: nox.Session) -> None:
    """The wheel in dist/, which `make dist` has built: what may fail where it is installed."""
    from pathlib import Path

    [built] = Path("dist").glob("*.whl")
    session.install(f"deacs[dev] @ {built.resolve().as_uri()}")
    session.run("python", "-c", "import deacs, sys; assert sys.prefix in deacs.__file__")
    _pytest(session, chosen=PACKAGED)


@nox.session(python=NEWEST)
def bill(session: nox.Session) -> None:
    """What users get with the command and the report: bill of materials, known advisories."""
    session.install(".[cli,report]")
    inside = f"{session.bin}/python"
    session.run(sys.executable, ".ci/bill.py", inside, external=True)


@nox.session(python=f"{NEWEST}t")
def free_threaded(session: nox.Session) -> None:
    """Python without its global lock; by name only, until highspy has wheels for it."""
    session.install("--only-binary", "highspy", ".[dev]")
    _pytest(session)
