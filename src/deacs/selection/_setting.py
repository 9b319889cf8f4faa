"""How DEA-CS selects, as one value: the estimator, the command line and experiments pass it on."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, cast

from deacs.coding import CodedTable
from deacs.information import read_estimator
from deacs.selection._blocks import read_conditioning
from deacs.selection._criteria import Criterion
from deacs.selection._engine import (
    Engine,
    OrderedCounts,
    check_capabilities,
    engine_of,
    open_counts,
)
from deacs.selection._judges import Judge, Radial, read_judge
from deacs.selection._label_scores import LabelScores, read_label_score
from deacs.selection._loop import Path
from deacs.selection._select import Progress, select
from deacs.selection._stopping import read_stop
from deacs.selection._two_views import TwoViewCriterion

__all__ = ["PUBLISHED", "Setting", "dea_cs", "label_criterion"]

logger = logging.getLogger("deacs")


@dataclass(frozen=True)
class Setting:
    """The options of a selection, with their defaults; see `DEACS` for what they mean."""

    n_features_to_select: Any = None
    label_score: Any = "two-views"
    conditioning: Any = "blocks"
    judge: Any = "bounded"
    stop: Any = None
    costs: Any = None
    include: Any = None
    store_candidates: bool = False


PUBLISHED: dict[str, Any] = {
    "label_score": "one-vs-rest",
    "conditioning": "joint",
    "judge": "radial",
}
"""The options that make it the method of the paper."""


def dea_cs(
    data: CodedTable,
    setting: Setting | None = None,
    *,
    engine: Engine | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Select features of coded data.

    Parameters
    ----------
    data : CodedTable
        The table.
    setting : Setting, optional
        How to select; `Setting(**PUBLISHED)` is the method of the paper.
    engine, n_jobs, progress
        As in `DEACS`.
    """
    setting = setting or Setting()
    scores, judge = read_label_score(setting.label_score), read_judge(setting.judge)
    criterion = label_criterion(data, setting, engine=engine, n_jobs=n_jobs)
    path = select(
        data,
        criterion,
        judge.given(data.classes, criterion.residual()),
        n_features_to_select=setting.n_features_to_select,
        include=setting.include,
        stop=read_stop(setting.stop, setting.n_features_to_select),
        costs=setting.costs,
        store_candidates=setting.store_candidates,
        n_jobs=n_jobs,
        progress=progress,
    )
    path.notes = _notes(path, data, scores, judge, has_costs=setting.costs is not None)
    for note in path.notes:
        logger.info(note)
    return path


def label_criterion(
    data: CodedTable,
    setting: Setting,
    *,
    engine: Engine | None = None,
    n_jobs: int | None = None,
) -> Criterion:
    """Return the label scores of a setting, with S empty."""
    scores = read_label_score(setting.label_score)
    estimator = read_estimator(scores.estimator)
    engine = engine or engine_of(data)
    check_capabilities(engine, estimator=estimator, order=scores.order)
    counts = open_counts(data, engine, scores.kind, n_jobs, estimator)
    criterion = read_conditioning(setting.conditioning).criterion(counts)
    if not scores.order:
        return criterion
    return TwoViewCriterion(criterion, cast(OrderedCounts, counts).order(), counts)


def _notes(
    path: Path, data: CodedTable, scores: LabelScores, judge: Judge, *, has_costs: bool
) -> list[str]:
    notes = []
    if not path.steps:
        notes.append(
            "No feature is significant, so none was selected."
            if path.stop_reason == "not significant"
            else "No feature is informative about the classes, so none was selected."
        )
    # Two classes are one variable: theta is a ratio of bits then, as the plain sum is.
    is_a_ratio = data.n_classes == 2 and scores.kind == "one-vs-rest" and not has_costs
    is_free = isinstance(judge, Radial) and judge.weight_ratio is None
    enough = 3 * (data.n_classes + 1)
    crowded = [step.n_competitors < enough for step in path.steps]
    if is_free and not is_a_ratio and any(crowded):
        notes.append(
            f"From step {crowded.index(True) + 1} on fewer than {enough} candidates compete (three "
            f"for each of the {data.n_classes} labels and the input): by DEA's rule of thumb theta "
            "then separates them weakly; judge='sum' is an alternative."
        )
    return notes
