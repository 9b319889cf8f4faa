"""Hypothesis strategies: small coded tables with ties, duplicates, constants and empty cells."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def coded_tables(draw, max_rows=40, max_features=6, max_labels=4):
    """Columns (lists of ints) and labels with at least two classes."""
    n_rows = draw(st.integers(2, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_labels = draw(st.integers(2, max_labels))
    y = rng.integers(0, n_labels, n_rows)
    y[:2] = 0, 1
    columns = []
    for _ in range(draw(st.integers(1, max_features))):
        source = draw(st.sampled_from(["noise", "noisy label", "constant", "copy"]))
        if source == "copy" and columns:
            columns.append(columns[-1])
        elif source == "constant":
            columns.append([0] * n_rows)
        elif source == "noisy label":
            flip = rng.random(n_rows) < 0.4
            columns.append(np.where(flip, rng.integers(0, 3, n_rows), y).tolist())
        else:
            columns.append(rng.integers(0, draw(st.integers(1, 5)), n_rows).tolist())
    return columns, y.tolist()
