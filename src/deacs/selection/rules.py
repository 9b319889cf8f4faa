r"""Rules: what a fitted selector knows of its features, as a file that people and programs read.

`Rules` keep, for every selected feature, how it is cut, which values speak for whom, and how often
each value occurred with every output. They need no rows and no pickle: they select columns, and
they `check` whether new rows are still like those of the fit. For each feature that is

- its distribution, by the G-test of two samples with Williams' correction, where cells that expect
  fewer than five rows are one;
- values that did not occur before: of N rows in all, n of them new, the k largest (or all k of one
  category) are all new with probability :math:`\prod_{i<k} (n - i) / (N - i)`;
- with a target, what the feature says about each output: within the values of the feature, whether
  the output is as frequent as before (the sum of G over strata).

All tests together keep the level `alpha` by Holm's method. D. A. Williams, "Improved likelihood
ratio tests for complete contingency tables", Biometrika 63 (1976) 33-37.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from deacs._frames import frame
from deacs._version import __version__
from deacs.coding import CodedData
from deacs.exceptions import InputError, shown
from deacs.selection.direction import directions
from deacs.selection.two_samples import all_new, bits, holm, relation, two_samples
from deacs.tables import Column, Table, in_memory, is_frame, read_columns, read_labels
from deacs.tables.targets import TargetKind

__all__ = ["Change", "Check", "FeatureRule", "Rules"]

FORMAT, VERSION = "deacs rules", 1
N_QUANTILES = 10
"""Numbers are compared in tenths of the fitted rows."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class FeatureRule:
    """A selected feature, as its fitted rows had it.

    Attributes
    ----------
    name, column : str, int
        The column.
    kind : {"numbers", "categories"}
        How values are told apart.
    cuts : list of float
        Numbers: the cut points that the selector used.
    bins : list
        Numbers: the ends of the intervals that are counted; categories: the values.
    low, high : float or None
        Numbers: the range.
    rows : list of int
        How many rows each interval or value had; then the missing ones.
    rows_of : list of list of int
        The same for the rows of each output.
    directions : list of str
        Which values speak for each output.
    """

    name: str
    column: int
    kind: Literal["numbers", "categories"]
    cuts: list[float]
    bins: list[Any]
    low: float | None
    high: float | None
    rows: list[int]
    rows_of: list[list[int]]
    directions: list[str]

    @property
    def n_bins(self) -> int:
        """The number of intervals or values, without missing ones."""
        return len(self.rows) - 1

    def places(self, column: Column) -> Integers:
        """Return the interval or value of each row: `n_bins` is missing, one more unknown."""
        if self.kind == "numbers":
            if column.categories is not None and len(column.categories):
                raise InputError(
                    f"column {self.name!r} must hold numbers, as in the fit, got text such as "
                    f"{column.categories[0]!r}",
                    columns=[self.name],
                )
            found = np.searchsorted(self.bins, column.values.astype(np.float64)).astype(np.int64)
        else:
            known = {value: place for place, value in enumerate(self.bins)}
            values = column.values if column.categories is None else column.categories
            unknown = self.n_bins + 1
            named = np.array([known.get(_plain(value), unknown) for value in values], np.int64)
            found = named if column.categories is None else np.append(named, 0)[column.values]
        if column.missing is not None:
            found[column.missing] = self.n_bins
        return found


