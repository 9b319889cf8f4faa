"""Accuracy as features are added: the curve of each method, its best point, who wins.

A point is the share of tested rows, over all splits, that a classifier gets right with the first m
features, averaged over the classifiers, in percent. In a split where a method ended before m, its
accuracy with all that it selected counts: whoever asks for m features gets what there is. The best
point is chosen by the same rows that it is measured on, as in the paper, and so is a little too
good in every protocol.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.experiments.results import Results

__all__ = ["Best", "Comparison", "compare_results"]

DIGITS = 2
"""Accuracies that print alike are equal: methods share the win."""


@dataclass(frozen=True, order=True)
class Best:
    """The best point of a curve.

    Attributes
    ----------
    accuracy : float
        In percent.
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
        What is compared.
    curves : dict of (set, method) to ndarray
        Average accuracy in percent with 1, 2, ... features.
    seconds : dict of (set, method) to float
        Mean time of a selection.
    stability : dict of (set, method) to float
        Mean share of features that the selections of two splits have in common (Jaccard); NaN if
        there is only one selection.
    """

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    classifiers: tuple[str, ...]
    curves: dict[tuple[str, str], NDArray[np.float64]]
    seconds: dict[tuple[str, str], float]
    stability: dict[tuple[str, str], float]

    def best(self, name: str, method: str) -> Best | None:
        """Return the best point of a curve, None where there is no curve."""
        curve = self.curves.get((name, method))
        if curve is None:
            return None
        rounded = np.round(curve, DIGITS)
        m = int(rounded.argmax())
        return Best(float(rounded[m]), m + 1)

    def winners(self, name: str) -> set[str]:
        """Return the methods with the best accuracy on a set; several if they are equal."""
        bests = {method: self.best(name, method) for method in self.methods}
        found = {method: best.accuracy for method, best in bests.items() if best is not None}
        return {method for method, accuracy in found.items() if accuracy == max(found.values())}

    def wins(self, method: str) -> int:
        """Return on how many sets no method is better."""
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
) -> Comparison:
    """Compare the methods of a run.

    Parameters
    ----------
    results : Results
        What `run` or `read_results` returned. A method has no curve on a set where one of its
        cells failed or is not there yet.
    sets, methods, classifiers : names, optional
        Which to compare, in this order; default: all, in the order of the file.
    """
    cells: dict[tuple[str, str], dict[tuple[int, int, str], float]] = defaultdict(dict)
    sizes: dict[tuple[str, str, int], int] = {}
    for r in results.scores:
        where = r["set"], r["method"]
        cells[where][r["split"], r["m"], r["classifier"]] = r["correct"]
        sizes[(*where, r["split"])] = r["rows"]
    said = Comparison(
        tuple(sets if sets is not None else _found(results, "set")),
        tuple(methods if methods is not None else _found(results, "method")),
        tuple(classifiers if classifiers is not None else _found(results, "classifier")),
        {}, {}, {},
    )  # fmt: skip
    selections = results.selections
    n_splits = 1 + max((r["split"] for r in results.scores), default=-1)
    for name in said.sets:
        for method in said.methods:
            where = name, method
            rankings = [r for r in selections if (r["set"], r["method"]) == where]
            if not rankings:
                continue
            lengths = {r["split"]: len(r["ranking"]) for r in rankings}
            by_split = [lengths.get(split, lengths.get(-1, 0)) for split in range(n_splits)]
            curve = _curve(cells[where], by_split, said.classifiers)
            if curve is not None:
                rows = sum(sizes[(*where, split)] for split in range(n_splits))
                said.curves[where] = 100.0 * curve / rows
            said.seconds[where] = sum(r["seconds"] for r in rankings) / len(rankings)
            said.stability[where] = _jaccard([set(r["ranking"]) for r in rankings])
    return said


def _found(results: Results, what: str) -> list[str]:
    return list(dict.fromkeys(record[what] for record in results.in_order("score")))


def _curve(
    cells: dict[tuple[int, int, str], float], lengths: Sequence[int], classifiers: Sequence[str]
) -> NDArray[np.float64] | None:
    """Return correct rows with 1, 2, ... features, a mean over classifiers; None if some lack."""
    longest = max(lengths)
    if min(lengths) == 0:
        return None
    curve = np.zeros(longest)
    try:
        for split, length in enumerate(lengths):
            for classifier in classifiers:
                correct = [cells[split, m, classifier] for m in range(1, length + 1)]
                curve += correct + correct[-1:] * (longest - length)
    except KeyError:
        return None
    return curve / len(classifiers)


def _jaccard(selections: list[set[int]]) -> float:
    """Return the mean of |A and B| / |A or B| over pairs of selections."""
    shares = [
        len(a & b) / len(a | b) for i, a in enumerate(selections) for b in selections[:i] if a | b
    ]
    return sum(shares) / len(shares) if shares else float("nan")
