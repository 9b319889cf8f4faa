"""Selectors by the names that the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import deacs
from deacs.exceptions import InputError, Parameter

__all__ = ["METHODS", "make_selector"]

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


def make_selector(name: str, others: Mapping[str, Any] = {}) -> Any:
    """Return a selector by a name in `METHODS`, by `published`, or one of `others`.

    Examples
    --------
    >>> from deacs.selection.methods import make_selector
    >>> make_selector("mrmr")
    MRMR()
    """
    if name in METHODS:
        return getattr(deacs, METHODS[name])()
    if name == "published":
        return deacs.DEACS.published()
    if name in others:
        return others[name]
    known = [*METHODS, "published", *others]
    raise InputError(
        Parameter("methods"),
        f" must name selectors, got {name!r}; known names are {', '.join(known)}",
        accepted=known,
    )
