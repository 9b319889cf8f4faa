"""Selectors on resamples of the rows: which rows, and what is selected there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.utils import check_random_state

from deacs.exceptions import IdentifierWarning, InputError
from deacs.greedy.stopping import STOPS, included_features, read_stop
from deacs.kernels.threads import map_blocks
from deacs.selection._some_rows import Rows, SomeRows

__all__ = ["SAMPLINGS", "Sampling", "each", "places_on_resamples", "seeding"]

Sampling = Literal["pairs", "halves", "bootstrap"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)

A_FIT = 1e9
"""Nanoseconds; a fit is always worth a thread."""


def places_on_resamples(
    selector: Any,
    table: SomeRows,
    *,
    sampling: Sampling,
    n_resamples: int,
    random_state: Any,
    n_jobs: int | None,
    skip_constants: bool = False,
) -> NDArray[np.int32]:
    """Select on resamples; return each feature's place in the ranking, -1 where it was left out.

    Parameters
    ----------
    selector : a selector
        Cloned for every resample.
    table : SomeRows
        The table.
    sampling : {"pairs", "halves", "bootstrap"}
        Halves of the rows, two and two complementary; independent halves; or as many rows as
        there are, drawn with replacement. All keep the classes' shares.
    n_resamples, random_state, n_jobs
        How many, their seed, and on how many threads; the answer does not depend on threads.
    skip_constants : bool
        Whether a column counts as left out that has one value in the resample, unless it is in
        `include`. Ranking criteria select such columns too, the lower one first: always the same.

    Returns
    -------
    ndarray of shape (n_resamples, n_features)
        Nothing is selected on a resample that has one class only.
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
            free = ranking[len(included_features(selector.include, fitted._feature_names, None)) :]
            varying = table.varying(selector, rows, weights, free)
            places[resample, np.setdiff1d(free, varying)] = -1

    each(select, n_resamples, n_jobs)
    return places


def seeding(selector: Any, seed: int) -> dict[str, Any]:
    """Return the parameters that give a seed to all that would draw without one.

    Those are every `random_state` that is None, also of an estimator inside, and the test that
    ends a selection where a word asks for it: `stop="significant"`, `n_features_to_select="auto"`.
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
    """Call `work` for every item, on threads that see the caller's settings of scikit-learn."""
    config = get_config()

    def share(part: slice) -> None:
        with config_context(**config):
            for item in range(part.start, part.stop):
                work(item)

    with warnings.catch_warnings():
        # Fewer rows make more columns look like identifiers; the fit to all rows has its say.
        warnings.simplefilter("ignore", IdentifierWarning)
        map_blocks(share, n_items, n_jobs, A_FIT)


def _drawn(labels: NDArray[np.int32], sampling: Sampling, k: int, seeds: NDArray[Any]) -> Rows:
    """Return the rows of resample k, ascending."""
    if sampling == "bootstrap":
        rng = np.random.default_rng(seeds[k])
        by_class = (np.flatnonzero(labels == label) for label in np.unique(labels))
        return np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in by_class]))
    half = k % 2 if sampling == "pairs" else 0
    rng = np.random.default_rng(seeds[k - half])
    # Dealt out class by class, so that halves differ by one row of a class at most.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    return np.sort(order[half::2][: len(labels) // 2])