@dataclass(frozen=True)
class Change:
    """One feature, or the target, of new rows beside the fitted ones.

    Attributes
    ----------
    name : str
        The feature; `"target"`.
    distance : float
        The total variation distance of the two distributions, from 0 to 1.
    p_value : float
        The least of its tests, adjusted for all of the check.
    reasons : tuple of str
        What has changed, in words; empty if nothing has.
    missing, missing_before : float
        The share of missing values.
    bits_lost : dict of str to float
        With a target: how much less it says about each output alone than in the fitted rows.
    """

    name: str
    distance: float
    p_value: float
    reasons: tuple[str, ...] = ()
    missing: float = 0.0
    missing_before: float = 0.0
    bits_lost: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """Whether new rows are like those of the fit.

    Attributes
    ----------
    changes : tuple of Change
        For every selected feature, and the target if it was given.
    n_rows : int
        The number of new rows.
    alpha : float
        The probability of any false alarm.
    """

    changes: tuple[Change, ...]
    n_rows: int
    alpha: float

    @property
    def has_changed(self) -> bool:
        """The verdict."""
        return any(change.reasons for change in self.changes)

    def __str__(self) -> str:
        changed = [change for change in self.changes if change.reasons]
        if not changed:
            return f"{self.n_rows} rows: no selected feature has changed (level {self.alpha})"
        lines = [f"{change.name}: {'; '.join(change.reasons)}" for change in changed]
        return "\n".join([f"{self.n_rows} rows: {len(changed)} changed", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"has_changed": self.has_changed, **asdict(self)}

    def to_frame(self, library: str | None = None) -> Any:
        """Return a row for each feature."""
        columns: dict[str, Any] = {
            "feature": [change.name for change in self.changes],
            "changed": [bool(change.reasons) for change in self.changes],
            "distance": [change.distance for change in self.changes],
            "p_value": [change.p_value for change in self.changes],
            "missing": [change.missing for change in self.changes],
            "reasons": ["; ".join(change.reasons) for change in self.changes],
        }
        for output in self.changes[0].bits_lost if self.changes else ():
            lost = [change.bits_lost.get(output, np.nan) for change in self.changes]
            columns[f"bits_lost[{output}]"] = lost
        return frame(columns, library)


@dataclass(frozen=True)
class Rules:
    """The selected features of a fit and what they looked like; written and read as JSON.

    Attributes
    ----------
    target : {"classes", "labels", "numbers"}
        The kind of target.
    outputs : list
        The classes, labels or thresholds.
    n_rows, n_columns : int
        The size of the fitted table.
    is_named : bool
        Whether columns are found by name; else by their place.
    rows_of_outputs : list of int
        How many rows each output had.
    features : list of FeatureRule
        The selected features, in order.
    """

    target: TargetKind
    outputs: list[Any]
    n_rows: int
    n_columns: int
    is_named: bool
    rows_of_outputs: list[int]
    features: list[FeatureRule]

    @classmethod
    def of(cls, data: CodedData, ranking: Sequence[int], X: Any = None) -> Self:
        """Return the rules of a selection.

        Parameters
        ----------
        data : CodedData
            The fitted rows.
        ranking : sequence of int
            The selected features.
        X : table, optional
            The fitted table; without it numbers are compared at their cut points only.
        """
        table = None if X is None else read_columns(in_memory(X))
        is_of = data.about.indicators(data.labels)
        features = [
            _rule_of(data, j, ranking[:place], is_of, table) for place, j in enumerate(ranking)
        ]
        return cls(
            target=data.about.kind,
            outputs=_plain_outputs(data),
            n_rows=data.n_rows,
            n_columns=data.n_features,
            is_named=data.is_named,
            rows_of_outputs=is_of.sum(axis=0).tolist(),
            features=features,
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a JSON file; an existing one is replaced when the new one is whole.

        Parameters
        ----------
        path : path
            The file.
        """
        goal = Path(path)
        content = {"format": FORMAT, "version": VERSION, "deacs": __version__, **asdict(self)}
        unfinished = goal.with_name(f".{goal.name}.{os.getpid()}")
        try:
            unfinished.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
            unfinished.replace(goal)
        finally:
            unfinished.unlink(missing_ok=True)
        return goal

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote.

        Parameters
        ----------
        path : path
            The file.
        """
        try:
            content = json.loads(Path(path).read_text("utf-8"))
            if content.pop("format") != FORMAT or content.pop("version") != VERSION:
                raise KeyError("format")
            content.pop("deacs")
            features = [FeatureRule(**feature) for feature in content.pop("features")]
            return cls(**content, features=features)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path} must hold the rules of a selection, as `selector.save` writes them "
                f"(format {FORMAT!r}, version {VERSION}), got something else: {error}"
            ) from error

    @property
    def selected_names(self) -> list[str]:
        """The selected features, in order."""
        return [feature.name for feature in self.features]

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, in the order of X.

        Parameters
        ----------
        X : array or frame
            The columns of the fit; of a frame, those that were selected are enough.
        """
        X = in_memory(X)
        if is_frame(X):
            native = nw.from_native(X, eager_only=True)
            self._require(native.columns)
            kept = set(self.selected_names)
            return native.select([name for name in native.columns if name in kept]).to_native()
        if X.shape[1] != self.n_columns:
            raise InputError(
                f"X must have {self.n_columns} columns, as in the fit, got {X.shape[1]}"
            )
        return X[:, sorted(feature.column for feature in self.features)]

    def check(self, X: Any, y: Any = None, *, alpha: float = 0.05) -> Check:
        """Compare new rows with those of the fit.

        Parameters
        ----------
        X : array or frame
            New rows, with the columns of the fit; of a frame, those that were selected are enough.
        y : array-like, optional
            Their target: what the features say about it is then compared, too.
        alpha : float, default=0.05
            The probability of any false alarm, if nothing has changed.
        """
        if not 0 < alpha < 1:
            raise InputError(f"alpha must lie between 0 and 1, got {alpha!r}", parameter="alpha")
        columns, n_rows = self._columns_of(X)
        is_of = None if y is None else self._indicators(y, n_rows)
        tested = [_compare(f, columns[f.name], is_of, self) for f in self.features]
        if is_of is not None:
            tested.append(_compare_target(self, is_of))
        p_values = np.array([p for one in tested for p, _ in one.tests])
        adjusted = iter(holm(p_values).tolist())
        changes = []
        for one in tested:
            ps = [next(adjusted) for _ in one.tests]
            named = zip(ps, one.tests, strict=True)
            reasons = tuple(reason for p, (_, reason) in named if p <= alpha)
            changes.append(Change(p_value=min(ps, default=1.0), reasons=reasons, **one.facts))
        return Check(tuple(changes), n_rows, alpha)

    def _columns_of(self, X: Any) -> tuple[Mapping[str, Column], int]:
        table = read_columns(in_memory(X))
        by_name = {column.name: column for column in table.columns}
        if self.is_named and not set(by_name) & set(self.selected_names):
            is_array = not is_frame(in_memory(X))
            if is_array and len(table.columns) == self.n_columns:
                by_name = {f.name: table.columns[f.column] for f in self.features}
        self._require(list(by_name))
        return by_name, table.n_rows

    def _require(self, names: Sequence[str]) -> None:
        lacking = [name for name in self.selected_names if name not in set(names)]
        if lacking:
            raise InputError(
                f"X must have the selected columns, got none named {shown(lacking[0])}"
                + (f" and {len(lacking) - 1} more" if lacking[1:] else ""),
                columns=lacking,
            )

    def _indicators(self, y: Any, n_rows: int) -> NDArray[np.bool_]:
        """Return which outputs each new row has; none for a class that the fit did not know."""
        if self.target == "numbers":
            numbers = np.asarray(y, dtype=np.float64)
            is_of = numbers[:, np.newaxis] <= np.array(self.outputs, dtype=np.float64)
        elif self.target == "labels":
            labels = read_labels(y, n_rows, "labels")
            place = {_plain(name): k for k, name in enumerate(labels.target.names)}
            found = labels.target.indicators(labels.codes)
            missing = np.zeros(n_rows, dtype=bool)
            is_of = np.column_stack(
                [found[:, place[name]] if name in place else missing for name in self.outputs]
            )
        else:
            values = np.array([_plain(value) for value in np.asarray(y).tolist()], dtype=object)
            is_of = np.column_stack([values == name for name in self.outputs])
        if len(is_of) != n_rows:
            raise InputError(f"y must have one entry for each of {n_rows} rows, got {len(is_of)}")
        return np.asarray(is_of, dtype=bool)


@dataclass(frozen=True)
class _Compared:
    """The facts of a `Change`, and its tests: p-values, and what they say."""

    facts: dict[str, Any]
    tests: list[tuple[float, str]]


def _rule_of(
    data: CodedData,
    feature: int,
    before: Sequence[int],
    is_of: NDArray[np.bool_],
    table: Table | None,
) -> FeatureRule:
    coding, codes = data.features[feature], data.column(feature).astype(np.int64)
    is_number = coding.kind == "continuous"
    n_bins = coding.n_values - coding.has_missing
    cuts = [float(cut) for cut in coding.values] if is_number else []
    bins: list[Any] = cuts if is_number else [_plain(value) for value in coding.values]
    low = high = None
    if is_number and table is not None:
        column = table.columns[feature]
        values = column.values.astype(np.float64)
        present = np.sort(column.present.astype(np.float64))
        if len(present):
            low, high = float(present[0]), float(present[-1])
            # Without the help of the classes: cut points say more of these rows than of others. An
            # observed value ends each interval, and the last has no end.
            tenths = present[np.arange(1, N_QUANTILES) * len(present) // N_QUANTILES]
            bins = sorted({*tenths.tolist()} - {high})
        n_bins = len(bins) + 1
        codes = np.searchsorted(bins, values).astype(np.int64)
        if column.missing is not None:
            codes[column.missing] = n_bins
    rows = np.bincount(codes, minlength=n_bins + 1)
    rows_of = [np.bincount(codes[mask], minlength=n_bins + 1).tolist() for mask in is_of.T]
    found = directions(data, feature, before)
    return FeatureRule(
        name=data.feature_names[feature],
        column=int(feature),
        kind="numbers" if is_number else "categories",
        cuts=cuts,
        bins=bins,
        low=low,
        high=high,
        rows=rows.tolist(),
        rows_of=rows_of,
        directions=[str(direction) for direction in found],
    )


def _plain_outputs(data: CodedData) -> list[Any]:
    """Return classes and labels as JSON knows them, and thresholds as numbers."""
    if data.about.kind != "numbers" or data.numbers is None:
        return [_plain(name) for name in data.about.names]
    is_of = data.about.indicators(data.labels)
    return [float(data.numbers[mask].max()) for mask in is_of.T]


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: text, a number, a truth value."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | int | float | bool) else str(value)


def _compare(
    rule: FeatureRule, column: Column, is_of: NDArray[np.bool_] | None, rules: Rules
) -> _Compared:
    places = rule.places(column)
    counts = np.bincount(places, minlength=rule.n_bins + 2)
    before = np.array([*rule.rows, 0])
    n, n_before = counts.sum(), before.sum()
    missing, missing_before = counts[rule.n_bins] / n, before[rule.n_bins] / n_before
    facts: dict[str, Any] = {
        "name": rule.name,
        "distance": float(np.abs(counts / n - before / n_before).sum() / 2),
        "missing": float(missing),
        "missing_before": float(missing_before),
    }
    said = f"another distribution (distance {facts['distance']:.2f})"
    tests = [(two_samples(counts, before), said)]
    if missing or missing_before:
        is_missing = np.arange(len(counts)) == rule.n_bins
        pairs = [
            np.array([part[is_missing].sum(), part[~is_missing].sum()]) for part in (counts, before)
        ]
        tests.append((two_samples(*pairs), f"{missing:.0%} missing, before {missing_before:.0%}"))
    tests += _new_values(rule, column, places, int(n), int(n_before))
    if is_of is None:
        return _Compared(facts, tests)
    facts["bits_lost"] = {}
    for i, output in enumerate(rules.outputs):
        new_yes = np.bincount(places[is_of[:, i]], minlength=rule.n_bins + 2)[:-1]
        old_yes = np.array(rule.rows_of[i])
        new, old = counts[:-1], before[:-1]
        lost = bits(old_yes, old) - bits(new_yes, new)
        facts["bits_lost"][str(output)] = lost
        p = relation(new_yes, new - new_yes, old_yes, old - old_yes)
        tests.append((p, f"says something else about {output} ({lost:+.3f} bits lost)"))
    return _Compared(facts, tests)


def _new_values(
    rule: FeatureRule, column: Column, places: Integers, n: int, n_before: int
) -> list[tuple[float, str]]:
    """Test values beyond the range, or categories that did not occur before."""
    if rule.kind == "numbers":
        if rule.low is None or rule.high is None:
            return []
        present = column.present.astype(np.float64)
        above, below = int((present > rule.high).sum()), int((present < rule.low).sum())
        p = 2 * min(all_new(above, n, n_before), all_new(below, n, n_before))
        return [(min(p, 1.0), f"{above + below} values outside {rule.low:g} to {rule.high:g}")]
    is_new = places == rule.n_bins + 1
    values = column.values if column.categories is None else column.categories[column.values]
    names, counts = np.unique(values[is_new].astype(str), return_counts=True)
    n_values = rule.n_bins + len(names)
    p = min((all_new(int(k), n, n_before) * n_values for k in counts), default=1.0)
    most = "" if len(names) == 0 else f", such as {str(names[np.argmax(counts)])!r}"
    return [(min(p, 1.0), f"new values in {is_new.sum()} rows{most}")]


def _compare_target(rules: Rules, is_of: NDArray[np.bool_]) -> _Compared:
    counts, before = is_of.sum(axis=0), np.array(rules.rows_of_outputs)
    n, n_before = len(is_of), rules.n_rows
    if rules.target == "classes":
        counts, before = np.append(counts, n - counts.sum()), np.append(before, 0)
        tests = [(two_samples(counts, before), "other shares of the classes")]
        unknown = int(counts[-1])
        p = all_new(unknown, n, n_before)
        tests.append((p, f"{unknown} rows of classes that the fit did not know"))
    else:
        tests = []
        for output, new, old in zip(rules.outputs, counts, before, strict=True):
            p = two_samples(np.array([new, n - new]), np.array([old, n_before - old]))
            tests.append((p, f"{output}: {new / n:.0%} of the rows, before {old / n_before:.0%}"))
    distance = float(np.abs(counts / n - before / n_before).max())
    return _Compared({"name": "target", "distance": distance}, tests)
