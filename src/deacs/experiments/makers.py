"""Generated and derived tables: few rows of each class, noise, imputed values.

According to the paper's conclusion, DEA-CS is not suited to tables with few rows and thousands of
columns (such as gene expression): groups of rows that agree on all selected features soon have one
row each. Every random table here has a seed, so it is the same each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Maker", "filled", "made_up", "sample_of"]

Maker = Callable[[], "tuple[pl.DataFrame, NDArray[Any]]"]
"""Returns features and classes."""


def sample_of(name: str, n_per_class: int, seed: int) -> Maker:
    """Return a maker that draws rows of each class from a set of the registry.

    Examples
    --------
    >>> X, y = sample_of("iris", n_per_class=2, seed=0)()
    >>> y.tolist()
    ['setosa', 'setosa', 'versicolor', 'versicolor', 'virginica', 'virginica']
    """

    def draw() -> tuple[pl.DataFrame, NDArray[Any]]:
        from deacs.experiments.datasets import load_dataset

        whole, rng = load_dataset(name), np.random.default_rng(seed)
        rows = np.concatenate([
            np.sort(rng.permutation(np.flatnonzero(whole.labels == label))[:n_per_class])
            for label in range(len(whole.classes))
        ])  # fmt: skip
        return whole.X[rows], whole.classes[whole.labels[rows]]

    return draw


def made_up(n_per_class: int, n_columns: int, n_per_signal: int, shift: float, seed: int) -> Maker:
    """Return a maker of three classes, separated by a few columns among much noise.

    All `n_columns` columns are normal with variance 1. `n_per_signal` columns are informative about
    each class: `shift` is added to them in its rows. They come first: `a0`, `a1`, ..., `b0`, ...,
    `c0`, ..., then `noise0`, ...

    Examples
    --------
    >>> X, y = made_up(n_per_class=2, n_columns=5, n_per_signal=1, shift=3.0, seed=0)()
    >>> X.columns, y.tolist()
    (['a0', 'b0', 'c0', 'noise0', 'noise1'], ['a', 'a', 'b', 'b', 'c', 'c'])
    """

    def make() -> tuple[pl.DataFrame, NDArray[Any]]:
        import polars as pl

        classes = np.repeat(np.array(["a", "b", "c"]), n_per_class)
        values = np.random.default_rng(seed).standard_normal((len(classes), n_columns))
        names = [f"{label}{i}" for label in "abc" for i in range(n_per_signal)]
        for j, name in enumerate(names):
            values[classes == name[0], j] += shift
        names += [f"noise{i}" for i in range(n_columns - len(names))]
        return pl.DataFrame(values, schema=names), classes

    return make


def filled(name: str) -> Maker:
    """Return a maker that fills the missing values of a set, as Weka's ReplaceMissingValues does.

    Numbers get the mean of their column, categories the most frequent one.
    """

    def fill() -> tuple[pl.DataFrame, NDArray[Any]]:
        import polars as pl

        from deacs.experiments.datasets import load_dataset

        whole = load_dataset(name)
        columns = [
            column.fill_null(column.drop_nulls().mode().sort()[0])
            if is_discrete
            else column.cast(pl.Float64).fill_null(strategy="mean")
            for column, is_discrete in zip(whole.X, whole.discrete, strict=True)
        ]
        return pl.DataFrame(columns), whole.classes[whole.labels]

    return fill
