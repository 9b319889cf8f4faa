"""Protocols: on which rows to select, train and test.

`paper` and `paper-weka` discretise and select on all rows and cross-validate only the classifiers.
Tested rows then influence the selection, so accuracies are optimistic (R. Kohavi, G. H. John,
"Wrappers for feature subset selection", Artificial Intelligence 97 (1997) 273-324; C. Ambroise,
G. J. McLachlan, PNAS 99 (2002) 6562-6566). In all other protocols, cut points, selection and
classifiers see only the training rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter
from deacs.experiments.weka_folds import weka_folds

__all__ = ["PROTOCOLS", "Protocol", "Split", "make_protocol"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers for training and for testing."""

    train: Rows
    test: Rows


@dataclass(frozen=True)
class Protocol:
    """A way to split rows; equal protocols give equal splits on any machine.

    Attributes
    ----------
    name : str
        Its name.
    scheme : {"folds", "weka-folds", "held-out", "bootstrap"}
        Stratified folds; the folds of Weka (whose default seed is 1); one stratified part held
        out for testing; or training rows drawn with replacement within each class, and those
        never drawn for testing.
    n_splits : int
        The number of folds; 1 for the other schemes.
    n_repeats : int
        How often the rows are split at random.
    test_share : float
        The share of rows that is held out, by the scheme "held-out".
    selects_on_all_rows : bool
        Whether tested rows influence cut points and selection: an optimistic protocol.
    seed : int
        The seed of the shuffles.
    """

    name: str
    scheme: Literal["folds", "weka-folds", "held-out", "bootstrap"] = "folds"
    n_splits: int = 10
    n_repeats: int = 1
    test_share: float = 1 / 3
    selects_on_all_rows: bool = False
    seed: int = 0

    @property
    def label(self) -> str:
        """The name, marked if the protocol is optimistic."""
        return f"{self.name} (optimistic)" if self.selects_on_all_rows else self.name

    @property
    def n_total(self) -> int:
        """The number of splits, over all repeats."""
        return self.n_splits * self.n_repeats

    def splits(self, labels: NDArray[np.int32]) -> list[Split]:
        """Split rows by their classes, `n_total` times.

        Examples
        --------
        >>> from deacs.experiments import make_protocol
        >>> labels = np.repeat([0, 1], [6, 4])
        >>> splits = make_protocol("nested", n_splits=2).splits(labels)
        >>> [np.bincount(labels[split.test]).tolist() for split in splits]
        [[3, 2], [3, 2]]
        """
        if self.n_splits > len(labels):
            raise InputError(
                Parameter("n_splits"),
                f" must not exceed the {len(labels)} rows, got {self.n_splits}",
            )
        splits = []
        for repeat in range(self.n_repeats):
            rng = np.random.default_rng([self.seed, repeat])
            if self.scheme == "folds":
                splits += _folds(labels, self.n_splits, rng)
            elif self.scheme == "weka-folds":
                splits += _weka_folds(labels, self.n_splits, self.seed + repeat)
            elif self.scheme == "held-out":
                splits.append(_held_out(labels, self.test_share, rng))
            else:
                splits.append(_bootstrap(labels, rng))
        return splits


PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("paper", selects_on_all_rows=True),
        Protocol("paper-weka", "weka-folds", selects_on_all_rows=True),
        Protocol("nested"),
        Protocol("repeated", n_repeats=5),
        Protocol("held-out", "held-out", n_splits=1),
        Protocol("bootstrap", "bootstrap", n_splits=1, n_repeats=10),
    )
}
"""Every protocol by name."""


def make_protocol(
    name: str, *, n_splits: int | None = None, n_repeats: int | None = None, seed: int = 0
) -> Protocol:
    """Return a protocol by its name, with these numbers instead of its own."""
    if name not in PROTOCOLS:
        raise InputError(
            Parameter("protocol"), f" must be one of {', '.join(PROTOCOLS)}, got {name!r}"
        )
    protocol = replace(PROTOCOLS[name], seed=seed)
    if n_splits is not None:
        if protocol.n_splits == 1:
            raise InputError(
                Parameter("n_splits"),
                f" does not apply to the protocol {name!r}; use ",
                Parameter("n_repeats"),
            )
        if n_splits < 2:
            raise InputError(Parameter("n_splits"), f" must be 2 or more, got {n_splits}")
        protocol = replace(protocol, n_splits=n_splits)
    if n_repeats is not None:
        if n_repeats < 1:
            raise InputError(Parameter("n_repeats"), f" must be 1 or more, got {n_repeats}")
        protocol = replace(protocol, n_repeats=n_repeats)
    return protocol


def _shuffled_by_class(labels: NDArray[np.int32], rng: np.random.Generator) -> Rows:
    order = rng.permutation(len(labels))
    return order[np.argsort(labels[order], kind="stable")]


def _folds(labels: NDArray[np.int32], n_splits: int, rng: np.random.Generator) -> list[Split]:
    """Deal rows out class by class: fold sizes differ by at most one row, also within a class."""
    fold = np.empty(len(labels), dtype=np.int64)
    fold[_shuffled_by_class(labels, rng)] = np.arange(len(labels)) % n_splits
    return [Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_splits)]


def _weka_folds(labels: NDArray[np.int32], n_splits: int, seed: int) -> list[Split]:
    rows = np.arange(len(labels))
    return [Split(np.setdiff1d(rows, test), test) for test in weka_folds(labels, n_splits, seed)]


def _held_out(labels: NDArray[np.int32], share: float, rng: np.random.Generator) -> Split:
    """Hold out evenly spaced rows, in shuffled order by class: about a share of each class."""
    place = np.arange(len(labels))
    held = np.floor((place + 1) * share) > np.floor(place * share)
    is_test = np.empty(len(labels), dtype=bool)
    is_test[_shuffled_by_class(labels, rng)] = held
    return Split(np.flatnonzero(~is_test), np.flatnonzero(is_test))


def _bootstrap(labels: NDArray[np.int32], rng: np.random.Generator) -> Split:
    drawn = [
        rng.choice(rows, len(rows))
        for rows in (np.flatnonzero(labels == label) for label in np.unique(labels))
    ]
    train = np.sort(np.concatenate(drawn))
    return Split(train, np.setdiff1d(np.arange(len(labels)), train))
