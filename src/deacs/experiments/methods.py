"""Selectors by name, for experiments and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import deacs
from deacs.exceptions import InputError, InPython, Parameter
from deacs.experiments.readings import FiniteRadial
from deacs.greedy.blocks import Blocks
from deacs.greedy.judges import Radial
from deacs.greedy.label_scores import OneVsRest
from deacs.greedy.setting import PUBLISHED, PUBLISHED_CODING

__all__ = ["BASELINES", "METHODS", "PAPER_METHODS", "VARIANTS", "known_methods", "make_selector"]

METHODS: dict[str, str] = {
    "deacs": "DEACS",
    "cmi": "CMI",
    "mrmr": "MRMR",
    "jmi": "JMI",
    "jmim": "JMIM",
    "njmim": "NJMIM",
    "disr": "DISR",
    "cmim": "CMIM",
    "icap": "ICAP",
    "cife": "CIFE",
    "mim": "MIM",
    "mifs": "MIFS",
    "mifs-u": "MIFSU",
    "symmetrical-uncertainty": "SymmetricalUncertainty",
    "fcbf": "FCBF",
    "cfs": "CFS",
    "relieff": "ReliefF",
    "rrelieff": "RReliefF",
    "multisurf": "MultiSURF",
    "deafs": "DEAFS",
    "best": "SelectorCV",
}
"""The class of each method, with its default parameters."""

PAPER: dict[str, Any] = PUBLISHED_CODING | PUBLISHED
"""The parameters of `DEACS.published`."""

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "published": ("DEACS", PAPER),
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

BASELINES: dict[str, str] = {"f-test": "FTest", "all": "AllFeatures"}
"""What methods are compared with; see `deacs.experiments.baselines`."""

PAPER_METHODS: tuple[str, ...] = ("dea-cs", "deafs", "mrmr", "disr", "relieff-paper", "mim")
"""The methods of the paper's Table 2, in its order."""


def make_selector(name: str) -> Any:
    """Return a selector by its name.

    Parameters
    ----------
    name : str
        A name in `METHODS`, `VARIANTS` or `BASELINES`.

    Examples
    --------
    >>> from deacs.experiments import make_selector
    >>> make_selector("relieff-paper")
    ReliefF(n_neighbors=5, n_samples=30, random_state=0)
    """
    if name in METHODS:
        return getattr(deacs, METHODS[name])()
    if name in VARIANTS:
        selector, parameters = VARIANTS[name]
        return getattr(deacs, selector)(**deepcopy(parameters))
    if name in BASELINES:
        from deacs.experiments import baselines

        return getattr(baselines, BASELINES[name])()
    known = ", ".join([*METHODS, *VARIANTS, *BASELINES])
    raise InputError(
        Parameter("methods"),
        f" must name selectors, got {name!r}; known names are {known}",
        InPython("; pass selectors of your own as a dict by name"),
    )


def known_methods(methods: str | Iterable[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return `{name: selector}` for names, or for a mapping of the caller's own selectors."""
    if isinstance(methods, Mapping):
        return dict(methods)
    names = [methods] if isinstance(methods, str) else list(methods)
    if not names:
        raise InputError(Parameter("methods"), " must name one selector or more, got none")
    return {name: make_selector(name) for name in names}
