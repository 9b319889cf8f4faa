"""The methods of the paper, and readings that the paper leaves open.

One of these is the score of a linear program without a solution: if only one candidate is
informative about a label, its super-efficiency is infinite, and it wins. An implementation that
takes the solver's return value unchecked may treat it as zero, so that it loses (`FiniteRadial`).
The other questions are options of `DEACS`, or column types of the data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

import deacs
from deacs.exceptions import InputError
from deacs.selection.blocks import Blocks
from deacs.selection.criteria import OneVsRest
from deacs.selection.judges import Radial
from deacs.selection.methods import METHODS, make_selector

__all__ = ["PAPER_METHODS", "VARIANTS", "FiniteRadial", "known_methods"]

Floats = NDArray[np.float64]


class FiniteRadial(Radial):
    """Super-efficiency, with 0 instead of infinity."""

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest finite super-efficiency, and its super-efficiency."""
        return super(Radial, self).best(R, x)

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the super-efficiency of one row, 0 if infinite."""
        return float(self.scores(R, x)[row])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the super-efficiency of every row, 0 if infinite."""
        theta = super().scores(R, x)
        return np.where(np.isinf(theta), 0.0, theta)


PAPER: dict[str, Any] = {
    name: getattr(deacs.DEACS.published(), name)
    for name in ("discretizer", "label_score", "conditioning", "judge")
}
"""The parameters of `DEACS.published`."""

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "dea-cs": ("DEACS", PAPER),
    "relieff-paper": ("ReliefF", {"n_neighbors": 5, "n_samples": 30, "random_state": 0}),
    "dea-cs-last": ("DEACS", PAPER | {"judge": Radial(tie_break="last")}),
    "dea-cs-divergence": ("DEACS", PAPER | {"label_score": "divergence"}),
    "dea-cs-sum": ("DEACS", PAPER | {"judge": "sum"}),
    "dea-cs-ignore": ("DEACS", PAPER | {"missing": "ignore"}),
    "dea-cs-finite": ("DEACS", PAPER | {"judge": FiniteRadial()}),
    "dea-cs-jmi": ("DEACS", PAPER | {"conditioning": "jmi"}),
    "dea-cs-cmim": ("DEACS", PAPER | {"conditioning": "cmim"}),
    "dea-cs-blocks": ("DEACS", PAPER | {"conditioning": Blocks(min_group_size=5, caution=1)}),
    "dea-cs-excess": (
        "DEACS",
        {
            "discretizer": "mdlp",
            "conditioning": Blocks(min_group_size=10, caution=1),
            "label_score": OneVsRest(estimator="excess"),
            "judge": "sum",
        },
    ),
}
"""Methods with other parameters: the method of the paper, its ReliefF, readings that the paper
leaves open, and DEA-CS conditioned on only some of the selected features, for few rows."""

PAPER_METHODS: tuple[str, ...] = ("dea-cs", "deafs", "mrmr", "disr", "relieff-paper", "mim")
"""The methods of the paper's Table 2, in its order."""


def known_methods(methods: Iterable[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return `{name: selector}` for names, or for a mapping of the caller's own selectors."""
    if isinstance(methods, Mapping):
        return dict(methods)
    return {name: _selector(name) for name in methods}


def _selector(name: str) -> Any:
    if name in VARIANTS:
        selector, parameters = VARIANTS[name]
        return getattr(deacs, selector)(**deepcopy(parameters))
    if name not in METHODS:
        known = ", ".join([*METHODS, *VARIANTS])
        raise InputError(f"methods must name selectors, got {name!r}; known names are {known}")
    return make_selector(name)
