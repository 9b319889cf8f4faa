"""Fit selectors on resamples of the rows, with seeds that make the results reproducible."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.utils import check_random_state

from deacs.exceptions import InputError, TableWarning
from deacs.greedy.stopping import STOPS, included_features, read_stop
from deacs.kernels.threads import map_blocks
from deacs.selection._row_subsets import Rows, RowSubsets

__all__ = ["SAMPLINGS", "Sampling", "each", "places_on_resamples", "seeding"]

Sampling = Literal["pairs", "halves", "bootstrap"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)

A_FIT = 1e9
"""In nanoseconds; a fit is always worth a thread."""


def places_on_resamples(
    selector: Any,
    table: RowSubsets,
    *,
    sampling: Sampling,
    n_resamples: int,
    random_state: Any,
    n_jobs: int | None,
    skip_constants: bool = False,
) -> NDArray[np.int32]:
    """Select on resamples; return each feature's place in the ranking, -1 if it was not selected.

    Parameters
    ----------
    selector : a selector
        Cloned for every resample.
    table : RowSubsets
        The table.
    sampling : {"pairs", "halves", "bootstrap"}
        Complementary pairs of halves of the rows; independent halves; or as many rows as there
        are, drawn with replacement. All are stratified by class.
    n_resamples, random_state, n_jobs
        Their number, their seed and the number of threads, on which the result does not depend.
    skip_constants : bool
        Whether a column that is constant in the resample counts as not selected, unless it is in
        `include`. Ranking criteria also select such columns, always the lower ones first.

    Returns
    -------
    ndarray of shape (n_resamples, n_features)
        Nothing is selected on a resample with only one class.
    """
    if sampling == "pairs" and n_resamples % 2:
        raise InputError(
            f"n_resamples must be even with sampling='pairs', got {n_resamples}; pairs have two"
        )
    # One seed for the rows and one for the selector, drawn before any thread runs.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=(n_resamples, 2))
    places = np.full((n_resamples, table.n_features), -1, dtype=np.int32)

    rows_to_draw = table.rows_to_draw()
    labels = table.labels.codes[rows_to_draw]

    def select(resample: int) -> None:
        chosen = _drawn(labels, sampling, resample, seeds[:, 0])
        if len(np.unique(labels[chosen])) < 2:
            return
        rows, weights = table.drawn(rows_to_draw[chosen])
        fitted = table.fit(selector, rows, weights, **seeding(selector, int(seeds[resample, 1])))
        ranking = fitted.ranking_
        places[resample, ranking] = np.arange(len(ranking))
        if skip_constants and getattr(selector, "groups", None) is None:
            included = getattr(selector, "include", None)
            free = ranking[len(included_features(included, fitted._feature_names, None)) :]
            varying = table.varying(fitted, rows, weights, free)
            places[resample, np.setdiff1d(free, varying)] = -1

    each(select, n_resamples, n_jobs)
    return places


def seeding(selector: Any, seed: int) -> dict[str, Any]:
    """Return parameters that seed every part of a selector that has no seed.

    These are every `random_state` that is None, also of a nested estimator, and a stopping test
    given by name: `stop="significant"`, `n_features_to_select="auto"`.
    """
    parameters = selector.get_params()
    seeds: dict[str, Any] = {}
    for name, value in parameters.items():
        prefix, _, own = name.rpartition("__")
        number = f"{prefix}__n_features_to_select" if prefix else "n_features_to_select"
        if own == "random_state" and value is None:
            seeds[name] = seed
        elif own == "stop" and (value is None or (isinstance(value, str) and value in STOPS)):
            test = read_stop(value, parameters.get(number))
            if test is not None:
                seeds[name] = test.set_params(random_state=seed)
    return seeds


def each(work: Callable[[int], None], n_items: int, n_jobs: int | None) -> None:
    """Call `work` for every item, on threads that inherit the caller's scikit-learn config."""
    config = get_config()

    def share(part: slice) -> None:
        with config_context(**config):
            for item in range(part.start, part.stop):
                work(item)

    with warnings.catch_warnings():
        # With fewer rows more columns look like identifiers; the fit to all rows has warned.
        warnings.simplefilter("ignore", TableWarning)
        map_blocks(share, n_items, n_jobs, A_FIT)


def _drawn(labels: NDArray[np.int32], sampling: Sampling, k: int, seeds: NDArray[Any]) -> Rows:
    """Return the rows of resample k in ascending order."""
    if sampling == "bootstrap":
        rng = np.random.default_rng(seeds[k])
        by_class = (np.flatnonzero(labels == label) for label in np.unique(labels))
        return np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in by_class]))
    half = k % 2 if sampling == "pairs" else 0
    rng = np.random.default_rng(seeds[k - half])
    # Dealt out class by class, so that halves differ by at most one row of each class.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    return np.sort(order[half::2][: len(labels) // 2])
