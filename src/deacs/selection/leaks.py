r"""Leaks: columns that alone give the target away, and not by the chance that so many columns have.

A column with :math:`r_v` rows of each value determines classes of :math:`c_i` rows if every value
belongs to one class. Of the :math:`n! / \prod_i c_i!` ways to deal the classes to the rows, that
holds for as many as there are ways to give values to classes so that their rows add up to
:math:`c_i`; or, if the column was cut to fit the classes, as there are orders of the classes in
no more runs than intervals. That share, times the number of columns, is what chance can do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, CodedTable
from deacs.counts import Conditioning
from deacs.exceptions import Note

if TYPE_CHECKING:
    from deacs.selection.loop import Path

__all__ = ["chance_of_settling", "leak_notes", "leak_notes_elsewhere"]

SETTLED = 0.01
"""A column that leaves at most this share of the uncertainty of the classes determines them."""
BY_CHANCE = 0.01
"""The least chance, over all columns, at which a column that determines the class is no leak."""
MOST_ROWS = 2000
"""Rows up to which the ways are counted; beyond, they are bounded."""
MOST_NAMED = 5


def leak_notes(
    data: CodedData, most: float = math.inf, n_features: int | None = None
) -> list[Note]:
    """Return notes on columns that alone give the target away, except row identifiers.

    `most` is the largest I(F; C) in bits, if known, which usually rules most of them out at once;
    `n_features` is the number of columns from which these were chosen, if there were more.
    """
    n_tries = data.n_features if n_features is None else n_features
    nothing = Conditioning.of(data)
    uncertain = nothing.label_entropies()
    if not uncertain.any():
        return []
    gone = _missing_leaks(data, nothing, uncertain, n_tries)
    notes = _missing_notes(data, gone)
    if data.about.kind != "labels" and _leaves_enough(data, most):
        return notes
    alone = nothing.scores(data.blocks, np.arange(data.n_features), "one-vs-rest")
    settles = (alone >= (1 - SETTLED) * uncertain) & (uncertain > 0)
    settles[data.n_values > data.n_rows / 2] = False
    settles[list(gone)] = False
    runs = np.bincount(data.labels, minlength=data.n_classes)
    everything = [
        j
        for j in np.flatnonzero((settles | (uncertain == 0)).all(axis=1)).tolist()
        if settles[j].any() and _is_beyond_chance(data, j, runs, n_tries)
    ]
    shares = alone[everything].sum(axis=1) / float(uncertain.sum())
    amounts = [f" ({share:.1%} of the uncertainty)" for share in shares]
    noun = "class" if data.membership is None else data.about.nouns
    notes += _leaking(data, everything, amounts, noun)
    if data.about.kind == "labels":
        notes += _copies(data, settles, set(everything), n_tries * data.n_outputs)
    return notes


def leak_notes_elsewhere(path: Path, data: CodedTable) -> list[Note]:
    """Return a note if the first feature settles the target, for columns stored elsewhere."""
    if not path.steps or not (path.residual[1] <= SETTLED * path.residual[0]).all():
        return []
    first, rows = path.steps[0].feature, data.class_rows
    is_by_chance = (
        data.membership is None
        and data.n_features
        * chance_of_settling(
            data.features[first].n_values, rows, is_cut=data.features[first].by_classes
        )
        >= BY_CHANCE
    )
    noun = "class" if data.membership is None else data.about.nouns
    return [] if is_by_chance else _leaking(data, [first], [""], noun)


def chance_of_settling(
    values: int | NDArray[np.integer], classes: NDArray[np.integer], *, is_cut: bool = False
) -> float:
    """Return a bound on the chance that a column determines classes that are dealt at random.

    Parameters
    ----------
    values : ndarray of int, or int
        The rows of each value; or the number of values.
    classes : ndarray of int
        The rows of each class.
    is_cut : bool, default=False
        Whether the values are intervals that were chosen by the classes.
    """
    sizes = sorted(int(n) for n in classes if n)
    n_values = values if isinstance(values, int) else int(np.count_nonzero(values))
    n = sum(sizes)
    deals = math.lgamma(n + 1) - math.fsum(math.lgamma(size + 1) for size in sizes)
    if is_cut:
        ways = _ways_in_runs(tuple(sizes), min(n_values, n))
    else:
        # The classes but one say it all.
        rows = None if isinstance(values, int) or n > MOST_ROWS else values[values > 0]
        ways = math.fsum(_ways_to_fill(size, n_values, rows) for size in sizes[:-1])
        ways = min(ways, n_values * math.log(len(sizes)))
    return math.exp(min(ways - deals, 0.0))


def _ways_to_fill(size: int, n_values: int, rows: NDArray[np.integer] | None) -> float:
    """Return the logarithm of the number of sets of values with so many rows, or of a bound."""
    if rows is None or len(rows) > 500:  # 2 ** 500 is near the largest float
        few = min(size, n_values)
        if 2 * few > n_values:
            return n_values * math.log(2)
        return math.log(few) + _log_choose(n_values, few)
    sums = np.zeros(size + 1)
    sums[0] = 1.0
    for count in rows[rows <= size].tolist():
        sums[count:] = sums[count:] + sums[: size + 1 - count]
    return math.log(sums[size]) if sums[size] else -math.inf


@cache
def _ways_in_runs(sizes: tuple[int, ...], most: int) -> float:
    """Return the logarithm of a bound on the orders of classes that have at most so many runs."""
    n_runs = np.full(most + 1, -np.inf)
    n_runs[0] = 0.0
    for size in sizes:
        own = [_log_choose(size - 1, j - 1) for j in range(1, min(size, most) + 1)]
        joined = np.full(most + 1, -np.inf)
        for j, ways in enumerate(own, start=1):
            places = [_log_choose(v + j, j) for v in range(most + 1 - j)]
            joined[j:] = np.logaddexp(joined[j:], n_runs[: most + 1 - j] + ways + places)
        n_runs = joined
    return _logsum(n_runs[1:].tolist())


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _logsum(terms: Sequence[float]) -> float:
    return float(np.logaddexp.reduce(terms)) if len(terms) else -math.inf


def _is_beyond_chance(data: CodedData, j: int, classes: NDArray[np.integer], n_tries: int) -> bool:
    feature = data.features[j]
    rows = np.bincount(data.column(j))
    chance = chance_of_settling(rows, classes, is_cut=feature.by_classes and not feature.is_uncut)
    return n_tries * chance < BY_CHANCE


def _copies(
    data: CodedData, settles: NDArray[np.bool_], known: set[int], n_tries: int
) -> list[Note]:
    """Return a note on columns that give one label of several away."""
    found: dict[int, str] = {}
    for j, output in np.argwhere(settles).tolist():
        n_with = int(data.class_rows[output])
        classes = np.array([n_with, data.n_rows - n_with])
        if j not in known | found.keys() and _is_beyond_chance(data, j, classes, n_tries):
            found[j] = f" (label {str(data.outputs[output])!r})"
    return _leaking(data, list(found), list(found.values()), "label")


def _missing_leaks(
    data: CodedData, nothing: Conditioning, uncertain: NDArray[np.float64], n_tries: int
) -> dict[int, tuple[int, bool]]:
    """Return columns whose missing values give an output away: which, and if its rows have them."""
    holed = [j for j, feature in enumerate(data.features) if feature.has_missing]
    if not holed or data.about.kind == "numbers":
        return {}
    gone = np.array([data.column(j) == data.features[j].n_values - 1 for j in holed])
    block = CodeBlock.frozen(np.arange(len(holed)), gone.view(np.uint8), np.full(len(holed), 2))
    alone = nothing.scores((block,), np.arange(len(holed)), "one-vs-rest")
    is_pair = data.n_outputs == 2 and data.membership is None
    found: dict[int, tuple[int, bool]] = {}
    for k, output in np.argwhere((alone >= (1 - SETTLED) * uncertain) & (uncertain > 0)).tolist():
        belongs = data.about.rows_of(output, data.labels)
        is_gone = 2 * int(np.count_nonzero(gone[k] == belongs)) >= data.n_rows
        if is_pair and not is_gone:
            continue  # the other class, of two, is the one whose rows are missing
        classes = np.array([belongs.sum(), data.n_rows - belongs.sum()])
        rows = np.array([gone[k].sum(), data.n_rows - gone[k].sum()])
        if n_tries * data.n_outputs * chance_of_settling(rows, classes) < BY_CHANCE:
            found.setdefault(holed[k], (output, is_gone))
    return found


def _missing_notes(data: CodedData, found: dict[int, tuple[int, bool]]) -> list[Note]:
    """Return a note on columns that are missing where a row has an output, and one on others."""
    noun, notes = data.about.noun, []
    for kind, one, several in (
        (True, "is missing", "are each missing"),
        (False, "has values", "each have values"),
    ):
        outputs = {j: output for j, (output, is_gone) in found.items() if is_gone == kind}
        if not outputs:
            continue
        names = [data.feature_names[j] for j in outputs]
        named = [
            f"{name!r} ({noun} {str(data.outputs[output])!r})"
            for name, output in zip(names, outputs.values(), strict=True)
        ]
        does = one if len(names) == 1 else several
        words = f"{_first(named)} {does} just where the row has that {noun}"
        notes.append(_possible_leak(words, names, noun))
    return notes


def _leaking(
    data: CodedTable, features: Sequence[int], amounts: Sequence[str], noun: str
) -> list[Note]:
    if not features:
        return []
    names = [data.feature_names[j] for j in features]
    named = [f"{name!r}{amount}" for name, amount in zip(names, amounts, strict=True)]
    settle = "determines" if len(names) == 1 else "each determine"
    return [
        _possible_leak(
            f"{_first(named)} alone {settle} the {noun} of nearly every row", names, noun
        )
    ]


def _possible_leak(words: str, names: Sequence[str], noun: str = "class") -> Note:
    known, them = ("Is it", "it") if len(names) == 1 else ("Are they", "them")
    be = "are" if noun.endswith("s") and noun != "class" else "is"
    return Note(
        f"{words}: a possible leak of the target. {known} known before the {noun} {be}? If not, "
        f"exclude {them}.",
        kind="leak",
        columns=names,
    )


def _first(named: Sequence[str]) -> str:
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return ", ".join(named[:MOST_NAMED]) + more


def _leaves_enough(data: CodedData, most: float) -> bool:
    """Whether no column can determine every class, as H(C | F) <= the sum of H(C_i | F).

    H(C_i) is at most p log2(e / p), where p is the share of the class.
    """
    if data.ignores_missing:
        return False  # each column is counted on its own rows
    entropy = _surprise(data.run_counts, data.total)
    entropies, n_labels = entropy, 1.0  # of a row, on average
    if data.membership is not None:
        by_label = data.about.counts_of(data.run_counts)
        n_labels = float(by_label.sum()) / data.total
        entropies = _surprise(by_label, data.total)
    return entropy - most > SETTLED * (entropies + n_labels * math.log2(math.e)) + 1e-9


def _surprise(counts: NDArray[np.int64], total: int) -> float:
    """Return the sum of -p log2 p, where p are shares of a total."""
    return math.fsum(n / total * math.log2(total / n) for n in counts.tolist() if n)
