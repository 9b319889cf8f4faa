"""The work of a run: select on a split, and score the first m features of a selection.

Both are functions of the plan and a few names and numbers, so any process can do any piece of work
with the same result. A process keeps the coded rows of a split, which its pieces of work share.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding import CodedData, Missing, encode
from deacs.coding.new_rows import code_new_rows
from deacs.experiments.datasets import Dataset
from deacs.experiments.protocols import Protocol, Split
from deacs.experiments.weka import WekaClassifier
from deacs.experiments.workbenches import Classifier

__all__ = ["ALL_ROWS", "Plan", "Work", "n_correct", "score_features", "select_features"]

ALL_ROWS = -1
"""The split number of a selection on all rows."""

KEPT = 4
"""How many results of each kind a process keeps; consecutive pieces of work share them."""

Record = dict[str, Any]
Work = Callable[["Plan"], list[Record]]


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan of a run; a process gets it once.

    Attributes
    ----------
    datasets : dict of str to Dataset
        The tables.
    methods : dict of str to selector
        Never fitted; cloned for every selection.
    classifiers : dict of str to Classifier
        What scores a selection.
    protocol : Protocol
        On which rows to select, train and test.
    discretizer : str or None
        The discretizer, as in `deacs.encode`. None: every method cuts columns by its own default
        from the table itself, and classifiers see the intervals of "auto".
    max_features : int
        Curves go from 1 to this many features, or fewer if a method selects fewer.
    sizes : tuple of int, optional
        The numbers of features to score; default: all.
    """

    datasets: dict[str, Dataset]
    methods: dict[str, Any]
    classifiers: dict[str, Classifier | WekaClassifier]
    protocol: Protocol
    discretizer: str | None = "mdlp"
    max_features: int = 30
    sizes: tuple[int, ...] | None = None
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def split(self, name: str, number: int) -> Split:
        """Return the rows of one split of a set."""
        splits: list[Split] = self._once(
            ("splits", name), lambda: self.protocol.splits(self.datasets[name].labels)
        )
        return splits[number]

    def selection_split(self, split: int) -> int:
        """Return the split on which the features of a split are selected."""
        return ALL_ROWS if self.protocol.selects_on_all_rows else split

    def rows(self, name: str, split: int) -> tuple[pl.DataFrame, NDArray[Any]]:
        """Return the training rows of a split and their target."""
        dataset = self.datasets[name]
        if split == ALL_ROWS:
            return dataset.X, dataset.target
        train = self.split(name, split).train
        return dataset.X[train], dataset.target[train]

    def sizes_of(self, n_selected: int) -> list[int]:
        """Return the numbers of features to score, each at most `n_selected`."""
        sizes = range(1, self.max_features + 1) if self.sizes is None else self.sizes
        return sorted({min(m, n_selected) for m in sizes} - {0})

    def coded(self, name: str, split: int, missing: Missing = "category") -> CodedData:
        """Return the coded training rows of a split."""

        def code() -> CodedData:
            dataset = self.datasets[name]
            return encode(
                *self.rows(name, split),
                target=dataset.kind,
                discrete_features=dataset.discrete,
                discretizer=self.discretizer or "auto",
                missing=missing,
            )

        data: CodedData = self._once(("coded", name, split, missing), code)
        return data

    def both_sides(
        self, name: str, split: int, features: tuple[int, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of training rows and of tested rows, and the numbers of values.

        If features are selected on all rows, both come from one coded table; otherwise tested rows
        are coded like the training rows.
        """

        def code() -> Any:
            data = self.coded(name, self.selection_split(split))
            codes = np.column_stack([data.column(j) for j in features]).astype(np.int64)
            rows = self.split(name, split)
            if self.protocol.selects_on_all_rows:
                train, test = codes[rows.train], codes[rows.test]
            else:
                X = self.datasets[name].X[rows.test]
                train, test = codes, code_new_rows(data, X, features)
            return train, test, data.n_values[list(features)]

        sides: tuple[Any, Any, Any] = self._once(("sides", name, split, features), code)
        return sides

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._kept:
            of_kind = [other for other in self._kept if other[0] == key[0]]
            if len(of_kind) >= KEPT:
                del self._kept[of_kind[0]]
            self._kept[key] = make()
        return self._kept[key]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_kept": {}}


def select_features(plan: Plan, name: str, method: str, split: int) -> list[Record]:
    """Select features of a set on the training rows of a split; return one record."""
    from sklearn.base import clone

    key = {"set": name, "method": method, "split": split}
    try:
        with warnings.catch_warnings():
            # They would be repeated for every split (identifiers, weak discrimination).
            warnings.simplefilter("ignore")
            selector = clone(plan.methods[method])
            data = plan.coded(name, split, getattr(selector, "missing", "category"))
            table = (data,) if plan.discretizer is not None else plan.rows(name, split)
            given: dict[str, Any] = {
                "n_features_to_select": min(plan.max_features, data.n_features),
                "discrete_features": plan.datasets[name].discrete,
                "target": plan.datasets[name].kind,
            }
            known = selector.get_params(deep=False)
            selector.set_params(**{key: given[key] for key in given if key in known})
            begin = time.perf_counter()
            selector.fit(*table)
            seconds = time.perf_counter() - begin
        ranking, reason = selector.ranking_.tolist(), selector.stop_reason_
        names = [data.feature_names[j] for j in ranking]
    except Exception as error:
        return [_failed(key, error)]
    found = {"ranking": ranking, "features": names, "stop_reason": reason}
    found |= {"n_telling": int((data.n_values > 1).sum()), "n_columns": data.n_features}
    found["is_whole"] = getattr(selector, "is_whole", False)
    return [{"kind": "selection", **key, **found, "seconds": round(seconds, 4)}]


def score_features(
    plan: Plan, name: str, method: str, split: int, ranking: tuple[int, ...], m: int,
    classifiers: tuple[str, ...],
) -> list[Record]:  # fmt: skip
    """Train and test classifiers with the first m features; return a record for each."""
    key = {"set": name, "method": method, "split": split, "m": m}
    records = []
    for classifier in classifiers:
        begin = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                train, test, n_values = plan.both_sides(name, split, ranking)
                rows, target = plan.split(name, split), plan.datasets[name].target
                predicted = plan.classifiers[classifier].predict(
                    train[:, :m], target[rows.train], test[:, :m], n_values[:m]
                )
            correct = n_correct(plan.datasets[name], target[rows.test], predicted)
        except Exception as error:
            records.append(_failed({**key, "classifier": classifier}, error))
            continue
        seconds = round(time.perf_counter() - begin, 4)
        counts = {"rows": len(rows.test), "correct": correct, "seconds": seconds}
        records.append({"kind": "score", **key, "classifier": classifier, **counts})
    return records


def n_correct(dataset: Dataset, target: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Return the number of correct rows; for numbers, R2 times the number of rows."""
    if dataset.numbers is None:
        return int((predicted == target).sum())
    errors = float(((target - predicted) ** 2).sum())
    spread = float(((target - target.mean()) ** 2).sum())
    return len(target) * (1.0 - errors / spread) if spread > 0 else 0.0


def _failed(key: Record, error: Exception) -> Record:
    return {"kind": "error", **key, "error": f"{type(error).__name__}: {error}"}
