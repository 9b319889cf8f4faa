"""Explanations: why a feature was selected, or why it was not, in sentences and numbers.

Information is measured as `DEACS` does by default, whatever selected: half counted and corrected
for chance, half by order, given S. A feature that was not selected is redundant given the fewest
selected features, three at most, given which counts leave less than half of its information.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.counts.bias import read_estimator
from deacs.counts.counts import open_counts
from deacs.selection.criteria import read_label_score
from deacs.selection.result import Result, bits_text, tenths

__all__ = ["Explanation", "explain"]

Floats = NDArray[np.float64]

MOST_TAKERS = 3
"""The most selected features that are named as taking a feature's information."""

MOST = 0.5
"""The share of a feature's information from which others take most of it."""


@dataclass(frozen=True)
class Explanation:
    """Why a feature was selected, or why it was not.

    Attributes
    ----------
    feature : str
        Its name.
    rank : int or None
        Its rank, from 1; None if it was not selected.
    sentence : str
        The answer in words.
    alone : dict of str to float
        Its information about each class alone, in bits.
    given_selected : dict of str to float
        If it was not selected: its information given the selected features.
    bits : dict of str to float
        If it was: its information given those before it.
    values : dict of str to str
        The values that speak for each class.
    redundant_given : tuple of str
        If it was not selected: the selected features that take most of its information.
    taken : float
        The share that these take.
    nearest, nearness : int or None, float or None
        If the fit stored its candidates: the step at which its score was nearest to the winner's,
        and the share of that.
    partner : str or None
        A column together with which it is informative, if it is not alone.
    adds, adds_error : float or None
        If it was selected: the share of the uncertainty that it explains on held-out rows.
    chosen, n_refits : int or None
        How many of the refits selected it again.
    substitutes : dict of str to float
        What could replace it, with the share of its information that they keep.
    """

    feature: str
    rank: int | None
    sentence: str
    alone: dict[str, float]
    given_selected: dict[str, float] = field(default_factory=dict)
    bits: dict[str, float] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    redundant_given: tuple[str, ...] = ()
    taken: float = 0.0
    nearest: int | None = None
    nearness: float | None = None
    partner: str | None = None
    adds: float | None = None
    adds_error: float | None = None
    chosen: int | None = None
    n_refits: int | None = None
    substitutes: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def explain(result: Result, unit: int) -> Explanation:
    """Explain why a feature, or a group of columns, was selected or was not.

    Parameters
    ----------
    result : Result
        The selection, with its rows.
    unit : int
        The feature or group.
    """
    ranking = result.ranking.tolist()
    if unit in ranking:
        return _selected(result, ranking.index(unit), unit)
    return _rejected(result, unit)


def _selected(result: Result, step: int, unit: int) -> Explanation:
    name, alone = result.selected_names[step], result.alone(np.array([unit]))[0]
    bits = result.label_scores[step] if step < len(result.label_scores) else alone
    best = int(np.argmax(bits)) if not result.is_shared(bits) else 1
    direction = result.direction(step, best)
    values = f": {direction}" if direction.symbol else ""
    said = [f"{name} is number {step + 1}: it says most about {result.classes[best]}{values}."]
    numbers: dict[str, Any] = {}
    if (held_out := result.held_out) is not None and result.adds_error is not None:
        adds, error = float(result.adds[step]), float(result.adds_error[step])
        chosen, n = int(held_out.chosen[step]), held_out.n_refits
        if chosen:
            numbers = {"adds": adds, "adds_error": error}
            margin = "" if np.isnan(error) else f" ± {tenths(error)}"
            what = f"{tenths(adds)}{margin} of {result.amount}"
            said.append(f"On held-out rows it explains {what if adds > 0 else 'nothing more'}.")
        said.append(f"{chosen} of {n} selections on parts of the rows chose it again.")
        numbers |= {"chosen": chosen, "n_refits": n}
    if result.substitutes is not None:
        entry = result.substitutes.entries[step]
        others = {other.name: other.share for other in entry.substitutes if other.share > 0}
        numbers["substitutes"] = others
        if not entry.is_needed:
            said.append("Given the features selected with it, it is not needed.")
        else:
            able, share = next(iter(others.items()), ("", 0.0))
            keeps = f"would keep {share:.0%} of its information"
            if share >= MOST:
                said.append(f"{able} could replace it and {keeps}.")
            else:
                rest = f": {able}, the best, {keeps}" if able else ""
                said.append(f"No other column could replace it{rest}.")
    return Explanation(
        name,
        step + 1,
        " ".join(said),
        _by_class(result, alone),
        bits=_by_class(result, bits),
        values=dict(zip(result.classes, map(str, result.directions[step]), strict=True))
        if step < len(result.directions) and result.directions[step]
        else {},
        **numbers,
    )


