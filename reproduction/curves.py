"""Accuracy curves by number of features: each method's curve, its best point, and the winner.

A point is the percentage of tested rows, over all splits, that a classifier gets right with the
first m features, averaged over the classifiers. If a method selected fewer than m features in a
split, its accuracy with all of them counts. The best point is chosen on the rows on which it is
measured, as in the paper, so it is slightly optimistic in every protocol. Numbers of features that
were not scored are NaN.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.selection.stability_selection import nogueira
from reproduction.runner import Results

__all__ = ["Best", "Comparison", "compare_results"]

Cells = dict[tuple[int, int, str], float | None]
"""Correct rows by split, number of features and classifier; None if it failed."""

DIGITS = 2
"""Accuracies are compared after rounding to this many digits, so methods can share a win."""


@dataclass(frozen=True, order=True)
class Best:
    """The best point of a curve.

    Attributes
    ----------
    accuracy : float
        The accuracy in percent.
    n_features : int
        The smallest number of features that reaches it.
    """

    accuracy: float
    n_features: int


@dataclass(frozen=True)
class Comparison:
    """Curves of methods on data sets, and what follows from them.

    Attributes
    ----------
    sets, methods, classifiers : tuple of str
        Their names.
    curves : dict of (set, method) to ndarray
        Average accuracy in percent with 1, 2, ... features; NaN if not measured.
    seconds : dict of (set, method) to float
        Mean time of a selection.
    stability : dict of (set, method) to float
        How much the selections of the splits agree beyond chance, at the best number of features
        (Nogueira's measure); NaN if there is only one, or if they take all columns or none.
    """

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    classifiers: tuple[str, ...]
    curves: dict[tuple[str, str], NDArray[np.float64]]
    seconds: dict[tuple[str, str], float]
    stability: dict[tuple[str, str], float]

    def best(self, name: str, method: str) -> Best | None:
        """Return the best point of a curve; None if there is no curve."""
        curve = self.curves.get((name, method))
        if curve is None:
            return None
        rounded = np.round(curve, DIGITS)
        m = int(np.nanargmax(rounded))
        return Best(float(rounded[m]), m + 1)

    def winners(self, name: str) -> set[str]:
        """Return the methods with the best accuracy on a set; several if they are equal."""
        bests = {method: self.best(name, method) for method in self.methods}
        found = {method: best.accuracy for method, best in bests.items() if best is not None}
        return {method for method, accuracy in found.items() if accuracy == max(found.values())}

    def wins(self, method: str) -> int:
        """Return on how many complete sets no other method is better."""
        return sum(method in self.winners(name) for name in self.complete_sets)

    @property
    def complete_sets(self) -> tuple[str, ...]:
        """The sets on which every method has a curve; averages and tests are over these."""
        return tuple(
            name
            for name in self.sets
            if all((name, method) in self.curves for method in self.methods)
        )

    def accuracies(self) -> NDArray[np.float64]:
        """Return the best accuracies, shape (n_complete_sets, n_methods)."""
        table = [[self.best(s, m) for m in self.methods] for s in self.complete_sets]
        return np.array([[b.accuracy for b in row if b is not None] for row in table])

    def mean_seconds(self, method: str) -> float:
        """Return the mean time of a selection over complete sets."""
        return float(np.mean([self.seconds[name, method] for name in self.complete_sets]))

    def mean_stability(self, method: str) -> float:
        """Return the mean stability over complete sets; NaN if a set has only one selection."""
        return float(np.mean([self.stability[name, method] for name in self.complete_sets]))

    def average(self, method: str) -> tuple[float, float]:
        """Return the mean best accuracy and the mean number of features over complete sets."""
        bests = [b for s in self.complete_sets if (b := self.best(s, method)) is not None]
        if not bests:
            return float("nan"), float("nan")
        return (
            sum(b.accuracy for b in bests) / len(bests),
            sum(b.n_features for b in bests) / len(bests),
        )


def compare_results(
    results: Results,
    sets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    classifiers: Iterable[str] | None = None,
    sizes: Iterable[int] | None = None,
) -> Comparison:
    """Compare the methods of a run.

    Parameters
    ----------
    results : Results
        The results from `run` or `read_results`. A method has no curve on a set if one of its
        cells failed or is not finished.
    sets, methods, classifiers : names, optional
        What to compare, in this order; default: all, in the order of the file.
    sizes : numbers, optional
        The numbers of features to compare; default: those that were scored.
    """
    cells: dict[tuple[str, str], Cells] = defaultdict(dict)
    rankings: dict[tuple[str, str], dict[int, Any]] = defaultdict(dict)
    n_rows: dict[tuple[str, str, int], int] = {}
    for key in sorted(results, key=str):
        record, where = results[key], key[:2]
        if len(key) == 5:
            cells[where][key[2:]] = record.get("correct")
            n_rows[key[:3]] = record.get("rows", 0)
        elif record["kind"] == "selection":
            rankings[where][key[2]] = record
    wanted = None if sizes is None else set(sizes)
    said = Comparison(
        _chosen(results, "set", sets),
        _chosen(results, "method", methods),
        _chosen(results, "classifier", classifiers),
        {}, {}, {},
    )  # fmt: skip
    n_splits = 1 + max((key[2] for key in results), default=-1)
    for where, found in rankings.items():
        if where[0] not in said.sets or where[1] not in said.methods:
            continue
        lengths = {split: len(record["ranking"]) for split, record in found.items()}
        by_split = [lengths.get(split, lengths.get(-1, 0)) for split in range(n_splits)]
        curve = _curve(cells[where], by_split, said.classifiers, wanted)
        if curve is not None:
            rows = sum(n_rows[(*where, split)] for split in range(n_splits))
            said.curves[where] = 100.0 * curve / rows
        said.seconds[where] = float(np.mean([record["seconds"] for record in found.values()]))
        best = said.best(*where)
        said.stability[where] = float("nan")
        if best is not None and len(found) > 1:
            chosen = [record["ranking"][: best.n_features] for record in found.values()]
            said.stability[where] = nogueira(chosen, next(iter(found.values()))["n_columns"])
    return said


def _chosen(results: Results, what: str, given: Iterable[str] | None) -> tuple[str, ...]:
    """Return what is given, or all that has scores; each once."""
    found = (record[what] for record in results.values() if record["kind"] == "score")
    return tuple(dict.fromkeys(found if given is None else given))


def _curve(
    cells: Cells, lengths: Sequence[int], classifiers: Sequence[str], wanted: set[int] | None
) -> NDArray[np.float64] | None:
    """Return correct rows with 1, 2, ... features, mean over classifiers; None if incomplete."""
    longest = max(lengths)
    if min(lengths) == 0:
        return None
    if wanted is None:
        # The length of the selection in one split may not have been scored in others.
        wanted = {m for split, m, _ in cells if m < lengths[split]} | {longest}
    curve = np.full(longest, np.nan)
    for m in sorted({min(m, longest) for m in wanted}):
        total = 0.0
        for split, length in enumerate(lengths):
            for classifier in classifiers:
                correct = cells.get((split, min(m, length), classifier))
                if correct is None:
                    return None
                total += correct
        curve[m - 1] = total / len(classifiers)
    return curve
