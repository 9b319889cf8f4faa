"""Label scores: how informative a candidate is about each label, in bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from deacs.greedy.options import Options, options_class, read_options
from deacs.information import ScoreKind, read_estimator

__all__ = ["LABEL_SCORES", "Divergence", "LabelScores", "OneVsRest", "read_label_score"]


class LabelScores(Options):
    """Base of label scores."""

    kind: ClassVar[ScoreKind]
    estimator: str = "plug-in"
    order: bool = False


@options_class
class OneVsRest(LabelScores):
    """I(F; C_i | S) with C_i = [C = c_i], from counts and optionally from ranks.

    Parameters
    ----------
    estimator : {"plug-in", "miller-madow", "excess"}, default="plug-in"
        How I(F; C_i | S) is estimated: from frequencies, as in the paper, which is biased upwards
        if counts are small; with the Miller-Madow bias correction; or minus its expectation under
        labels shuffled within the groups of S. Never below zero.
    order : bool, default=False
        Whether to take the mean with an estimate from partial correlations of ranks (see
        docs/papers/two-views.md). Counts see dependence of any shape but run out of rows as S
        grows; ranks see only order but do not run out of rows.
    """

    estimator: str = "plug-in"
    order: bool = False
    kind: ClassVar[ScoreKind] = "one-vs-rest"


@options_class
class Divergence(LabelScores):
    """Div(F; c_i | S), which differs between the labels of a two-class problem too."""

    kind: ClassVar[ScoreKind] = "divergence"


LABEL_SCORES: dict[str, Callable[[], LabelScores]] = {
    "two-views": lambda: OneVsRest(estimator="excess", order=True),
    "one-vs-rest": OneVsRest,
    "divergence": Divergence,
}
"""Label scores by name."""


def read_label_score(label_score: Any) -> LabelScores:
    """Read the parameter `label_score`: a name, or an object."""
    found = read_options("label_score", label_score, LABEL_SCORES, LabelScores)
    read_estimator(found.estimator)
    return found
