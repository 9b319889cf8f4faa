"""Caveats that a careful reader of a selection should know."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable, copied_rows
from deacs.exceptions import Note, Parameter
from deacs.greedy.blocks import Joint, read_conditioning
from deacs.greedy.engine import Counts
from deacs.greedy.judges import Judge, read_judge
from deacs.greedy.label_scores import LabelScores, read_label_score
from deacs.greedy.stopping import included_features
from deacs.information import Conditioning

if TYPE_CHECKING:
    from deacs.greedy.loop import Path
    from deacs.greedy.setting import Setting

__all__ = ["copies_note", "leak_note", "notes_of"]

SETTLED = 0.01
"""A column that leaves at most this share of every class's uncertainty determines the class."""
CUT_ROWS = 10
"""The least number of rows per interval, on average, from which a weighted column may be a leak."""
FEW_ROWS = 5
MOST_NAMED = 5


def notes_of(path: Path, data: CodedTable, setting: Setting, counts: Counts) -> list[Note]:
    """Return the caveats of a selection."""
    scores, judge = read_label_score(setting.label_score), read_judge(setting.judge)
    notes = [_nothing(path, data), copies_note(data), _leak(path, data, setting)]
    notes.append(_uncut(data, scores))
    if isinstance(read_conditioning(setting.conditioning), Joint):
        notes.append(_starved(path, counts))
    notes.append(_sole(path, data, judge))
    notes.append(_crowded(path, data, scores, judge, has_costs=setting.costs is not None))
    return [note for note in notes if note is not None]


def _nothing(path: Path, data: CodedTable) -> Note | None:
    if path.steps:
        return None
    if path.stop_reason == "not significant":
        return Note("No feature is significant, so none was selected.", kind="nothing")
    return Note(
        f"No feature is informative about the {data.about.nouns} beyond chance, so none was "
        "selected.",
        kind="nothing",
    )


def copies_note(data: CodedTable) -> Note | None:
    """Return a note if rows are copies of others."""
    copies = copied_rows(data) if isinstance(data, CodedData) else None
    if copies is None:
        return None
    n_more = data.n_rows - len(np.unique(copies))
    return Note(
        f"{n_more:,} of {data.n_rows:,} rows repeat another row in every column, which chance does "
        "not explain, and each counts as evidence. Held-out estimates keep copies together. Keep "
        "one row of each; if rows of one person or device are alike, cross-validate over persons "
        "or devices (scikit-learn's GroupKFold).",
        kind="copies",
    )


def _leak(path: Path, data: CodedTable, setting: Setting) -> Note | None:
    """Name columns that alone determine the class, if the winner of the first step does."""
    is_settled = bool(path.steps) and (path.residual[1] <= SETTLED * path.residual[0]).all()
    if isinstance(data, CodedData):
        included = included_features(setting.include, data.feature_names, None)
        is_free = not included and setting.costs is None
        return leak_note(data) if is_settled or not is_free else None
    if not is_settled:
        return None
    return _leaking(data, [data.feature_names[path.steps[0].feature]])


def leak_note(data: CodedData, most: float = math.inf) -> Note | None:
    """Return a note on columns that alone determine the class, except row identifiers.

    `most` is the largest I(F; C) in bits, if known, which usually rules them out at once.
    """
    if _leaves_enough(data, most):
        return None
    nothing = Conditioning.of(data)
    everything, uncertain = np.arange(data.n_features), nothing.label_entropies()
    alone = nothing.scores(data.blocks, everything, "one-vs-rest")
    settles = (alone >= (1 - SETTLED) * uncertain).all(axis=1) & bool(uncertain.any())
    most_values = np.full(data.n_features, data.n_rows / 2)
    if data.weights is not None:
        # A row of weight 50 is fifty rows to MDLP, which then cuts until every interval is pure.
        is_cut = [feature.kind == "continuous" for feature in data.features]
        most_values[is_cut] = data.n_rows / CUT_ROWS
    settling = np.flatnonzero(settles & (data.n_values <= most_values)).tolist()
    shares = alone[settling].sum(axis=1) / max(float(uncertain.sum()), 1e-300)
    amounts = [f" ({share:.1%} of the uncertainty)" for share in shares]
    return _leaking(data, [data.feature_names[j] for j in settling], amounts)


def _leaves_enough(data: CodedData, most: float) -> bool:
    """Whether no column can determine every label, as H(C | F) <= the sum of H(C_i | F).

    H(C_i) is at most p log2(e / p), where p is the share of the label.
    """
    if data.ignores_missing:
        return False  # each column is counted on its own rows
    total, by_class = data.total, data.run_counts
    entropy = entropies = _surprise(by_class, total)
    n_labels = 1.0  # of a row, on average
    if data.membership is not None:
        by_label = data.about.counts_of(by_class)
        entropies, n_labels = _surprise(by_label, total), float(by_label.sum()) / total
    return entropy - most > SETTLED * (entropies + n_labels * math.log2(math.e)) + 1e-9


