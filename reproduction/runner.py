"""The runner: every cell of sets x methods x splits x m x classifiers, on all cores, resumable.

A selection is computed once for each split, then scored for every m and classifier. Each result is
a line of JSON in `results.jsonl`, written at once by one system call; a run computes only what is
missing there, so it may be killed at any time. `"kind": "selection"` holds the ranking of a method
on a split (split -1: on all rows), `"score"` the numbers of tested and correct rows of one
classifier with the first m features, `"error"` what went wrong in either. `provenance.json` holds
settings, checksums of data, versions and machine; a folder with results of other settings is
refused, while sets, methods and classifiers may be added at any time.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from deacs import __version__
from deacs._extras import installed_version
from deacs.coding import CodedData, encode
from deacs.coding.new_rows import code_new_rows
from deacs.exceptions import InputError
from deacs.report.files import replace
from reproduction.datasets import Dataset, load_dataset
from reproduction.methods import PAPER_METHODS, known_methods
from reproduction.protocols import PROTOCOLS, Protocol
from reproduction.workbenches import QUARTET, Classifier, WekaClassifier, known_classifiers

__all__ = ["ALL_ROWS", "Key", "Record", "Results", "read_results", "run"]

ALL_ROWS = -1
"""The split number of a selection on all rows."""

RESULTS, PROVENANCE = "results.jsonl", "provenance.json"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "highspy", "polars", "python-weka-wrapper3")

Record = dict[str, Any]
Key = tuple[Any, ...]
"""(set, method, split) of a selection, (set, method, split, m, classifier) of a score."""

Results = dict[Key, Record]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan of a run."""

    datasets: dict[str, Dataset]
    methods: dict[str, Any]
    classifiers: dict[str, Classifier | WekaClassifier]
    protocol: Protocol
    max_features: int
    sizes: list[int]

    def sizes_of(self, n_selected: int) -> list[int]:
        """Return the numbers of features to score, each at most `n_selected`."""
        return sorted({min(m, n_selected) for m in self.sizes} - {0})


