"""The summary in words that need no statistics."""

import numpy as np

from deacs.report._names import isolated
from deacs.report.summary import Summary

__all__ = ["STOP_REASONS", "headline", "percent", "sentences"]

STOP_REASONS = {
    "n_features_to_select": "the number of features asked for is reached",
    "budget": "the next feature would pass the budget",
    "exhausted": "no feature that is left tells anything more about any class",
}

MOST_NAMED = 3
"""Classes that a sentence names."""


def headline(summary: Summary) -> str:
    """Return the one sentence that matters: how many features, and whether they suffice."""
    n, total = summary.n_selected, summary.data.n_features
    if n == 0:
        return "No feature tells anything about the classes."
    if not summary.unexplained.any():
        suffice = "suffices" if n == 1 else "suffice"
        return f"{n} of {total} features {suffice} to tell the classes of these rows apart."
    start, end = summary.residual[0].sum(), summary.residual[-1].sum()
    explained = percent(max(0.0, 1 - end / start))
    verb = "explains" if n == 1 else "explain"
    if summary.stop_reason == "exhausted":
        return f"{n} of {total} features {verb} all that the table can of the classes: {explained}."
    return f"{n} of {total} features {verb} {explained} of what tells the classes apart."


def sentences(summary: Summary) -> list[str]:
    """Return what a manager reads: what is left of which class, and what the first feature does."""
    told = [_left(summary)]
    if summary.n_selected:
        bits = summary.label_scores[0]
        name, best = isolated(summary.selected_names[0]), int(np.argmax(bits))
        if bits[best] > 0 and np.ptp(bits) > 0:
            told.append(
                f"{name} comes first and tells most about {isolated(summary.classes[best])}."
            )
        else:
            told.append(f"{name} comes first.")
    suspects = set(summary.identifiers) & set(summary.selected_names)
    if suspects:
        named = ", ".join(isolated(name) for name in sorted(suspects)[:MOST_NAMED])
        told.append(
            f"But {named} differs from row to row like an identifier: leave it out and select "
            "again, for it tells nothing about new rows."
        )
    reason = STOP_REASONS.get(summary.stop_reason, summary.stop_reason)
    told.append(f"The selection ended because {reason}.")
    return told


def _left(summary: Summary) -> str:
    left = summary.unexplained
    if not left.any():
        return "Nothing about any class is left unexplained in these rows; new rows may differ."
    order = np.argsort(-left, kind="stable")
    named = [i for i in order[:MOST_NAMED].tolist() if left[i] > 0]
    shares = [f"{isolated(summary.classes[i])} {percent(left[i])}" for i in named[1:]]
    worst = f"{isolated(summary.classes[named[0]])} is still {percent(left[named[0]])} unexplained"
    text = ", ".join([worst, *shares])
    others = len(left) - len(named)
    if not others:
        return f"{text}."
    rest = left[order[len(named) :]].max()
    whose = "the other class" if others == 1 else f"each of the {others} other classes"
    return f"{text}; {whose} at most {percent(rest)}."


def percent(share: float) -> str:
    """Return a share as a whole percentage that hides neither a little nor almost all."""
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{share * 100:.0f} %"
