"""Data envelopment analysis: the efficiency with which units turn inputs into outputs."""

from collections.abc import Callable
from typing import get_args

from deacs.dea.best_unit import Winner, best_unit, score_of
from deacs.dea.cross_efficiency import cross_efficiency
from deacs.dea.directional_distance import directional_distance
from deacs.dea.radial import bcc, ccr, super_efficiency
from deacs.dea.result import STATUSES, DEAResult, Multipliers
from deacs.dea.sbm import SlackOrientation, sbm, super_sbm
from deacs.dea.slack_models import additive, bam, ram
from deacs.dea.technology import ReturnsToScale

__all__ = [
    "MODELS",
    "ORIENTATIONS",
    "RETURNS_TO_SCALE",
    "STATUSES",
    "DEAResult",
    "Multipliers",
    "Winner",
    "additive",
    "bam",
    "bcc",
    "best_unit",
    "ccr",
    "cross_efficiency",
    "directional_distance",
    "ram",
    "sbm",
    "score_of",
    "super_efficiency",
    "super_sbm",
]

MODELS: dict[str, Callable[..., DEAResult]] = {
    model.__name__.replace("_", "-"): model
    for model in (
        ccr,
        bcc,
        super_efficiency,
        additive,
        sbm,
        super_sbm,
        ram,
        bam,
        directional_distance,
        cross_efficiency,
    )
}
"""The models by name; their signatures show which options they have."""

RETURNS_TO_SCALE: tuple[str, ...] = get_args(ReturnsToScale)
"""Constant, variable, non-increasing, non-decreasing."""

ORIENTATIONS: tuple[str, ...] = get_args(SlackOrientation)
"""All orientations; radial models need one of the last two."""
