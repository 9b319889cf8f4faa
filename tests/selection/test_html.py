"""Selectors and results in a notebook: a compact table, not a dump."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from deacs import DEACS, JMI
from deacs.dea import ccr


def test_a_fitted_selector_shows_what_it_selected():
    X, y = load_wine(return_X_y=True, as_frame=True)
    for selector in (DEACS.published(3), JMI(3)):
        shown = selector.fit(X, y)._repr_html_()
        for name in selector.selected_names_:
            assert name in shown
        assert len(shown) < 50_000


def test_names_are_shown_as_text():
    X = pd.DataFrame({"<script>alert(1)</script>": [0, 1] * 20, "b": np.arange(40) % 3})
    shown = DEACS.published().fit(X, [0, 1] * 20)._repr_html_()
    assert "<script>alert(1)" not in shown
    assert "&lt;script&gt;alert(1)" in shown


def test_a_dea_result_shows_scores_and_status():
    shown = ccr([2, 3, 4], [1, 3, 2], names=["a&b", "c", "d"])._repr_html_()
    assert "a&amp;b" in shown
    assert "efficient" in shown
