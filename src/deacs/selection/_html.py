"""Notebook display of a fitted selector: its first selected features."""

from typing import Any

import numpy as np

from deacs._html import html_table
from deacs.selection._p_values import p_text

__all__ = ["selection_table"]


def selection_table(selector: Any) -> str:
    """Return the first selected features as an HTML table: rank, name, score and best class."""
    n_selected = len(selector.ranking_)
    columns: dict[str, Any] = {
        "rank": range(1, n_selected + 1),
        "feature": selector.selected_names_,
        "score": selector.scores_.tolist(),
    }
    if hasattr(selector, "p_values_"):
        p_values = zip(selector.p_values_.tolist(), selector.p_is_bound_.tolist(), strict=True)
        columns["p"] = [p_text(p, is_bound) for p, is_bound in p_values]
    if hasattr(selector, "label_scores_"):
        columns["serves most"] = [
            _served(bits, selector.classes_) for bits in selector.label_scores_
        ]
    caption = f"{n_selected} of {selector.n_features_in_} features, ended: {selector.stop_reason_}"
    return html_table(caption, columns, n_selected)


def _served(bits: Any, classes: Any) -> str:
    best = int(np.argmax(bits))
    if not bits.any():
        return "none"
    if len(bits) == 2 and bits[0] == bits[1]:
        return f"both classes ({bits[best]:.3g} bits)"
    return f"{str(classes[best])[:30]} ({bits[best]:.3g} bits)"
