"""Confidence in a choice among selectors: intervals of paired differences over folds, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from deacs.exceptions import Note, Parameter
from deacs.selection._cross_validated import Rule, Split, choose

__all__ = ["choice_notes", "comparison", "corrected_interval"]

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def comparison(
    results: dict[str, NDArray[Any]],
    scores: Floats,
    splits: Sequence[Split],
    chosen: int,
    rule: Rule,
) -> dict[str, NDArray[Any]]:
    """Compare the choice with every selector, at the number that the rule gives it alone.

    `results` is `cv_results_`; `scores` has shape (n_folds, n_candidates).
    """
    names, numbers = results["selector"], results["n_features"]
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    rows = []
    for name in dict.fromkeys(names):
        own = np.flatnonzero(names == name)
        c = chosen if name == names[chosen] else own[choose(scores[:, own], numbers[own], rule)]
        difference = scores[:, chosen] - scores[:, c]
        mean = float(scores[:, c].mean())
        rows.append((name, numbers[c], mean, *corrected_interval(difference, share)))
    columns = ("selector", "n_features", "mean_test_score", "difference", "low", "high", "p_value")
    return {
        column: np.array([row[k] for row in rows], dtype=object if k == 0 else None)
        for k, column in enumerate(columns)
    }


def corrected_interval(differences: Floats, test_share: float) -> tuple[float, float, float, float]:
    """Return the mean, interval and two-sided p-value of a difference over folds.

    `test_share`, the ratio of test rows to training rows, corrects for overlapping folds
    (C. Nadeau, Y. Bengio, Machine Learning 52 (2003) 239-281, Section 3). With one fold there is no
    interval: NaN.
    """
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        return mean, np.nan, np.nan, np.nan
    error = float(differences.std(ddof=1) * np.sqrt(1 / n + test_share))
    reach = error * float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    if error == 0.0:
        return mean, mean, mean, float(mean == 0.0)
    return mean, mean - reach, mean + reach, float(2 * stats.t.sf(abs(mean) / error, n - 1))


def choice_notes(fitted: Any, n_folds: int) -> list[Note]:
    """Return notes on what was tried, how certain the choice is, and the score on new rows.

    `fitted` is a `SelectorCV`, fitted except for `notes_`.
    """
    results, best = fitted.cv_results_, fitted.best_index_
    if best < 0:
        return [Note("No selector selects anything.", kind="nothing")]
    names, numbers = list(dict.fromkeys(results["selector"])), np.unique(results["n_features"])
    means = results["mean_test_score"]
    some = ", ".join(map(str, numbers))
    tried = (
        f"Tried on {n_folds} folds: {', '.join(names)} with {some} features. Chosen: "
        f"{fitted.best_selector_} with {fitted.n_features_}, mean {_measure(fitted)} "
        f"{means[best]:.4f}"
    )
    if means[best] < means.max():
        top = int(means.argmax())
        tried += (
            f"; the best mean is {means[top]:.4f} ({results['selector'][top]} with "
            f"{results['n_features'][top]}), within one standard error"
        )
    return [Note(tried + ".", kind="tried"), *_against(fitted), _of_new_rows(fitted)]


def _measure(fitted: Any) -> str:
    """Name the score, and the model that it is of."""
    is_number = fitted._target_kind == "numbers"
    models = "ridge regression and a tree" if is_number else "naive Bayes and a tree"
    if fitted.estimator is not None:
        models = type(fitted.estimator).__name__
    if fitted.scoring is None:
        return f"{'R2' if is_number else 'accuracy'} of {models}"
    name = getattr(fitted.scoring, "__name__", type(fitted.scoring).__name__)
    return f"{fitted.scoring if isinstance(fitted.scoring, str) else name} of {models}"


def _against(fitted: Any) -> list[Note]:
    """Return notes on the runner-up and on selectors that do not differ significantly."""
    table = fitted.comparison_
    others = np.flatnonzero(table["selector"] != fitted.best_selector_)
    if len(others) == 0 or np.isnan(table["low"][others]).any():
        return []
    next_one = others[np.argmax(table["mean_test_score"][others])]
    name, number, mean, difference, low, high, _ = (column[next_one] for column in table.values())
    said = f"Next: {name} with {number}, mean {mean:.4f}"
    if difference == low == high == 0.0:
        said += ", the same on every fold"
    else:
        said += f"; the difference is {difference:+.4f} (95 % interval {low:+.4f} to {high:+.4f})"
    level = others[(table["low"][others] <= 0) & (table["high"][others] >= 0)]
    who = "Every other selector differs significantly."
    if len(level):
        names = ", ".join(table["selector"][level])
        who = f"Not significantly different on these folds: {names}."
    return [Note(f"{said}. {who}", kind="compared")]


def _of_new_rows(fitted: Any) -> Note:
    """Return a note on the score on held-out rows, or that it is not known."""
    if not fitted.nested:
        return Note(
            "The mean score of the choice is too high for new rows, as it decided the choice; ",
            Parameter("nested", True),
            " of deacs.SelectorCV estimates the score on new rows.",
            kind="new rows",
        )
    scores, choices = fitted.held_out_scores_, fitted.held_out_choices_
    same = sum(name == fitted.best_selector_ for name, _ in choices)
    return Note(
        f"On rows that took no part in the choice: {fitted.held_out_score_:.4f} (from "
        f"{scores.min():.4f} to {scores.max():.4f} over {len(scores)} folds); {same} of "
        f"{len(choices)} of those choices took {fitted.best_selector_}.",
        kind="new rows",
    )
