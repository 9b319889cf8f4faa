"""The summary in words that need no statistics."""

import numpy as np

from deacs.report.names import isolated
from deacs.report.stop_reasons import ending
from deacs.report.summary import Summary

__all__ = ["brief_percent", "headline", "percent", "sentences"]

MOST_NAMED = 3
"""Classes that a sentence names."""


def headline(summary: Summary) -> str:
    """Return the one sentence that matters: how many features, and whether they suffice."""
    n, first, total = summary.n_selected, summary.n_telling, summary.data.n_features
    things = "groups of features" if summary.is_grouped else "features"
    if n == 0 or first == 0:
        return (
            f"No {'group' if summary.is_grouped else 'feature'} tells anything about the classes."
        )
    ranked = f"{total:,} ranked" if n == total else f"{n} selected"
    who = f"{n} of {total:,} {things}" if first == n else f"The first {first} of {ranked} {things}"
    if not summary.unexplained.any():
        return f"{who} {_verb('suffice', first)} to tell the classes of these rows apart."
    start, end = summary.residual[0].sum(), summary.residual[-1].sum()
    explained, verb = percent(max(0.0, 1 - end / start)), _verb("explain", first)
    if summary.stop_reason == "exhausted":
        return f"{who} {verb} all that the table can of the classes: {explained}."
    return f"{who} {verb} {explained} of what tells the classes apart."


def _verb(stem: str, n: int) -> str:
    return f"{stem}s" if n == 1 else stem


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
    chosen = {summary.table.feature_names[j] for columns in summary.columns for j in columns}
    suspects = set(summary.identifiers) & chosen
    if suspects:
        named = ", ".join(isolated(name) for name in sorted(suspects)[:MOST_NAMED])
        told.append(
            f"But {named} differs from row to row like an identifier: leave it out and select "
            "again, for it tells nothing about new rows."
        )
    is_all = summary.n_selected == summary.data.n_features
    reason = ending(summary.stop_reason, is_all=is_all)
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
    if rest == 0:
        whose = "the other class" if others == 1 else f"the {others} other classes"
        return f"{text}; nothing is left of {whose}."
    whose = "the other class" if others == 1 else f"each of the {others} other classes"
    return f"{text}; {whose} at most {percent(rest)}."


def percent(share: float) -> str:
    """Return a share as a whole percentage that hides neither a little nor almost all."""
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{share * 100:.0f} %"


def brief_percent(share: float) -> str:
    """Return a percentage for a table, where there is no room for words."""
    return percent(share).replace("less than", "<").replace("more than", ">")
