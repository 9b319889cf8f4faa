"""Build a criterion, a judge and stopping rules into one greedy selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from deacs.coding import CodedTable
from deacs.greedy.choosers import (
    BeyondChance,
    ByJudge,
    Chooser,
    Included,
    Round,
    Significantly,
    WithinBudget,
)
from deacs.greedy.costs import read_budget, read_costs, read_prices
from deacs.greedy.criteria import Criterion, OpenEnded, Ranked, Sequential
from deacs.greedy.judges import Largest, SettledJudge
from deacs.greedy.loop import CandidateTable, Path, select_greedily, select_ranked
from deacs.greedy.stopping import Significant, included_features, n_features_wanted

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
    open_ended: OpenEnded | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    begun: Path | None = None,
) -> Path:
    """Select features of coded data; the parameters are those of the selectors.

    `open_ended` is the criterion again if its scores are seldom zero: without a number of features
    or a test, the selection then ends at the first step in which no candidate outscores chance.
    `begun` holds the first steps, which are kept.
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
    if n_wanted is None and stop is None and open_ended is not None:
        choose = BeyondChance(choose, open_ended)
    if stop is not None:
        test = stop.test(data, n_jobs, by_rank=isinstance(criterion, Ranked))
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

    on_round = keep if store_candidates else None
    is_plain = choose is judged and isinstance(judge, Largest) and not (done or tables or asked)
    if isinstance(criterion, Sequential) and is_plain and on_round is None:
        path = select_ranked(criterion, n_wanted, None if progress is None else tell)
    else:
        on_step = None if progress is None else (lambda step: tell(step.feature))
        path = select_greedily(
            criterion, choose, n_wanted, done, on_round=on_round, on_step=on_step
        )
    path.candidate_tables = tables
    return path