def _rejected(result: Result, unit: int) -> Explanation:
    from deacs.selection.deacs import DEACS

    names, ranking = result.source.unit_names, result.ranking.tolist()
    name, this = names[unit], np.array([unit])
    criterion = DEACS()._exchangeable(result.source)
    alone = criterion.scores(this)[0]
    is_known_alone = bool(criterion.beyond_chance(this)[0])
    for feature in ranking:
        criterion.add(feature)
    given = criterion.scores(this)[0]
    is_useful = bool(criterion.beyond_chance(this)[0])
    takers, taken = _takers(result, unit, ranking) if is_known_alone else ([], 0.0)
    partner = None if is_known_alone or is_useful else _partner(result, unit)
    shared = [names[j] for j in takers]
    if is_useful:
        now = f"now it would add {_best(result, given)}"
        if is_known_alone:
            head = f"{name} is useful: {now}, beyond chance"
        else:
            head = f"{name} says nothing alone, but {now}: it counts together with {_some(result)}"
        sentence = f"{head}; the selection had ended because {result.ending}."
    elif not is_known_alone and partner is not None:
        sentence = (
            f"{name} says nothing alone, nor given the selected features, but it does together "
            f"with {partner}: include both."
        )
    elif not is_known_alone:
        also = ", alone or given the selected features" if ranking else ""
        sentence = f"{name} says nothing about {result.whole} beyond chance{also}."
    elif taken >= MOST:
        verb = "takes" if len(shared) == 1 else "take"
        sentence = (
            f"{name} is redundant: alone it says {_best(result, alone)}, and "
            f"{_listed(shared)} {verb} {taken:.0%} of its information; given the selection, what "
            "is left is within chance."
        )
    else:
        sentence = (
            f"{name} alone says {_best(result, alone)}, but given the selected features no more "
            "than chance would."
        )
    nearest, nearness = _nearest(result, unit)
    if nearest is not None and is_known_alone:
        sentence += f" It was nearest at step {nearest}, with {nearness:.0%} of the best score."
    return Explanation(
        name,
        None,
        sentence,
        _by_class(result, alone),
        given_selected=_by_class(result, given),
        redundant_given=tuple(shared) if taken >= MOST else (),
        taken=taken,
        nearest=nearest,
        nearness=nearness,
        partner=partner,
    )


def _nearest(result: Result, unit: int) -> tuple[int | None, float | None]:
    """Return the step at which a feature's score was nearest to the winner's, and its share."""
    shares = []
    for step in result.candidates:
        its, best = step.scores[step.features == unit], step.scores.max(initial=0.0)
        is_known = len(its) and np.isfinite(its[0]) and 0 < best < np.inf
        shares.append(float(its[0] / best) if is_known else 0.0)
    if not any(share > 0 for share in shares):
        return None, None
    return int(np.argmax(shares)) + 1, max(shares)


def _takers(result: Result, unit: int, ranking: Sequence[int]) -> tuple[list[int], float]:
    """Return the fewest selected features that take most of a feature's information, and its share.

    By counts alone, which know no order: the features are added one by one, the best first.
    """
    left = _left(result, unit, [])
    takers: list[int] = []
    whole = rest = left
    while ranking and whole > 0 and rest > (1 - MOST) * whole and len(takers) < MOST_TAKERS:
        others = [j for j in ranking if j not in takers]
        if not others:
            break
        amounts = [_left(result, unit, [*takers, j]) for j in others]
        best = int(np.argmin(amounts))
        if amounts[best] >= rest:
            break
        rest = amounts[best]
        takers.append(others[best])
    return takers, 1 - rest / whole if whole > 0 else 0.0


def _left(result: Result, unit: int, given: Sequence[int]) -> float:
    """Return I(F; C_i | given), corrected for chance and summed over the classes, in bits."""
    estimator = read_estimator(read_label_score("two-views").estimator)
    counts = open_counts(result.data, "one-vs-rest", estimator=estimator)
    for feature in given:
        counts.condition_on(feature)
    return float(np.maximum(counts.label_scores(np.array([unit]))[0], 0.0).sum())


def _partner(result: Result, unit: int) -> str | None:
    """Return the column that says most given a feature that says nothing alone, and not alone.

    I(G; C | F) - I(G; C) = I(F; C | G) - I(F; C): what one gains by the other is mutual.
    """
    from deacs.selection.deacs import DEACS

    criterion = DEACS()._exchangeable(result.source)
    others = np.delete(np.arange(result.n_features), unit)
    before = criterion.scores(others).sum(axis=1)
    criterion.add(unit)
    after = criterion.scores(others).sum(axis=1)
    gain = np.where(criterion.beyond_chance(others), after - before, 0.0)
    best = int(np.argmax(gain)) if len(gain) else 0
    is_mutual = len(gain) > 0 and gain[best] > MOST * after[best] > 0
    return result.source.unit_names[int(others[best])] if is_mutual else None


def _by_class(result: Result, bits: Floats) -> dict[str, float]:
    return dict(zip(result.classes, bits.tolist(), strict=True))


def _best(result: Result, bits: Floats) -> str:
    """Return the class that a feature says most about, and how much."""
    if result.is_shared(bits):
        return f"{bits_text(bits[0])} bits about {result.whole}"
    best = int(np.argmax(bits))
    return f"{bits_text(bits[best])} bits about {result.classes[best]}"


def _some(result: Result) -> str:
    names = result.selected_names
    return names[0] if len(names) == 1 else "the selected features"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
