"""Information of columns that are here, in bits: rows by group of S, pairs of columns, order."""

from deacs.counts.bias import (
    ESTIMATORS,
    Estimator,
    bits_by_chance,
    read_estimator,
    values_counted,
)
from deacs.counts.conditioning import Conditioning
from deacs.counts.counting import LabelScore, ScoreKind
from deacs.counts.joint import JointValues, groups_given, joint_codes, rows_counted
from deacs.counts.order import OrderConditioning
from deacs.counts.pairs import PairInformation, Pairs

__all__ = [
    "ESTIMATORS",
    "Conditioning",
    "Estimator",
    "JointValues",
    "LabelScore",
    "OrderConditioning",
    "PairInformation",
    "Pairs",
    "ScoreKind",
    "bits_by_chance",
    "groups_given",
    "joint_codes",
    "read_estimator",
    "rows_counted",
    "values_counted",
]
