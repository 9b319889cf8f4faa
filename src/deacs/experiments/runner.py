"""The runner: every cell of sets x methods x splits x m x classifiers, on all cores, resumable.

A selection is computed once for each split, then scored for every m and classifier. Every result
is appended to the results file at once, and a run computes only what is missing there. Results
depend on the plan alone, not on the number of processes or how often a run was killed.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from deacs.exceptions import InputError, Parameter
from deacs.experiments.datasets import Dataset, load_dataset
from deacs.experiments.methods import PAPER_METHODS, known_methods
from deacs.experiments.protocols import Protocol, make_protocol
from deacs.experiments.provenance import record_run
from deacs.experiments.results import Results, append_results, read_results
from deacs.experiments.work import Plan, Record, Work, score_features, select_features
from deacs.experiments.workbenches import QUARTET, REGRESSORS, known_classifiers

__all__ = ["Progress", "run"]

Progress = Callable[[int, int, str], None]
"""Called with the numbers of finished and of all known cells, and what was finished last."""


def run(
    sets: str | Iterable[str | Dataset] | Dataset,
    out: str | Path,
    *,
    methods: str | Iterable[str] | Mapping[str, Any] = PAPER_METHODS,
    classifiers: str | Iterable[str] | Mapping[str, Any] | None = None,
    protocol: str | Protocol = "nested",
    max_features: int = 30,
    sizes: Iterable[int] | None = None,
    discretizer: str | None = "mdlp",
    seed: int = 0,
    n_jobs: int = 1,
    retry_errors: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Run an experiment, or the rest of it.

    Parameters
    ----------
    sets : names or Dataset, one or more
        Data sets of the registry, or your own tables (`dataset_from_table`).
    out : path
        The folder of results; those that it already holds are not computed again.
    methods : names, or mapping of names to selectors, default=PAPER_METHODS
        The selectors.
    classifiers : names, or mapping of names to classifiers, optional
        What scores selections; also any of scikit-learn by name. Default: `QUARTET`, or
        `REGRESSORS` if targets are numeric; R2 then takes the place of accuracy.
    protocol : str or Protocol, default="nested"
        On which rows to select, train and test.
    max_features : int, default=30
        The maximum length of a selection.
    sizes : numbers, optional
        The numbers of features to score, at most `max_features`; a selection that ends before one
        of them is scored as a whole. Default: all.
    discretizer : str or None, default="mdlp"
        The discretizer, as in `deacs.encode`, for all methods and classifiers. None: every method
        selects from the table itself by its own defaults, as `deacs select` does, and classifiers
        see the intervals of "auto".
    seed : int, default=0
        The seed of protocols by name, and of classifiers with a `random_state`.
    n_jobs : int, default=1
        The number of processes; -1: one for each core. Results do not depend on it. With more than
        one, a script must guard its main part by `if __name__ == "__main__":`.
    retry_errors : bool, default=False
        Whether to try again what failed before.
    progress : callable, optional
        Called as `progress(cells finished, cells in all, what was finished last)`.

    Returns
    -------
    Results
        All scores, selections and errors in the folder.

    Examples
    --------
    >>> import tempfile
    >>> from deacs.experiments import make_protocol, run
    >>> with tempfile.TemporaryDirectory() as out:
    ...     results = run("iris", out, methods=["dea-cs", "mrmr"], classifiers="nb",
    ...                   protocol=make_protocol("nested", n_splits=3), max_features=2)
    >>> len(results.selections), len(results.scores), len(results.errors)
    (6, 12, 0)
    """
    if max_features < 1:
        raise InputError(Parameter("max_features"), f" must be 1 or more, got {max_features}")
    datasets = _loaded(sets)
    plan = Plan(
        datasets,
        known_methods(methods),
        _scorers(classifiers, datasets, seed),
        make_protocol(protocol, seed=seed) if isinstance(protocol, str) else protocol,
        discretizer,
        max_features,
        _checked_sizes(sizes, max_features),
    )
    _check_methods(plan)
    for dataset in plan.datasets.values():
        plan.protocol.splits(dataset.labels)  # raises early if rows cannot be split
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with append_results(folder) as append:
        record_run(folder, plan)
        queue = _Queue(plan, read_results(folder, with_errors=not retry_errors), append, progress)
        with ExitStack() as stack:
            submit = _start(plan, n_jobs, stack)
            queue.work_through(submit, n_ahead=1 if n_jobs == 1 else 2 * _n_processes(n_jobs))
    return read_results(folder)


