"""Build a criterion, a judge and stopping rules into one greedy selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from deacs.coding import CodedTable
from deacs.selection.choosers import (
    BeyondChance,
    ByJudge,
    Chooser,
    Included,
    Round,
    Significantly,
    WithinBudget,
)
from deacs.selection.costs import read_budget, read_costs, read_prices
from deacs.selection.criteria import Criterion
from deacs.selection.judges import SettledJudge
from deacs.selection.loop import STOP_REASON, CandidateTable, Path, Step, select_greedily
from deacs.selection.stopping import Significant, included_features, n_features_wanted
from deacs.selection.ties import ranked

__all__ = ["Progress", "select"]

Progress = Callable[[int, str], None]
"""Called with the number of features selected so far and the name of the newest."""


def select(
    data: CodedTable,
    criterion: Criterion,
    judge: SettledJudge,
    *,
    n_features_to_select: Any = None,
    include: Any = None,
    stop: Significant | None = None,
    costs: Any = None,
    store_candidates: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    begun: Path | None = None,
) -> Path:
    """Select features of coded data; the parameters are those of the selectors.

    Without a number of features or a test, it ends where no candidate outscores chance, if the
    criterion can tell. `begun` holds the first steps, which are kept.
    """
    n_wanted = n_features_wanted(n_features_to_select, data.n_features)
    included = included_features(include, data.feature_names, n_wanted)
    asked = None if costs is None else read_costs(costs)
    prices = None if asked is None else read_prices(asked.prices, data.feature_names)

    done = [] if begun is None else begun.steps
    taken = {step.feature for step in done}
    included = [feature for feature in included if feature not in taken]
    judged = ByJudge(judge, prices)
    choose: Chooser = judged
    if n_wanted is None and stop is None:
        choose = BeyondChance(choose, criterion)
    if stop is not None:
        test = stop.test(data, n_jobs, by_rank=criterion.knows_order)
        choose = Significantly(choose, criterion, test)
    if included:
        choose = Included(choose, judged, criterion, included)
    if asked is not None and prices is not None and asked.budget is not None:
        budget = read_budget(asked.budget, prices)
        choose = WithinBudget(choose, budget, [step.feature for step in done])

    tables: list[CandidateTable] = [] if begun is None else list(begun.candidate_tables)
    n_done = len(done)

    def keep(contest: Round) -> None:
        tables.append(
            CandidateTable(contest.candidates, contest.R, partial(judged.scores, contest))
        )

    def tell(feature: int) -> None:
        nonlocal n_done
        n_done += 1
        if progress is not None:
            progress(n_done, data.feature_names[feature])

    if criterion.is_fixed:
        path = _ranking(criterion, included, n_wanted)
        for step in path.steps if progress is not None else ():
            tell(step.feature)
        return path
    path = select_greedily(
        criterion,
        choose,
        n_wanted,
        done,
        on_round=keep if store_candidates else None,
        on_step=None if progress is None else (lambda step: tell(step.feature)),
    )
    path.candidate_tables = tables
    return path


def _ranking(criterion: Criterion, included: list[int], n_wanted: int | None) -> Path:
    """Return all features by fixed scores: what the loop would select, without its steps."""
    n, nothing = criterion.n_features, criterion.residual()
    scores = criterion.scores(np.arange(n))[:, 0]
    others = np.delete(np.arange(n), included)
    n_others = (n if n_wanted is None else n_wanted) - len(included)
    best = others[ranked(scores[others], n_others)].tolist() if n_others else []
    steps = [
        Step(feature, float(scores[feature]), nothing, nothing, n - place)
        for place, feature in enumerate([*included, *best])
    ]
    return Path(nothing, steps, stop_reason="exhausted" if n_wanted is None else STOP_REASON)
