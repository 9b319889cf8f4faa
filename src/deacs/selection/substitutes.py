"""Substitutes: which rejected features could replace a selected one, and at what loss.

With f removed from S, f and all rejected features are scored given the rest of S by the selector's
own criterion. If f scores r_i for class i and another feature q_i, the other keeps min(r_i, q_i)
and loses max(r_i - q_i, 0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._frames import frame
from deacs.coding import CodedTable
from deacs.selection.criteria import Criterion
from deacs.selection.ties import TIE_BITS

__all__ = ["Replaceable", "Substitute", "Substitutes", "find_substitutes"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Substitute:
    """A rejected feature in place of a selected one, with the rest of S unchanged.

    Attributes
    ----------
    feature : int
        Its index.
    name : str
        Its name.
    kept, lost : ndarray of shape (n_outputs,)
        The parts of the selected feature's score for each class that are kept and lost; in bits for
        label scores, in units of the criterion for filters, which have one score for all classes.
    gained : ndarray of shape (n_outputs,)
        By how much it scores higher than the selected feature.
    share : float
        The share kept over all classes, from 0 to 1; NaN if the selected feature has no positive
        score to keep.
    """

    feature: int
    name: str
    kept: Floats
    lost: Floats
    gained: Floats
    share: float

    def __repr__(self) -> str:
        return f"{self.name} keeps {self.share:.0%}"


@dataclass(frozen=True, eq=False)
class Replaceable:
    """A selected feature and its substitutes, best first.

    Attributes
    ----------
    feature, name : int, str
        The selected feature.
    scores : ndarray of shape (n_outputs,)
        Its own scores given the rest of S, which come after it too; zero: it is not needed any
        more.
    substitutes : tuple of Substitute
        Rejected features that keep something of it, those that lose least first.
    """

    feature: int
    name: str
    scores: Floats
    substitutes: tuple[Substitute, ...]

    @property
    def is_needed(self) -> bool:
        """Whether anything would be lost without it."""
        return bool((self.scores > TIE_BITS).any())


class Substitutes(Mapping[str, Replaceable]):
    """The substitutes of every selected feature, by its name, in the order of selection.

    Parameters
    ----------
    entries : sequence of Replaceable
        One for each selected feature.
    outputs : sequence of str
        What scores are for: the classes, or one name for all of them.
    """

    def __init__(self, entries: Sequence[Replaceable], outputs: Sequence[str]) -> None:
        self.entries = tuple(entries)
        self.outputs = tuple(outputs)
        self._by_name = {entry.name: entry for entry in self.entries}

    def __getitem__(self, name: str) -> Replaceable:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        lines = []
        for entry in self.entries:
            others = ", ".join(map(repr, entry.substitutes)) or "no substitute"
            lines.append(f"{entry.name}: {others if entry.is_needed else 'not needed'}")
        return "\n".join(lines)

    def to_frame(self, library: str | None = None) -> Any:
        """Return one row for each selected feature and substitute, with what is lost for whom."""
        rows = [(entry, other) for entry in self.entries for other in entry.substitutes]
        columns: dict[str, Any] = {
            "feature": [entry.name for entry, _ in rows],
            "substitute": [other.name for _, other in rows],
            "kept": [other.share for _, other in rows],
        }
        for i, output in enumerate(self.outputs):
            columns[f"kept[{output}]"] = [float(other.kept[i]) for _, other in rows]
            columns[f"lost[{output}]"] = [float(other.lost[i]) for _, other in rows]
        return frame(columns, library)


def find_substitutes(
    criterion: Criterion,
    ranking: Sequence[int],
    data: CodedTable,
    n: int = 3,
    *,
    is_given: bool = False,
) -> Substitutes:
    """Return the n best substitutes of every selected feature.

    Parameters
    ----------
    criterion : Criterion
        The selector's own, with S empty.
    ranking : sequence of int
        The selected features, in order.
    data : CodedTable
        The table, for names.
    n : int
        How many substitutes each has at most.
    is_given : bool, default=False
        Whether S of the criterion holds the selected features already, as that of a path's does.
    """
    for feature in () if is_given else ranking:
        criterion.add(feature)
    names = data.feature_names
    rejected = np.setdiff1d(np.arange(criterion.n_features), ranking)
    entries = []
    for feature in ranking:
        scores = criterion.without(feature)(np.concatenate(([feature], rejected)))
        own, scores = scores[0], scores[1:]
        best = [_substitute(int(rejected[k]), names, own, scores[k]) for k in _best(own, scores, n)]
        entries.append(Replaceable(feature, names[feature], own, tuple(best)))
    outputs = [str(name) for name in data.about.names]
    if any(len(entry.scores) != len(outputs) for entry in entries):
        outputs = ["all classes"]
    return Substitutes(entries, outputs)


def _best(own: Floats, others: Floats, n: int) -> list[int]:
    """Return the places of those that lose least and keep something, the larger sum next."""
    if not (own > TIE_BITS).any() and (own >= 0).all():
        return []
    lost = np.maximum(own - others, 0.0).sum(axis=1)
    # Sums that differ by rounding alone are ties, which the lower column wins.
    keys = np.round(-others.sum(axis=1) / TIE_BITS), np.round(lost / TIE_BITS)
    order = np.lexsort(keys)[:n].tolist()
    return [k for k in order if lost[k] < own.sum() - TIE_BITS or (own < 0).any()]


def _substitute(feature: int, names: Sequence[str], own: Floats, its: Floats) -> Substitute:
    kept, lost = np.minimum(own, its), np.maximum(own - its, 0.0)
    share = float(kept.sum() / own.sum()) if (own >= 0).all() and own.sum() > 0 else np.nan
    if share < 0:  # a filter's score may be negative
        share = 0.0
    return Substitute(feature, names[feature], kept, lost, np.maximum(its - own, 0.0), share)
