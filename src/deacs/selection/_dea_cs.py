"""DEA-CS on coded data, from wishes to path; the estimator and the command line both call it."""

import logging
from collections.abc import Callable
from typing import Any

from deacs.coding import CodedData
from deacs.information import LabelScore
from deacs.selection._engine import LocalEngine
from deacs.selection._judges import JUDGES, TieBreak
from deacs.selection._loop import Path, Step, select_greedily
from deacs.selection._wishes import included_features, n_features_wanted

__all__ = ["dea_cs"]

logger = logging.getLogger("deacs")


def dea_cs(
    data: CodedData,
    *,
    n_features_to_select: Any = None,
    label_score: LabelScore = "one-vs-rest",
    judge: str = "radial",
    tie_break: TieBreak = "sum",
    include: Any = None,
    store_candidates: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, str], None] | None = None,
) -> Path:
    """Select features; the parameters are those of `DEACS`."""
    n_wanted = n_features_wanted(n_features_to_select, data.n_features)
    n_done = 0

    def on_step(step: Step) -> None:
        nonlocal n_done
        n_done += 1
        if progress is not None:
            progress(n_done, data.feature_names[step.feature])

    path = select_greedily(
        LocalEngine(data, label_score, n_jobs),
        JUDGES[judge],
        n_wanted,
        include=included_features(include, data.feature_names, n_wanted),
        tie_break=tie_break,
        store_candidates=store_candidates,
        on_step=on_step,
    )
    path.notes = _notes(path, data.n_classes, judge)
    for note in path.notes:
        logger.info(note)
    return path


def _notes(path: Path, n_labels: int, judge: str) -> list[str]:
    notes = []
    if not path.steps:
        notes.append("No feature tells anything about the classes, so none was selected.")
    enough = 3 * n_labels
    crowded = [step.n_competitors < enough for step in path.steps]
    if judge == "radial" and any(crowded):
        notes.append(
            f"From step {crowded.index(True) + 1} on fewer than {enough} candidates (three times "
            f"the {n_labels} labels) compete: by DEA's rule of thumb theta then tells them apart "
            "weakly; judge='sum' is an alternative."
        )
    return notes