def _surprise(counts: NDArray[np.int64], total: int) -> float:
    """Return the sum of -p log2 p, where p are shares of a total."""
    return math.fsum(n / total * math.log2(total / n) for n in counts.tolist() if n)


def _leaking(data: CodedTable, names: Sequence[str], amounts: Sequence[str] = ("",)) -> Note | None:
    if not names:
        return None
    noun, be = ("class", "is") if data.membership is None else (data.about.nouns, "are")
    named = [f"{name!r}{amount}" for name, amount in zip(names, amounts, strict=True)]
    listed = ", ".join(named[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    settle, known, them = "each determine", "Are they", "them"
    if len(names) == 1:
        settle, known, them = "determines", "Is it", "it"
    return Note(
        f"{listed}{more} alone {settle} the {noun} of nearly every row: a possible leak of the "
        f"target. {known} known before the {noun} {be}? If not, exclude {them}.",
        kind="leak",
        columns=names,
    )


def _uncut(data: CodedTable, scores: LabelScores) -> Note | None:
    numbers = [feature for feature in data.features if feature.kind == "continuous"]
    uncut = data.uncut_features
    if 2 * len(uncut) < max(len(numbers), 1):
        return None
    is_one = len(uncut) == 1
    which = "it is not" if is_one else "none of them is"
    if max(data.features[j].n_values - data.features[j].has_missing for j in uncut) > 1:
        were = "it was" if is_one else "they were"
        seen = f"{were} cut into intervals with equally many rows"
    else:
        # Without ranks, the order of codes shows no more than counts do.
        has_ranks = isinstance(data, CodedData) and data.order is not None
        if scores.order and has_ranks:
            seen = f"only {'its' if is_one else 'their'} order is seen"
        else:
            seen = f"counts cannot see {'it' if is_one else 'them'}"
    columns = f"{len(uncut):,} of {len(numbers):,} columns"
    return Note(
        f"MDLP finds no cut point in {'the only column' if len(numbers) == 1 else columns} of "
        f"numbers, as {which} informative enough by itself: {seen}.",
        kind="uncut",
        columns=[data.feature_names[j] for j in uncut],
    )


def _starved(path: Path, counts: Counts) -> Note | None:
    ranking = path.ranking.tolist()
    # Groups only get smaller, so bisection finds the first step with too few rows.
    m = 1 + bisect_left(
        range(1, len(ranking) + 1),
        True,
        key=lambda m: counts.mean_group_size(ranking[:m]) < FEW_ROWS,
    )
    if m > len(ranking):
        return None
    size = counts.mean_group_size(ranking[:m])
    return Note(
        f"From {m} features on, groups with equal values have {size:.1f} rows on average: "
        "scores from there on are largely chance; ",
        Parameter("conditioning", "blocks"),
        " keeps groups large enough.",
        kind="starved",
    )


def _sole(path: Path, data: CodedTable, judge: Judge) -> Note | None:
    # With bounded weights, inf only means that no other candidate competed.
    infinite = [k + 1 for k, step in enumerate(path.steps) if np.isinf(step.score)]
    if not judge.has_free_weights or not infinite:
        return None
    where = ", ".join(map(str, infinite[:MOST_NAMED])) + (", ..." if infinite[MOST_NAMED:] else "")
    return Note(
        f"The score of step {where} is infinite: no other candidate was informative about some "
        f"{data.about.noun} by then.",
        kind="sole",
    )


def _crowded(
    path: Path, data: CodedTable, scores: LabelScores, judge: Judge, *, has_costs: bool
) -> Note | None:
    # Two classes are one variable: super-efficiency is then a ratio of bits and ranks like the sum.
    is_pair = data.n_outputs == 1 or (data.n_outputs == 2 and data.membership is None)
    is_a_ratio = is_pair and scores.kind == "one-vs-rest" and not has_costs
    enough = 3 * (data.n_outputs + 1)
    crowded = [step.n_competitors < enough for step in path.steps]
    if not judge.has_free_weights or is_a_ratio or not any(crowded):
        return None
    return Note(
        f"From step {crowded.index(True) + 1} on fewer than {enough} candidates compete (three "
        f"for each of the {data.n_outputs} labels and the input): by DEA's rule of thumb "
        "super-efficiency then separates them weakly; ",
        Parameter("judge", "sum"),
        " is an alternative.",
        kind="crowded",
    )
