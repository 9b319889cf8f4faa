"""Notebook display of a fitted selector: its first selected features."""

from typing import Any

from deacs._html import html_table
from deacs.selection.result import Result, tenths

__all__ = ["selection_table"]

MOST_CLASSES = 2
"""The most classes named for a feature."""


def selection_table(result: Result) -> str:
    """Return the first selected features as an HTML table, with scores and best classes."""
    n_selected = result.n_selected
    columns: dict[str, Any] = {
        "rank": range(1, n_selected + 1),
        "feature": result.selected_names,
        result.score_name: result.scores.tolist(),
    }
    if result.p_values is not None:
        columns["p"] = map(result.p_text, range(n_selected))
    held_out = result.held_out if result.is_held_out else None
    if held_out is not None:
        columns["adds"] = map(tenths, held_out.gain / held_out.loss)
        columns["again"] = (f"{n}/{held_out.n_refits}" for n in held_out.chosen)
    if result.has_label_scores:
        bits = result.label_scores
        most = 1 if result.is_shared(bits) else MOST_CLASSES
        columns["most informative about (bits)"] = (
            _most_informed(result, one, step, most) for step, one in enumerate(bits)
        )
    things = "groups of features" if result.is_grouped else "features"
    caption = f"{n_selected} of {result.n_features:,} {things}. Stopped: {result.ending}."
    if held_out is not None:
        left = tenths(held_out.left[-1])
        r2 = "" if held_out.r2 is None else f"R² {held_out.r2[-1]:.2f}. "
        caption = f"{r2}{caption} A selection like this leaves {left} unexplained in new rows."
    return html_table(caption, columns, n_selected)


def _most_informed(result: Result, bits: Any, step: int, most: int) -> str:
    about = result.most_informed(bits, step)
    named = ", ".join(
        f"{name[:30]}{sign and ' '}{sign}: {text}" for name, sign, text in about[:most]
    )
    more = f", {len(about) - most} more" if len(about) > most > 1 else ""
    return f"{named}{more}" or "none"
