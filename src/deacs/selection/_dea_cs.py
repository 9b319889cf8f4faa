"""DEA-CS on coded data, from wishes to path; the estimator and the command line both call it."""

import logging
from typing import Any

from deacs.coding import CodedTable
from deacs.exceptions import InputError
from deacs.information import Estimator, LabelScore, read_estimator
from deacs.selection._blocks import Conditioned, label_criterion
from deacs.selection._costs import WithCosts, read_budget, read_costs
from deacs.selection._engine import Engine, open_counts
from deacs.selection._judges import Assured, TieBreak
from deacs.selection._loop import Path
from deacs.selection._priorities import WeightUnit, judge_with_priorities, read_label_weights
from deacs.selection._recommended import RECOMMENDED
from deacs.selection._select import Progress, ending_test, select

__all__ = ["RECOMMENDED", "dea_cs"]

logger = logging.getLogger("deacs")


def dea_cs(
    data: CodedTable,
    *,
    n_features_to_select: Any = None,
    label_score: LabelScore = "one-vs-rest",
    conditioning: Conditioned = "joint",
    min_group_size: float = 5,
    estimator: Estimator = "plug-in",
    judge: str = "radial",
    tie_break: TieBreak = "sum",
    weight_ratio: float | None = None,
    label_weights: Any = None,
    weight_unit: WeightUnit = "bits",
    costs: Any = None,
    budget: Any = None,
    include: Any = None,
    alpha: float = 0.05,
    n_permutations: int | None = None,
    random_state: Any = None,
    store_candidates: bool = False,
    engine: Engine | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Select features; the parameters are those of `DEACS`."""
    counts = open_counts(data, engine, label_score, n_jobs, read_estimator(estimator))
    criterion = label_criterion(counts, conditioning, min_group_size)
    weights = read_label_weights(label_weights, data.classes, criterion.residual(), weight_unit)
    chosen = judge_with_priorities(judge, weight_ratio, weights)
    prices = None if costs is None else read_costs(costs, data.feature_names)
    if isinstance(chosen, Assured) and prices is not None and prices.shape[1] > 1:
        raise InputError(
            f"weight_ratio takes one kind of costs, got {prices.shape[1]}; add them up, or leave "
            "the weights free"
        )
    path = select(
        data,
        criterion,
        chosen if prices is None else WithCosts(chosen),
        n_features_to_select=n_features_to_select,
        include=include,
        progress=progress,
        tie_break=tie_break,
        costs=prices,
        budget=read_budget(budget, prices),
        significance=ending_test(
            data, n_features_to_select, alpha, n_permutations, random_state, n_jobs
        ),
        store_candidates=store_candidates,
    )
    # Two classes are one variable: theta is a ratio of bits then, as the plain sum is.
    is_a_ratio = data.n_classes == 2 and label_score == "one-vs-rest" and prices is None
    path.notes = _notes(path, data.n_classes, "sum" if is_a_ratio else judge)
    for note in path.notes:
        logger.info(note)
    return path


def _notes(path: Path, n_labels: int, judge: str) -> list[str]:
    notes = []
    if not path.steps:
        notes.append(
            "No feature is significant, so none was selected."
            if path.stop_reason == "not significant"
            else "No feature tells anything about the classes, so none was selected."
        )
    enough = 3 * n_labels
    crowded = [step.n_competitors < enough for step in path.steps]
    if judge == "radial" and any(crowded):
        notes.append(
            f"From step {crowded.index(True) + 1} on fewer than {enough} candidates (three times "
            f"the {n_labels} labels) compete: by DEA's rule of thumb theta then tells them apart "
            "weakly; judge='sum' is an alternative."
        )
    return notes
