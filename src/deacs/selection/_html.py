"""Notebook display of a fitted selector: its first selected features."""

from typing import Any

from deacs._html import html_table
from deacs.selection.outcome import Outcome, bits_text, tenths

__all__ = ["selection_table"]

MOST_CLASSES = 2
"""The most classes named for a feature."""


def selection_table(outcome: Outcome) -> str:
    """Return the first selected features as an HTML table, with scores and best classes."""
    n_selected = outcome.n_selected
    columns: dict[str, Any] = {
        "rank": range(1, n_selected + 1),
        "feature": outcome.selected_names,
        outcome.score_name: outcome.scores.tolist(),
    }
    if outcome.p_values is not None:
        columns["p"] = map(outcome.p_text, range(n_selected))
    held_out = None
    if outcome.fitted is not None and outcome.fitted.held_out is not None:
        held_out = outcome.fitted.held_out() if outcome.fitted.is_held_out else None
    if held_out is not None:
        columns["adds"] = map(tenths, held_out.gain / held_out.loss)
        columns["again"] = (f"{n}/{held_out.n_refits}" for n in held_out.chosen)
    if outcome.fitted is not None:
        bits = outcome.fitted.label_scores
        if outcome.is_shared(bits):
            columns["bits"] = map(bits_text, bits[:, 0])
        else:
            columns["most informative about (bits)"] = (
                _most_informed(outcome, one) for one in bits
            )
    things = "groups of features" if outcome.is_grouped else "features"
    caption = f"{n_selected} of {outcome.n_features:,} {things}. Stopped: {outcome.ending}."
    if held_out is not None:
        left = tenths(held_out.left[-1])
        r2 = "" if held_out.r2 is None else f"R² {held_out.r2[-1]:.2f}. "
        caption = f"{r2}{caption} A selection like this leaves {left} unexplained in new rows."
    return html_table(caption, columns, n_selected)


def _most_informed(outcome: Outcome, bits: Any) -> str:
    about = outcome.most_informed(bits)
    named = ", ".join(f"{name[:30]}: {text}" for name, text in about[:MOST_CLASSES])
    more = f", {len(about) - MOST_CLASSES} more" if len(about) > MOST_CLASSES else ""
    return f"{named}{more}" or "none"
