"""From wishes to path: what the estimators and the command line both call."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deacs.coding import CodedTable
from deacs.selection._criteria import Criterion
from deacs.selection._judges import Judge
from deacs.selection._loop import Path, Step, select_greedily
from deacs.selection._wishes import included_features, is_auto, n_features_wanted

if TYPE_CHECKING:
    from deacs.selection._significance import Significance

__all__ = ["Progress", "ending_test", "select"]

Progress = Callable[[int, str], None]
"""Called with the number of features selected so far and the name of the newest."""


def select(
    data: CodedTable,
    criterion: Criterion,
    judge: Judge,
    *,
    n_features_to_select: Any = None,
    include: Any = None,
    progress: Progress | None = None,
    **how: Any,
) -> Path:
    """Select features of coded data; the parameters are those of the selectors."""
    ends_by_test = is_auto(n_features_to_select) and how.get("significance") is not None
    n_wanted = None if ends_by_test else n_features_wanted(n_features_to_select, data.n_features)
    n_done = 0

    def on_step(step: Step) -> None:
        nonlocal n_done
        n_done += 1
        if progress is not None:
            progress(n_done, data.feature_names[step.feature])

    included = included_features(include, data.feature_names, n_wanted)
    return select_greedily(criterion, judge, n_wanted, include=included, on_step=on_step, **how)


def ending_test(
    data: CodedTable,
    n_features_to_select: Any,
    alpha: float,
    n_permutations: int | None,
    random_state: Any,
    n_jobs: int | None,
) -> "Significance | None":
    """Return the test that ends a selection, if as many features are wanted as are significant."""
    if not is_auto(n_features_to_select):
        return None
    from deacs.selection._significance import Significance

    return Significance(data, alpha, n_permutations, random_state, n_jobs)