def _checked_sizes(sizes: Iterable[int] | None, max_features: int) -> tuple[int, ...] | None:
    if sizes is None:
        return None
    given = sorted(set(sizes))
    if not given or given[0] < 1 or given[-1] > max_features:
        raise InputError(
            Parameter("sizes"),
            f" must be numbers between 1 and {max_features} (",
            Parameter("max_features"),
            f"), got {given}",
        )
    return tuple(given)


def _loaded(sets: Any) -> dict[str, Dataset]:
    given = [sets] if isinstance(sets, str | Dataset) else list(sets)
    if not given:
        raise InputError(Parameter("sets"), " must name one data set or more, got none")
    datasets: dict[str, Dataset] = {}
    for one in given:
        dataset = load_dataset(one) if isinstance(one, str) else one
        known = datasets.setdefault(dataset.name, dataset)
        if known.checksum != dataset.checksum:
            raise InputError(
                Parameter("sets"),
                f" must have different names, got two tables called {dataset.name!r}; rename one",
            )
    return datasets


def _scorers(classifiers: Any, datasets: Mapping[str, Dataset], seed: int) -> dict[str, Any]:
    """Return the classifiers or regressors by name; each suits the target of every data set."""
    scorers = known_classifiers(_defaults(datasets) if classifiers is None else classifiers, seed)
    for name, scorer in scorers.items():
        predicts = getattr(scorer, "predicts", None)
        for dataset in datasets.values():
            kind, others = (
                ("classes", QUARTET) if dataset.numbers is None else ("numbers", REGRESSORS)
            )
            if predicts not in (kind, None):
                raise InputError(
                    Parameter("classifiers"),
                    f" must predict {kind}, the target of {dataset.name!r}, got {name!r}, which "
                    f"predicts {predicts}; use one of {', '.join(others)}, for example",
                )
    return scorers


def _check_methods(plan: Plan) -> None:
    """Raise an error for a method of distances that does not suit the target or the codes."""
    for name, method in plan.methods.items():
        needed = getattr(type(method), "target", None)
        for dataset in plan.datasets.values():
            if needed not in (None, dataset.kind):
                other = "relieff" if needed == "numbers" else "rrelieff"
                raise InputError(
                    Parameter("methods"),
                    f" must suit the target of {dataset.name!r}, which is {dataset.kind}, got "
                    f"{name!r}, which needs {needed}; use {other!r}, or a method that counts",
                )
        if needed == "numbers" and plan.discretizer is not None:
            raise InputError(
                Parameter("methods"),
                f" must be able to read codes, got {name!r}, which needs the numbers of the "
                "target; leave it out, or use ",
                Parameter("discretizer", None),
            )


def _defaults(datasets: Mapping[str, Dataset]) -> tuple[str, ...]:
    """Return the names of the default classifiers or regressors."""
    kinds = {dataset.numbers is None for dataset in datasets.values()}
    if len(kinds) > 1:
        raise InputError(
            Parameter("sets"),
            " must all have classes or all have numbers as target, got both; run them separately",
        )
    return QUARTET if kinds == {True} else REGRESSORS


