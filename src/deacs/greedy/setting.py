"""The options of DEA-CS as one object, shared by the estimator and the command line."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from deacs.coding import CodedData, CodedTable
from deacs.greedy.blocks import read_conditioning
from deacs.greedy.counts import Counts, open_counts
from deacs.greedy.criteria import Criterion
from deacs.greedy.judges import read_judge
from deacs.greedy.label_scores import read_label_score
from deacs.greedy.loop import Path
from deacs.greedy.notes import notes_of
from deacs.greedy.select import Progress, select
from deacs.greedy.stopping import read_stop
from deacs.greedy.two_views import TwoViewCriterion
from deacs.information import read_estimator

__all__ = ["CODING", "PUBLISHED", "PUBLISHED_CODING", "Setting", "dea_cs", "label_criterion"]

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
"""The options of the method as published."""

CODING: dict[str, Any] = {"discretizer": "auto", "missing": "category"}
"""The coding parameters of `DEACS`."""

PUBLISHED_CODING: dict[str, Any] = {"discretizer": "mdlp"}
"""Coding parameters that differ in the paper."""


def dea_cs(
    data: CodedTable,
    setting: Setting | None = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    begun: Path | None = None,
) -> Path:
    """Select features of coded data.

    Parameters
    ----------
    data : CodedTable
        The table.
    setting : Setting, optional
        How to select; `Setting(**PUBLISHED)` is the method of the paper.
    n_jobs, progress
        As in `DEACS`.
    begun : Path, optional
        The first steps, which are kept.
    """
    setting = setting or Setting()
    judge = read_judge(setting.judge)
    counts = _open(data, setting, n_jobs)
    criterion = _criterion(counts, setting, data)
    two_views = criterion if isinstance(criterion, TwoViewCriterion) else None
    path = select(
        data,
        criterion,
        judge.given(data.outputs, criterion.residual()),
        n_features_to_select=setting.n_features_to_select,
        include=setting.include,
        stop=read_stop(setting.stop, setting.n_features_to_select),
        costs=setting.costs,
        store_candidates=setting.store_candidates,
        n_jobs=n_jobs,
        progress=progress,
        begun=begun,
    )
    if two_views is not None:
        n_begun = 0 if begun is None else len(begun.steps)
        path.views = [*(begun.views if begun else ()), *two_views.selected_views[n_begun:]]
    path.criterion = criterion if _is_light(path, data) else None
    path.notes = notes_of(path, data, setting, counts)
    for note in path.notes:
        logger.info(note)
    return path


def _is_light(path: Path, data: CodedTable) -> bool:
    """Whether a criterion takes less than a quarter of the memory of the codes, by feature."""
    numbers = len(path.steps) + len(path.initial_residual) * (len(path.steps) + 6)
    return isinstance(data, CodedData) and 4 * 8 * numbers <= data.n_rows


def label_criterion(data: CodedTable, setting: Setting, *, n_jobs: int | None = None) -> Criterion:
    """Return the label scores of a setting, with S empty."""
    return _criterion(_open(data, setting, n_jobs), setting, data)


def _open(data: CodedTable, setting: Setting, n_jobs: int | None) -> Counts:
    scores = read_label_score(setting.label_score)
    return open_counts(data, scores.kind, n_jobs, read_estimator(scores.estimator))


def _criterion(counts: Counts, setting: Setting, data: CodedTable) -> Criterion:
    criterion = read_conditioning(setting.conditioning).criterion(counts)
    if not read_label_score(setting.label_score).order:
        return criterion
    return TwoViewCriterion(criterion, counts.order(), counts, data)