def run(
    sets: Iterable[str | Dataset],
    out: str | Path,
    *,
    methods: Iterable[str] | Mapping[str, Any] = PAPER_METHODS,
    classifiers: Iterable[str] = QUARTET,
    protocol: Protocol = PROTOCOLS["nested"],
    max_features: int = 30,
    sizes: Iterable[int] = (),
    n_jobs: int = 1,
    retry_errors: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Run the experiment, or the rest of it.

    Parameters
    ----------
    sets : names or Dataset
        Data sets of the registry, or others.
    out : path
        The folder of results; those that it already holds are not computed again.
    methods : names, or mapping of names to selectors
        The selectors, all of which see columns cut by MDLP.
    classifiers : names
        What scores selections.
    protocol : Protocol
        On which rows to select, train and test.
    max_features : int, default=30
        The most features to select.
    sizes : numbers, optional
        The numbers of features to score; default: all. A selection that ends before one of them is
        scored as a whole.
    n_jobs : int, default=1
        The number of processes; -1: one for each core. Results do not depend on it.
    retry_errors : bool, default=False
        Whether to try again what failed before.
    progress : callable, optional
        Called as `progress(pieces finished, pieces in all)`.
    """
    datasets = [load_dataset(one) if isinstance(one, str) else one for one in sets]
    wanted = sorted(set(sizes)) or list(range(1, max_features + 1))
    if not 1 <= wanted[0] <= wanted[-1] <= max_features:
        raise InputError(f"sizes must be between 1 and {max_features}, got {wanted}")
    plan = Plan(
        {dataset.name: dataset for dataset in datasets},
        known_methods(methods),
        known_classifiers(classifiers, protocol.seed),
        protocol,
        max_features,
        wanted,
    )
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    _record_provenance(folder, plan)
    done = read_results(folder, with_errors=not retry_errors)
    _end_line(folder / RESULTS)
    n_splits = protocol.n_splits
    pieces = [
        (name, method, split)
        for name in plan.datasets
        for split in range(n_splits)
        for method in plan.methods
    ]
    if protocol.selects_on_all_rows:  # once; the folds then only read it
        on_all = [(name, method, ALL_ROWS) for name in plan.datasets for method in plan.methods]
        _work(plan, folder, done, on_all, n_jobs, None)
        done = read_results(folder, with_errors=True)
    _work(plan, folder, done, pieces, n_jobs, progress)
    return read_results(folder)


def read_results(folder: str | Path, *, with_errors: bool = True) -> Results:
    """Read the results in a folder, in order of their keys; half a last line is left out."""
    results: Results = {}
    file = Path(folder) / RESULTS
    lines = file.read_bytes().splitlines(keepends=True) if file.is_file() else []
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            break
        try:
            record = json.loads(line)
            key: Key = (record["set"], record["method"], record["split"])
            if "classifier" in record:
                key = (*key, record["m"], record["classifier"])
            if with_errors or record["kind"] != "error":
                results[key] = record
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{file} line {number} is not a record of this program ({error}); remove the "
                "line, and run again to compute what it held"
            ) from error
    return results


def _end_line(file: Path) -> None:
    """Remove the half line that a killed run may have left."""
    if file.is_file():
        whole = file.read_bytes()
        os.truncate(file, whole.rfind(b"\n") + 1)


def _append(file: Path, record: Record) -> None:
    line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
    with file.open("ab", buffering=0) as stream:
        if stream.write(line) < len(line):
            raise OSError(f"{file} could not take a whole line; is the disk full?")


def _work(
    plan: Plan,
    folder: Path,
    done: Results,
    pieces: list[Key],
    n_jobs: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Do what is missing of every piece, a method on a split; each writes its own lines."""
    pool = Parallel(n_jobs, return_as="generator_unordered")
    work = (
        delayed(_piece)(plan, folder, {k: r for k, r in done.items() if _belongs(k, piece)}, *piece)
        for piece in pieces
    )
    for n_finished, _ in enumerate(pool(work), start=1):
        if progress is not None:
            progress(n_finished, len(pieces))


def _belongs(key: Key, piece: Key) -> bool:
    return key[:2] == piece[:2] and key[2] in (ALL_ROWS, piece[2])


def _piece(plan: Plan, folder: Path, done: Results, name: str, method: str, split: int) -> None:
    """Select by a method on a split and score what it selected."""
    append = partial(_append, folder / RESULTS)
    chosen_on = ALL_ROWS if plan.protocol.selects_on_all_rows else split
    selection = done.get((name, method, chosen_on))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would be repeated for every split
        if selection is None:
            selection = _selection(plan, name, method, chosen_on)
            append(selection)
        if split == ALL_ROWS or selection["kind"] == "error":
            return
        for record in _scores(plan, done, selection, split):
            append(record)


def _coded(plan: Plan, name: str, split: int, missing: Any = "category") -> CodedData:
    """Return the coded training rows of a split, or all rows."""
    dataset = plan.datasets[name]
    rows = np.arange(len(dataset.labels))
    if split != ALL_ROWS:
        rows = plan.protocol.splits(dataset.labels)[split].train
    return encode(
        dataset.X[rows],
        dataset.labels[rows],
        target="classes",
        discrete_features=dataset.discrete,
        discretizer="mdlp",
        missing=missing,
    )


def _selection(plan: Plan, name: str, method: str, split: int) -> Record:
    key = {"set": name, "method": method, "split": split}
    try:
        selector = clone(plan.methods[method])
        data = _coded(plan, name, split, getattr(selector, "missing", "category"))
        selector.set_params(n_features_to_select=min(plan.max_features, data.n_features))
        begin = time.perf_counter()
        selector.fit(data)
        seconds = time.perf_counter() - begin
    except Exception as error:
        return {"kind": "error", **key, "error": f"{type(error).__name__}: {error}"}
    ranking = selector.ranking_.tolist()
    found = {"ranking": ranking, "features": [data.feature_names[j] for j in ranking]}
    found |= {"stop_reason": selector.stop_reason_, "n_columns": data.n_features}
    found |= {"n_telling": int((data.n_values > 1).sum()), "seconds": round(seconds, 4)}
    return {"kind": "selection", **key, **found}


def _scores(plan: Plan, done: Results, selection: Record, split: int) -> Iterator[Record]:
    """Train and test classifiers with the first m features, for every m and classifier left."""
    name, method, ranking = selection["set"], selection["method"], selection["ranking"]
    cells = [
        (m, classifier)
        for m in plan.sizes_of(len(ranking))
        for classifier in plan.classifiers
        if (name, method, split, m, classifier) not in done
    ]
    if not cells:
        return
    labels = plan.datasets[name].labels
    rows = plan.protocol.splits(labels)[split]
    train, test, n_values = _both_sides(plan, name, split, ranking)
    for m, classifier in cells:
        key = {"set": name, "method": method, "split": split, "m": m, "classifier": classifier}
        begin = time.perf_counter()
        try:
            predicted = plan.classifiers[classifier].predict(
                train[:, :m], labels[rows.train], test[:, :m], n_values[:m]
            )
        except Exception as error:
            yield {"kind": "error", **key, "error": f"{type(error).__name__}: {error}"}
            continue
        seconds = round(time.perf_counter() - begin, 4)
        correct = int((predicted == labels[rows.test]).sum())
        counts = {"rows": len(rows.test), "correct": correct, "seconds": seconds}
        yield {"kind": "score", **key, **counts}


def _both_sides(
    plan: Plan, name: str, split: int, features: list[int]
) -> tuple[Codes, Codes, Codes]:
    """Return the codes of training rows and of tested rows, and the numbers of values.

    If features are selected on all rows, both come from one coded table; otherwise tested rows are
    coded like the training rows.
    """
    on_all = plan.protocol.selects_on_all_rows
    data = _coded(plan, name, ALL_ROWS if on_all else split)
    codes = np.column_stack([data.column(j) for j in features]).astype(np.int64)
    dataset = plan.datasets[name]
    rows = plan.protocol.splits(dataset.labels)[split]
    n_values = data.n_values[features]
    if on_all:
        return codes[rows.train], codes[rows.test], n_values
    return codes, code_new_rows(data, dataset.X[rows.test], features), n_values


def _record_provenance(folder: Path, plan: Plan) -> None:
    """Write the provenance of a run to its folder; refuse one with results of other settings."""
    file = folder / PROVENANCE
    settings: dict[str, Any] = {f"protocol {k}": v for k, v in asdict(plan.protocol).items()}
    fixed: dict[str, dict[str, Any]] = {
        "settings": settings | {"max_features": plan.max_features},
        "methods": {name: " ".join(repr(m).split()) for name, m in plan.methods.items()},
        "classifiers": {name: each.description for name, each in plan.classifiers.items()},
        "data": {name: dataset.checksum for name, dataset in plan.datasets.items()},
    }
    known: dict[str, Any] = {**{part: {} for part in fixed}, "runs": []}
    if file.is_file():
        known = json.loads(file.read_text(encoding="utf-8"))
    for part, entries in fixed.items():
        for name, value in entries.items():
            old = known[part].setdefault(name, value)
            if old != value:
                raise InputError(
                    f"{folder} holds results of other settings: {part}, {name} is {old!r} there "
                    f"and {value!r} here; choose another folder, or remove this one"
                )
    known["runs"].append(
        {
            "begun": datetime.now(UTC).isoformat(timespec="seconds"),
            "sets": {name: dataset.source for name, dataset in plan.datasets.items()},
            "methods": list(plan.methods),
            "classifiers": list(plan.classifiers),
            "sizes": plan.sizes,
            "deacs": __version__,
            "python": sys.version.split()[0],
            "system": f"{platform.system()} {platform.machine()}",
            "libraries": {name: installed_version(name) for name in LIBRARIES},
        }
    )
    replace(file, json.dumps(known, indent=2, ensure_ascii=False).encode() + b"\n")
