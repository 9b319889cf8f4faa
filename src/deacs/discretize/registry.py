"""The registry of discretisers by name.

Every function of one takes typed columns, labels, weights and threads, and returns one ascending
array of cut points for each column. The registry does not import any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    from deacs.discretize.cuts import CutPoints, OnCut
    from deacs.tables import Column, Labels, Weights

__all__ = ["DISCRETIZERS", "Discretizer", "find_discretizer", "register_discretizer"]


FALLBACK_BINS = 3
"""The intervals of "auto" for a column that MDLP leaves uncut."""


@dataclass(frozen=True)
class Discretizer:
    """A method to place cut points.

    Attributes
    ----------
    name : str
        Its name for `discretizer=` and `--discretizer`.
    title : str
        Its name in documentation.
    find : callable
        `find(columns, labels, n_jobs=..., weights=...)` returns the cut points of each column.
    needs_classes : bool
        Whether cut points depend on the classes.
    fallback_bins : int
        Into how many intervals of equal frequency it cuts a column that the classes give no cut.
    reports : bool
        Whether `find` also takes `on_cut`, and calls it with all columns, a few at a time, once
        they are sorted and cut (`deacs.discretize.cuts.CutColumns`).
    """

    name: str
    title: str
    find: Callable[..., CutPoints]
    needs_classes: bool = False
    fallback_bins: int = 1
    reports: bool = False

    def __call__(
        self,
        columns: Sequence[Column],
        labels: Labels | None,
        n_jobs: int | None = None,
        weights: Weights | None = None,
        *,
        on_cut: OnCut | None = None,
    ) -> CutPoints:
        """Return the cut points of each column."""
        more: dict[str, Any] = {"on_cut": on_cut} if self.reports else {}
        return self.find(columns, labels, n_jobs=n_jobs, weights=weights, **more)


DISCRETIZERS: dict[str, Discretizer] = {}
"""All discretisers, by name."""


def register_discretizer(discretizer: Discretizer) -> Discretizer:
    """Register a discretiser by name, for Python and the command line.

    Parameters
    ----------
    discretizer : Discretizer
        Its name must be new.

    Examples
    --------
    >>> import numpy as np
    >>> from deacs import encode
    >>> from deacs.discretize import DISCRETIZERS, Discretizer, register_discretizer
    >>> def at_zero(columns, labels, n_jobs=None, weights=None):
    ...     return [np.array([0.0]) for _ in columns]
    >>> _ = register_discretizer(Discretizer("sign", "The sign", at_zero))
    >>> encode(np.array([[-1.5], [2.5]]), [0, 1], discretizer="sign").column(0).tolist()
    [0, 1]
    >>> _ = DISCRETIZERS.pop("sign")
    """
    if discretizer.name in DISCRETIZERS:
        raise InputError(
            f"discretizers must have different names, got {discretizer.name!r} again; choose "
            "another name"
        )
    DISCRETIZERS[discretizer.name] = discretizer
    return discretizer


def find_discretizer(name: Any) -> Discretizer:
    """Return a discretiser by name; InputError lists those there are."""
    if name not in DISCRETIZERS:
        raise InputError(
            Parameter("discretizer"),
            f" must be one of {', '.join(DISCRETIZERS)}, a transformer or None, got {name!r}",
            accepted=tuple(DISCRETIZERS),
        )
    return DISCRETIZERS[name]


def _in_cuts(function: str, **fixed: Any) -> Callable[..., CutPoints]:
    """Return a function of `deacs.discretize.cuts`, which is loaded when it is called."""

    def find(*arguments: Any, **named: Any) -> CutPoints:
        found = getattr(import_module("deacs.discretize.cuts"), function)
        cut_points: CutPoints = found(*arguments, **fixed, **named)
        return cut_points

    return find


for _known in (
    Discretizer(
        "mdlp",
        "MDLP (Fayyad and Irani)",
        _in_cuts("mdlp_cut_points"),
        needs_classes=True,
        reports=True,
    ),
    Discretizer("equal-width", "Equal width", _in_cuts("equal_width_cut_points")),
    Discretizer("equal-frequency", "Equal frequency", _in_cuts("equal_frequency_cut_points")),
    # MDLP cuts a column only if it is informative about the classes by itself; what it says
    # together with others is then lost. Three intervals keep it, at the price of noise.
    Discretizer(
        "auto",
        "MDLP; equal frequency where it makes no cut",
        _in_cuts("mdlp_cut_points", fallback_bins=FALLBACK_BINS),
        needs_classes=True,
        fallback_bins=FALLBACK_BINS,
        reports=True,
    ),
):
    register_discretizer(_known)
