"""Information measures of discrete data, in bits, from exact counts."""

from deacs.information.bias import (
    ESTIMATORS,
    Estimator,
    bits_by_chance,
    read_estimator,
    values_counted,
)
from deacs.information.conditioning import Conditioning
from deacs.information.counting import LabelScore, ScoreKind
from deacs.information.joint import JointValues, groups_given, joint_codes, rows_counted
from deacs.information.measures import (
    conditional_mutual_information,
    divergence,
    entropy,
    label_scores,
    local_mutual_information,
    mutual_information,
)
from deacs.information.order import OrderConditioning
from deacs.information.pairs import PairInformation, Pairs

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
    "conditional_mutual_information",
    "divergence",
    "entropy",
    "groups_given",
    "joint_codes",
    "label_scores",
    "local_mutual_information",
    "mutual_information",
    "read_estimator",
    "rows_counted",
    "values_counted",
]
