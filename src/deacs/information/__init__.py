"""Information measures of discrete data, in bits, by exact counts."""

from deacs.information.conditioning import Conditioning, LabelScore
from deacs.information.measures import (
    conditional_mutual_information,
    divergence,
    entropy,
    label_scores,
    local_mutual_information,
    mutual_information,
)

__all__ = [
    "Conditioning",
    "LabelScore",
    "conditional_mutual_information",
    "divergence",
    "entropy",
    "label_scores",
    "local_mutual_information",
    "mutual_information",
]
