"""What a selection says, as plain numbers: displays, page and table read the same summary.

The selection is walked through once more on the coded data: for each selected feature the bits of
every candidate given what came before, R(F; c_i | S), and the H(C_i | S) that is left. So a page
can be made for any selector, whether or not it counts bits itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, encode
from deacs.dea import best_unit
from deacs.exceptions import InputError
from deacs.information import Conditioning, ScoreKind
from deacs.selection import Path

__all__ = ["MOST_SHOWN", "Race", "Summary", "runner_up", "summarize", "summarize_path"]

Floats = NDArray[np.float64]

MOST_SHOWN = 60
"""Selected features that are shown one by one; what is left out is said."""

SCORE_NAMES = {
    "radial": "theta",
    "sum": "sum (bits)",
    "sbm": "SBM",
    "ram": "RAM",
    "bam": "BAM",
}
"""What the score is called that a judge of DEA-CS gives."""


@dataclass(frozen=True, slots=True, eq=False)
class Race:
    """One step: who competed, in bits for each class, and who won.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column.
    label_scores : ndarray of shape (n, n_classes)
        R(F; c_i | S) in bits.
    winner : int
        The row of the feature that was selected.
    runner_up : int or None
        The row of the feature that would have been selected without it.
    """

    features: NDArray[np.int64]
    label_scores: Floats
    winner: int
    runner_up: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """What was selected, what each feature serves, what is left, and how to repeat it.

    Attributes
    ----------
    method, score_name : str
        The selector, and what its scores are called.
    data : CodedData
        The table as it was counted.
    ranking : ndarray of int of shape (n_selected,)
        The selected columns, in order.
    scores : ndarray of shape (n_selected,)
        The selector's score of each.
    label_scores : ndarray of shape (n_shown, n_classes)
        R(F; c_i | S) of each at selection, in bits; at most `MOST_SHOWN`.
    residual : ndarray of shape (n_selected + 1, n_classes)
        H(C_i | S) before the first and after each, in bits.
    alone : ndarray of shape (n_features, n_classes)
        I(F; C_i), what each feature of the table tells by itself, in bits.
    races : tuple of Race
        The candidates of each step that is shown; none if columns were selected in groups.
    stop_reason : str
        Why the selection ended.
    notes : tuple of str
        What a careful reader should know.
    settings : mapping of str to object
        The parameters.
    snippet : str
        What to type to get the same.
    """

    method: str
    score_name: str
    data: CodedData
    ranking: NDArray[np.int64]
    scores: Floats
    label_scores: Floats
    residual: Floats
    alone: Floats
    races: tuple[Race, ...]
    stop_reason: str
    notes: tuple[str, ...]
    settings: Mapping[str, Any]
    snippet: str

    def __repr__(self) -> str:
        return f"<Summary of {self.method}: {self.n_selected} of {self.data.n_features} features>"

    @property
    def n_selected(self) -> int:
        """The number of selected features."""
        return len(self.ranking)

    @property
    def n_shown(self) -> int:
        """The number of selected features that are shown one by one."""
        return len(self.label_scores)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes' names."""
        return tuple(str(label) for label in self.data.classes)

    @cached_property
    def selected_names(self) -> tuple[str, ...]:
        """The selected features' names, in order."""
        return tuple(self.data.feature_names[j] for j in self.ranking)

    @cached_property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return np.bincount(self.data.labels, minlength=self.data.n_classes)

    @cached_property
    def unexplained(self) -> Floats:
        """The share of H(C_i) that is left of each class, from 0 to 1."""
        start, end = self.residual[0], self.residual[-1]
        # Ignored missing values change the rows that count, so what is left may be more.
        return np.minimum(np.divide(end, start, out=np.zeros_like(end), where=start > 0), 1.0)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Discrete columns with as many values as rows."""
        n_rows = self.data.n_rows
        pairs = zip(self.data.feature_names, self.data.features, strict=True)
        return tuple(
            name
            for name, feature in pairs
            if feature.kind == "discrete" and feature.n_values == n_rows > 2
        )


def summarize(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    notes: Sequence[str] = (),
) -> Summary:
    """Collect what a fitted selector says about the table it was fitted on.

    Parameters
    ----------
    selector : fitted selector of deacs
        DEACS, MRMR, JMI, ReliefF, ...
    X : table or CodedData
        What it was fitted on.
    y : array-like of shape (n_rows,)
        The classes; None if X is CodedData.
    sample_weight : array-like of shape (n_rows,), optional
        The weights it was fitted with.
    notes : sequence of str, optional
        Further notes to show.

    Returns
    -------
    Summary
        For selectors other than DEACS, bits and what is left are counted here.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> summarize(DEACS(n_features_to_select=2).fit(X, y), X, y)
    <Summary of DEACS: 2 of 13 features>
    """
    if not hasattr(selector, "ranking_"):
        raise InputError(
            f"selector must be a fitted selector of deacs, got {type(selector).__name__} without "
            "ranking_; call its fit(X, y) first"
        )
    settings: dict[str, Any] = selector.get_params(deep=False)
    data = _coded(X, y, settings, sample_weight)
    if data.n_features != selector.n_features_in_ or list(data.classes) != list(selector.classes_):
        raise InputError(
            f"X, y must be what the selector was fitted on: {selector.n_features_in_} features and "
            f"{len(selector.classes_)} classes, got {data.n_features} and {data.n_classes}"
        )
    method = type(selector).__name__
    counts_bits = hasattr(selector, "label_scores_")
    judge = settings.get("judge", "") if method == "DEACS" else ""
    made = _walk(
        data,
        selector.ranking_,
        settings.get("label_score", "one-vs-rest"),
        known=(selector.label_scores_, selector.residual_) if counts_bits else None,
        is_grouped=settings.get("groups") is not None,
    )
    return Summary(
        method=method,
        score_name=SCORE_NAMES.get(judge, "score"),
        data=data,
        ranking=selector.ranking_,
        scores=selector.scores_,
        stop_reason=selector.stop_reason_,
        notes=(*getattr(selector, "notes_", ()), *notes),
        settings=settings,
        snippet=_snippet(selector, settings),
        **made,
    )


def summarize_path(
    path: Path,
    data: CodedData,
    settings: Mapping[str, Any],
    *,
    notes: Sequence[str] = (),
    snippet: str = "",
) -> Summary:
    """Collect what `deacs.selection.dea_cs` did; the parameters are those of `Summary`."""
    label_score = settings.get("label_score") or "one-vs-rest"
    known = path.label_scores, path.residual
    return Summary(
        method="DEACS",
        score_name=SCORE_NAMES.get(settings.get("judge") or "radial", "score"),
        data=data,
        ranking=path.ranking,
        scores=path.scores,
        stop_reason=path.stop_reason,
        notes=tuple(notes or path.notes),
        settings=settings,
        snippet=snippet,
        **_walk(data, path.ranking, label_score, known=known),
    )


def _coded(X: Any, y: Any, settings: Mapping[str, Any], sample_weight: Any) -> CodedData:
    if isinstance(X, CodedData):
        return X
    how = {
        name: settings[name]
        for name in ("discrete_features", "discretizer", "missing")
        if name in settings
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has warned; the page says it too
        return encode(X, y, sample_weight=sample_weight, **how)


def _walk(
    data: CodedData,
    ranking: NDArray[np.int64],
    label_score: str,
    *,
    known: tuple[Floats, Floats] | None = None,
    is_grouped: bool = False,
) -> dict[str, Any]:
    """Follow the ranking: who competed at each step, and what is left after it."""
    kind = cast(ScoreKind, label_score)
    conditioning = Conditioning(data.labels, data.n_classes, data.weights)
    candidates = np.arange(data.n_features)
    alone = conditioning.scores(data.blocks, candidates, "one-vs-rest")
    residual, races = [conditioning.label_entropies()], []
    for step, feature in enumerate(ranking.tolist()):
        if step < MOST_SHOWN:
            bits = conditioning.scores(data.blocks, candidates, kind)
            winner = int(np.searchsorted(candidates, feature))
            races.append(Race(candidates, bits, winner, runner_up(bits, winner)))
            candidates = np.delete(candidates, winner)
        conditioning.add(
            data.column(feature), int(data.n_values[feature]), data.ignored(feature)
        )
        residual.append(conditioning.label_entropies())
    label_scores = np.array([race.label_scores[race.winner] for race in races])
    label_scores = label_scores.reshape(-1, data.n_classes)
    made = {"label_scores": label_scores, "residual": np.array(residual)}
    if known is not None:
        shown = known[0][:MOST_SHOWN]
        if not is_grouped and not np.allclose(shown, label_scores, rtol=1e-6, atol=1e-9):
            raise InputError(
                "X, y must be what the selector was fitted on, and sample_weight too, but the bits "
                "of its features are others here; fit it on this table first"
            )
        made = {"label_scores": shown, "residual": known[1]}
    return {**made, "alone": alone, "races": () if is_grouped else tuple(races)}


def runner_up(label_scores: Floats, winner: int) -> int | None:
    """Return the row that super-efficiency would rank first without the winner, if any counts."""
    others = np.delete(np.arange(len(label_scores)), winner)
    others = others[label_scores[others].any(axis=1)]
    if not len(others):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few candidates for many classes: the notes say so
        return int(others[best_unit(label_scores[others]).unit])


def _snippet(selector: Any, settings: Mapping[str, Any]) -> str:
    """Write the fit as code, with the parameters that are not the defaults."""
    name = type(selector).__name__
    defaults = signature(type(selector)).parameters
    changed = [
        f"{key}={value!r}"
        for key, value in settings.items()
        if key != "progress" and repr(value) != repr(defaults[key].default)
    ]
    return (
        f"from deacs import {name}\n\n"
        f"selector = {name}({', '.join(changed)}).fit(X, y)\n"
        "selector.to_frame()  # one row for each selected feature\n"
        "X_selected = selector.transform(X)"
    )