class _Queue:
    """The work that is left; a finished selection adds the scoring of its features."""

    def __init__(
        self, plan: Plan, done: Results, append: Callable[[Record], None], progress: Progress | None
    ) -> None:
        self._plan, self._done, self._append, self._progress = plan, done, append, progress
        self._pending: deque[Work] = deque()
        self._n_total = self._n_done = 0
        protocol = plan.protocol
        for name, dataset in plan.datasets.items():
            n_sizes = len(plan.sizes_of(dataset.n_features))
            cells = n_sizes * len(plan.classifiers) * protocol.n_total * len(plan.methods)
            self._n_total += cells
            for split in dict.fromkeys(map(plan.selection_split, range(protocol.n_total))):
                for method in plan.methods:
                    self._begin(name, method, split)

    def _begin(self, name: str, method: str, split: int) -> None:
        """Queue a selection, or the scoring of its features if it is finished."""
        record = self._done.get((name, method, split))
        if record is None:
            where: dict[str, Any] = {"name": name, "method": method, "split": split}
            self._pending.append(partial(select_features, **where))
        else:
            self._pending.extend(self._scores_of(record))

    def _scores_of(self, record: Record) -> list[Work]:
        """Return the work to score a finished selection; count the scores that exist."""
        plan, name, method = self._plan, record["set"], record["method"]
        splits = [
            split
            for split in range(plan.protocol.n_total)
            if plan.selection_split(split) == record["split"]
        ]
        ranking = tuple(record.get("ranking", ()))  # an error has none
        expected = plan.sizes_of(plan.datasets[name].n_features)
        sizes = [len(ranking)] if record.get("is_whole") else plan.sizes_of(len(ranking))
        self._n_total -= len(splits) * (len(expected) - len(sizes)) * len(plan.classifiers)
        work: list[Work] = []
        for split in splits:
            for m in sizes:
                left = tuple(
                    classifier
                    for classifier in plan.classifiers
                    if (name, method, split, m, classifier) not in self._done
                )
                self._n_done += len(plan.classifiers) - len(left)
                if left:
                    where: dict[str, Any] = {"name": name, "method": method, "split": split}
                    work.append(
                        partial(score_features, **where, ranking=ranking, m=m, classifiers=left)
                    )
        return work

    def work_through(self, submit: Callable[[Work], Future[list[Record]]], n_ahead: int) -> None:
        """Do all that is left, the newest work first, so that a process still has its split."""
        running: set[Future[list[Record]]] = set()
        while self._pending or running:
            while self._pending and len(running) < n_ahead:
                running.add(submit(self._pending.popleft()))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                for record in _records(future):
                    self._record(record)

    def _record(self, record: Record) -> None:
        self._append(record)
        self._done.add(record)
        if "classifier" in record:
            self._n_done += 1
        else:
            self._pending.extendleft(reversed(self._scores_of(record)))
        if self._progress is not None:
            text = f"{record['set']}, {record['method']}"
            self._progress(self._n_done, self._n_total, text)


def _records(future: Future[list[Record]]) -> list[Record]:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise OSError(
            "a process of this run was killed, perhaps because memory ran out; run again to "
            "resume, with fewer processes if it happens again"
        ) from error


def _n_processes(n_jobs: int) -> int:
    if n_jobs == 0 or n_jobs < -1:
        raise InputError(Parameter("n_jobs"), f" must be -1 (all cores) or 1 or more, got {n_jobs}")
    return (os.cpu_count() or 1) if n_jobs == -1 else n_jobs


def _start(plan: Plan, n_jobs: int, stack: ExitStack) -> Callable[[Work], Future[list[Record]]]:
    """Return a function that submits work to a process, or does it here if there is only one."""
    if _n_processes(n_jobs) == 1:
        from threadpoolctl import threadpool_limits

        stack.enter_context(threadpool_limits(1))
        return partial(_do_here, plan)
    # Not forked: the threads of polars and numba do not survive a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(_n_processes(n_jobs), context, _begin_process, (plan,))
    stack.callback(pool.shutdown, cancel_futures=True)
    return lambda work: pool.submit(_do, work)


def _do_here(plan: Plan, work: Work) -> Future[list[Record]]:
    future: Future[list[Record]] = Future()
    future.set_result(work(plan))
    return future


_plan: Plan | None = None


def _begin_process(plan: Plan) -> None:
    """Keep the plan, use one thread, and end with the process that started this one."""
    from threadpoolctl import threadpool_limits

    global _plan
    _plan = plan
    threadpool_limits(1)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    # A killed parent does not shut down its pool, whose processes would wait forever.
    threading.Thread(target=watch, daemon=True).start()


def _do(work: Work) -> list[Record]:
    assert _plan is not None
    return work(_plan)
