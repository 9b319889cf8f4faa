"""Compute what records do not hold yet: cheap methods on small tables first.

A method may spend so many CPU seconds on a table, an equal part in each fold. A pair of method and
table that needs more is recorded as not run, with the reason. A killed run goes on where it was.
"""

import signal
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context

from threadpoolctl import threadpool_limits

from reproduction.suite.evaluation import problem, right, sizes
from reproduction.suite.methods import METHODS, Method
from reproduction.suite.records import Records
from reproduction.suite.tables import folds, load_table, tables

__all__ = ["BUDGET", "run"]

BUDGET = 60.0
"""CPU seconds that a method may spend on the folds of one table."""


class TooSlow(BaseException):
    """The budget is spent; not an `Exception`, so that no method takes it for one of its own."""


def run(
    methods: Mapping[str, Method] | None = None,
    names: Sequence[str] | None = None,
    budget: float = BUDGET,
    jobs: int = 1,
) -> None:
    """Rank and classify what is missing.

    Parameters
    ----------
    methods : dict of name to Method, optional
        Default: all of the study; with `jobs`, a part of them.
    names : list of str, optional
        The tables; default: all.
    budget : float
        CPU seconds for a method on a table.
    jobs : int
        Processes, each with a table of its own.
    """
    methods = METHODS if methods is None else methods
    names = tables() if names is None else names
    for turn in sorted({method.turn for method in methods.values()}):
        now = {name: method for name, method in methods.items() if method.turn == turn}
        if jobs == 1:
            for table in names:
                _run_table(table, now, budget)
        else:
            with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
                list(pool.map(_run_by_name, names, [list(now)] * len(names), [budget] * len(names)))


def _run_by_name(table: str, methods: list[str], budget: float) -> None:
    _run_table(table, {name: METHODS[name] for name in methods}, budget)


def _run_table(table: str, methods: Mapping[str, Method], budget: float) -> None:
    records = Records(table)
    start, n_known = time.process_time(), len(records.scores)
    n_features = load_table(table)[0].width
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for name, method in methods.items():
            rankings = _rankings(table, name, method, budget, records)
            for fold, ranking in enumerate(rankings):
                for size in sizes(n_features):
                    right(table, fold, ranking[:size], records)
    spent, n_new = time.process_time() - start, len(records.scores) - n_known
    if n_new:
        print(f"  {table}: {n_new} sets of columns, {spent:.0f} s CPU", flush=True)


def _rankings(
    table: str, name: str, method: Method, budget: float, records: Records
) -> list[list[int]]:
    """Return the ranking of every fold; none if the method is not run on the table."""
    found: list[list[int]] = []
    for fold in range(len(folds(table))):
        key = name, method.version, fold
        known = records.rankings.get(key)
        if known is None or budget > known.get("budget", budget):
            _rank(key, table, method, budget, records)
            known = records.rankings[key]
        if "ranking" not in known:
            return []
        found.append(known["ranking"])
    return found


def _rank(
    key: tuple[str, str, int], table: str, method: Method, budget: float, records: Records
) -> None:
    """Add one ranking to the records, or why there is none."""
    name, _, fold = key
    if load_table(table)[0].width > method.max_columns:
        reason = f"not run: more than {method.max_columns} columns"
        return records.add_ranking(*key, skipped=reason, seconds=0.0)
    _warm(method)
    given = problem(table, fold)
    limit = budget / len(folds(table))
    start = time.process_time()
    try:
        with _cpu_limit(limit):
            ranking = [int(column) for column in method.rank(given)]
    except TooSlow:
        reason = f"not run: too slow, more than {limit:.0f} s CPU in a fold"
        return records.add_ranking(*key, skipped=reason, seconds=limit, budget=budget)
    except Exception as error:
        print(f"  {table}, {name}: {error!r}"[:300], flush=True)
        reason = f"failed: {type(error).__name__}: {error}"[:200]
        return records.add_ranking(*key, skipped=reason, seconds=time.process_time() - start)
    return records.add_ranking(*key, ranking=ranking, seconds=time.process_time() - start)


@cache
def _warm(method: Method) -> None:
    """Compile and import what a method needs before its time is taken."""
    if method.turn < 4:
        method.rank(problem("wine", 0))


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow when the process has spent so many CPU seconds."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.01))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
