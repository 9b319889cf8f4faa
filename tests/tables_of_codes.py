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


@st.composite
def labelled_tables(draw, max_rows=30, max_features=5, max_labels=4):
    """Columns (lists of ints) and sets of labels, each label in some rows and not in all."""
    columns, y = draw(coded_tables(max_rows, max_features))
    n_labels = draw(st.integers(1, max_labels))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    has = rng.random((len(y), n_labels)) < rng.uniform(0.1, 0.9, n_labels)
    for i in range(n_labels):
        source = draw(st.sampled_from(["noise", "noisy column", "of a class"]))
        if source == "noisy column":
            column = np.array(columns[draw(st.integers(0, len(columns) - 1))])
            has[:, i] = np.where(rng.random(len(y)) < 0.3, has[:, i], column > 0)
        elif source == "of a class":
            has[:, i] = np.array(y) == 0
        has[0, i], has[1, i] = True, False
    return columns, [set(np.flatnonzero(row).tolist()) for row in has]
