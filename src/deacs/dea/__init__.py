"""Data envelopment analysis: how efficient each unit is at turning inputs into outputs."""

from deacs.dea.additive import additive
from deacs.dea.bam import bam
from deacs.dea.bcc import bcc
from deacs.dea.best_unit import Winner, best_unit, score_of
from deacs.dea.ccr import ccr
from deacs.dea.cross_efficiency import cross_efficiency
from deacs.dea.directional_distance import directional_distance
from deacs.dea.ram import ram
from deacs.dea.result import STATUSES, DEAResult, Multipliers
from deacs.dea.sbm import sbm
from deacs.dea.super_efficiency import super_efficiency
from deacs.dea.super_sbm import super_sbm

__all__ = [
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
