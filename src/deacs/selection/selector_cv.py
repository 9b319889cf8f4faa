r"""SelectorCV: choose a selector and the number of features by cross-validation.

In every fold each selector selects on the training rows, and a classifier trained on its first m
features predicts the held-out rows: the score :math:`a_{kc}` of candidate c, a selector with a
number of features, on fold k. The difference of two candidates over K folds, with mean d and
standard deviation s, has the corrected resampled t-interval

.. math:: d \pm t_{K - 1} \, s \sqrt{1 / K + n_{test} / n_{train}},

because the training rows of the folds overlap.

C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003) 239-281;
G. C. Cawley, N. L. C. Talbot, "On over-fitting in model selection and subsequent selection bias in
performance evaluation", JMLR 11 (2010) 2079-2107.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_union
from sklearn.utils import check_random_state

from deacs.exceptions import InputError, Note, Parameter, TableWarning
from deacs.selection.deacs import DEACS
from deacs.selection.deacs_cv import (
    CrossValidated,
    Rule,
    Split,
    Trial,
    choose,
    ends,
    fewest,
    limit,
    path_scores,
    results,
)
from deacs.selection.filters import CMIM, JMI, MRMR
from deacs.selection.foreign import NUMBERS, ForeignSelector
from deacs.selection.relief import ReliefF, RReliefF
from deacs.selection.row_subsets import RowSubsets, each, seeding, weights_for
from deacs.selection.stopping import n_features_wanted
from deacs.selection.subsets import CFS

__all__ = [
    "NamedSelectors",
    "SelectorCV",
    "choice_notes",
    "comparison",
    "corrected_interval",
    "default_selectors",
    "read_selectors",
]


MOST_DISTANCES = 1e10
"""Rows squared times columns up to which ReliefF is tried by default: about a second per fit."""


class NamedSelectors(BaseEstimator):
    """An estimator with the parameter `selectors`, whose own parameters can be set as well."""

    selectors: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; those of a selector as `selectors__name__parameter`.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include those of selectors and the classifier.
        """
        parameters: dict[str, Any] = super().get_params(deep)
        for name, selector in _by_name(self.selectors).items() if deep else ():
            parameters[f"selectors__{name}"] = selector
            if hasattr(selector, "get_params") and not isinstance(selector, type):
                inner = selector.get_params().items()
                parameters |= {f"selectors__{name}__{key}": value for key, value in inner}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; `selectors__name` replaces a selector.

        Parameters
        ----------
        **parameters : Any
            By name, as `get_params` returns them.
        """
        inner = {key: parameters[key] for key in parameters if key.startswith("selectors__")}
        super().set_params(**{key: parameters[key] for key in parameters if key not in inner})
        for key, value in inner.items():
            name, _, parameter = key.removeprefix("selectors__").partition("__")
            named = _by_name(self.selectors)
            if name not in named:
                raise InputError(
                    Parameter("selectors"), f" has no {name!r}; it has {', '.join(named) or 'none'}"
                )
            if parameter:
                named[name].set_params(**{parameter: value})
            else:
                named[name] = value
                is_dict = isinstance(self.selectors, dict)
                self.selectors = named if is_dict else list(named.values())
        return self


def default_selectors(table: RowSubsets) -> dict[str, Any]:
    """Return the selectors worth trying on a table."""
    chosen: list[Any] = [DEACS(), CFS(), MRMR(), JMI(), CMIM()]
    if table.kind == "numbers":  # fewer rows might look like classes
        chosen = [selector.set_params(target="numbers") for selector in chosen]
    is_small = table.n_rows**2 * table.n_features <= MOST_DISTANCES
    if is_small and table.weights is None:  # ReliefF does not take weights
        if table.kind == "classes":
            chosen.append(ReliefF())
        elif table.kind == "numbers":
            chosen.append(RReliefF(influence=1.0))
    return _named(chosen)


def read_selectors(selectors: Any) -> dict[str, Any]:
    """Return selectors by name; raise an error if any is unsuitable."""
    named = _by_name(selectors)
    if not named:
        raise InputError(
            Parameter("selectors"),
            f" must hold one selector or more, got {selectors!r}; None tries a default list",
        )
    for name, selector in named.items():
        if not isinstance(name, str) or "__" in name:
            raise InputError(
                Parameter("selectors"), f" must be named by words without '__', got {name!r}"
            )
        if isinstance(selector, type) or not (
            hasattr(selector, "fit") and hasattr(selector, "get_params")
        ):
            raise InputError(
                Parameter("selectors"),
                f" must hold selectors, e.g. MRMR(), got {selector!r} as {name!r}",
            )
    return named


def _by_name(selectors: Any) -> dict[str, Any]:
    if isinstance(selectors, dict):
        return dict(selectors)
    return _named(selectors) if isinstance(selectors, list | tuple) else {}


def _named(selectors: Sequence[Any]) -> dict[str, Any]:
    """Return selectors by the names that scikit-learn gives them."""
    return dict(make_union(*selectors).transformer_list)


GRID = (1, 2, 3, 5, 10, 20, 30, 50)
"""Numbers of features tried by default."""


OF_NESTING = ("held_out_score_", "held_out_scores_", "held_out_choices_")
"""Attributes set only with `nested=True`."""


class SelectorCV(NamedSelectors, CrossValidated):
    """Select with the selector and the number of features that score best on held-out rows.

    Parameters
    ----------
    selectors : dict of name to selector, list of selectors or None, default=None
        The candidates: selectors of this library, and any other with `get_support` or `ranking_`,
        such as `SelectKBest()`, `RFE(...)` and `SelectFromModel(...)`.
        In a list they are named after their classes. Parameters are set as
        `selectors__mrmr__include`. None: `DEACS`, `CFS`, `MRMR`, `JMI`, `CMIM` and, if rows are
        few and have no weights, `ReliefF` (`RReliefF` if the target is a number).
    n_features_to_select : int, list of int or None, default=None
        The number of features, or the numbers to try; None: 1, 2, 3, 5, 10, 20, 30 and 50, as far
        as there are more columns. A selector's own number is an upper limit; another library's
        selector is set to each number by its `n_features_to_select`, `k` or `max_features`, or
        is left to choose its own.
    estimator : classifier or regressor, default=None
        Scores the candidates; see `DEACSCV`. None: the mean score of naive Bayes and a tree on the
        values and intervals that the selectors see.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: the number of stratified folds, or a splitter.
    scoring : str, callable or None, default=None
        As in scikit-learn; None: the estimator's own score, accuracy or R2.
    rule : {"one-standard-error", "best"}, default="one-standard-error"
        Take the fewest features within one standard error of the best mean score, or the best.
        Among equal numbers the better mean wins, then the selector named first.
    nested : bool, default=False
        Whether to repeat the whole choice on the training rows of every fold and to score it on the
        test rows: an estimate for new rows, which the scores of candidates are not.
        It multiplies the time by the number of folds.
    random_state : int, RandomState or None, default=None
        The seed of selectors and classifiers that have none of their own.
    n_jobs : int or None, default=None
        Threads over folds and selectors; None means 1, -1 all cores. Results do not depend on it.

    Attributes
    ----------
    best_selector_ : str
        The name of the chosen selector.
    n_features_ : int
        The chosen number of columns, or of groups of columns if the selector has `groups`.
    selector_ : a selector
        The chosen selector, fitted to all rows, with `n_features_` features.
    cv_results_ : dict of ndarray
        `selector`, `n_features`, `mean_test_score`, `std_test_score` and `split0_test_score`, ...,
        an entry for each candidate. The best score is optimistic for new rows, as it was chosen.
    best_index_ : int
        The chosen candidate, as an index into `cv_results_`; -1 if nothing is selected.
    comparison_ : dict of ndarray
        `selector`, `n_features`, `mean_test_score`, `difference`, `low`, `high`, `p_value`: each
        selector with the number that the rule gives it alone, by how much the choice is better,
        and the 95 % interval and p-value of that difference.
    held_out_score_, held_out_scores_ : float, ndarray of shape (n_folds,)
        With `nested=True`: the mean and the scores of choices made without the scored rows.
    held_out_choices_ : list of (str, int)
        With `nested=True`: the choice in each fold.
    notes_ : list of str
        What was tried, how certain the choice is, and other caveats.
    ranking_, scores_, stop_reason_, ...
        Those of `selector_`; `stop_reason_` is "cross-validation" if it could have continued.
    classes_, n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Cut points, selection and classifier use only the training rows of a fold. A selector of this
    library is fitted once per fold for all numbers. See docs/papers/cross-validation.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import JMI, MRMR, SelectorCV
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = SelectorCV([MRMR(), JMI()], [2, 5], rule="best").fit(X, y)
    >>> selector.best_selector_, selector.n_features_
    ('mrmr', 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CrossValidated._parameter_constraints,
        "selectors": [dict, list, tuple, None],
        "n_features_to_select": ["array-like", int, np.integer, None],
        "nested": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        selectors: Any = None,
        n_features_to_select: int | Sequence[int] | None = None,
        *,
        estimator: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        rule: Rule = "one-standard-error",
        nested: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.selectors = selectors
        self.n_features_to_select = n_features_to_select
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.nested = nested
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the selector and the number of features, and select with them on all rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            As the selectors take it; those of other libraries get it unchanged.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts: for the selectors, in the scores, and for the classifier if
            its `fit` takes weights (in a pipeline, for the steps that do).
        """
        self._validate_params()
        self._require_target(X, y)
        if self.nested and isinstance(self.cv, Iterable):
            raise InputError(
                Parameter("cv"),
                " must be an int or a splitter with ",
                Parameter("nested", True),
                ", which splits the training rows of a fold again, got the folds themselves",
            )
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        estimator = _seeded(self.estimator, seed)
        trials = self._trials(X, y, sample_weight, seed)
        splits = self._splits(next(iter(trials.values())).table)
        scores = self._scored(list(trials.values()), splits, estimator)
        names = np.array([name for name, t in trials.items() for _ in t.numbers], dtype=object)
        numbers = np.array([n for t in trials.values() for n in t.numbers], dtype=np.int64)
        self.cv_results_ = results(scores, selector=names, n_features=numbers)
        self.best_index_ = choose(scores, numbers, self.rule) if len(numbers) else -1
        self.best_selector_ = (
            next(iter(trials)) if self.best_index_ < 0 else names[self.best_index_]
        )
        self.n_features_ = 0 if self.best_index_ < 0 else int(numbers[self.best_index_])
        self._fit_chosen(trials[self.best_selector_], X, y, sample_weight)
        self.comparison_ = comparison(self.cv_results_, scores, splits, self.best_index_, self.rule)
        self._forget(*OF_NESTING)
        if self.nested:
            self._repeat(trials, splits, estimator, seed)
        notes = [*choice_notes(self, len(splits)), *self._left_out, *self._path.notes_]
        self._keep(self._path, self.stop_reason_, notes)
        return self

    def _trials(self, X: Any, y: Any, sample_weight: Any, seed: int) -> dict[str, Trial]:
        """Fit every selector to all rows, which reports what is wrong with the table."""
        self._left_out: list[Note] = []
        trials: dict[str, Trial] = {}
        tables: list[tuple[Any, RowSubsets]] = []
        if self.selectors is None:
            table = _table_for(DEACS(), tables, X, y, sample_weight)
            named = default_selectors(table)
        else:
            named = read_selectors(self.selectors)
        for name, given in named.items():
            selector = _seeded(
                given if hasattr(given, "truncate") else ForeignSelector(given), seed
            )
            table = _table_for(selector, tables, X, y, sample_weight)
            try:
                with warnings.catch_warnings():
                    if trials:  # the first one has reported it
                        warnings.simplefilter("ignore", TableWarning)
                    trials[name] = self._trial(name, selector, table, X, y, sample_weight)
            except InputError as error:
                if self.selectors is not None or not trials:
                    raise
                note = Note(f"{name} was not tried: ", *error.parts, ".", kind="left out")
                self._left_out.append(note)
        return trials

    def _trial(
        self, name: str, selector: Any, table: RowSubsets, X: Any, y: Any, sample_weight: Any
    ) -> Trial:
        weights = weights_for(selector, sample_weight)
        wanted = self._wanted(table.n_features)
        selector.set_params(**limit(selector, table.n_features, max(wanted)))
        path = clone(selector).fit(X, y, **weights)
        n_most = len(ends(path))
        if isinstance(selector, ForeignSelector) and not selector.is_path:
            if selector.takes_number:
                numbers = sorted({min(n, n_most) for n in wanted} - {0})
                return Trial(selector, table, path, numbers, is_path=False)
            if self.n_features_to_select is not None and n_most > max(wanted):
                raise InputError(
                    Parameter("selectors"),
                    " must take a number of features where ",
                    Parameter("n_features_to_select"),
                    f" is given, got {name!r}, which selects {n_most} and has no parameter "
                    f"{', '.join(NUMBERS[:-1])} or {NUMBERS[-1]}; leave one of the two out",
                )
            return Trial(selector, table, path, [n_most] if n_most else [], is_path=False)
        least = fewest(path)
        return Trial(
            selector, table, path, sorted({min(max(n, least), n_most) for n in wanted} - {0})
        )

    def _wanted(self, n_features: int) -> list[int]:
        """Return the numbers of features to try."""
        given = self.n_features_to_select
        if given is None:
            return [n for n in GRID if n < n_features] or [1]
        numbers: list[Any] = np.atleast_1d(np.asarray(given, dtype=object)).tolist()
        if not numbers:
            raise InputError(
                Parameter("n_features_to_select"), " must be an int, a list of ints or None, got []"
            )
        for number in numbers:
            if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer):
                raise InputError(
                    Parameter("n_features_to_select"),
                    f" must be an int, a list of ints or None, got {given!r}",
                )
            n_features_wanted(number, n_features)
        return sorted({int(number) for number in numbers})

    def _fit_chosen(self, trial: Trial, X: Any, y: Any, sample_weight: Any) -> None:
        path, n_most = trial.path, max(trial.numbers, default=0)
        if self.n_features_ < n_most and not trial.is_path:
            path = clone(trial.selector).set_params(n_features_to_select=self.n_features_)
            path.fit(X, y, sample_weight=sample_weight)
        elif self.n_features_ < len(ends(path)):
            path = path.truncate(int(ends(path)[self.n_features_ - 1]))
        reason = "cross-validation" if self.n_features_ < n_most else path.stop_reason_
        self._keep(path, reason, path.notes_)

    def _keep(self, path: Any, stop_reason: str, notes: Sequence[Note]) -> None:
        super()._keep(path, stop_reason, notes)
        if isinstance(path, ForeignSelector):
            self.selector_ = path.selector_

    def _repeat(
        self, trials: dict[str, Trial], splits: Sequence[Split], estimator: Any, seed: int
    ) -> None:
        """Repeat the whole choice on the training rows of every fold; score it on the test rows."""
        once = clone(self).set_params(nested=False, random_state=seed, n_jobs=None)
        scores = np.empty(len(splits))
        choices: list[Any] = [None] * len(splits)
        whole = next(iter(trials.values())).table
        if self.selectors is None and whole.kind == "numbers":
            once.set_params(selectors=default_selectors(whole))

        def repeat(fold: int) -> None:
            train, test = splits[fold]
            found = whole.fit(once, train, whole.weights_of(train))
            choices[fold] = found.best_selector_, found.n_features_
            scores[fold] = path_scores(
                trials[found.best_selector_].table,
                found._path,
                train,
                test,
                numbers=[found.n_features_],
                estimator=estimator,
                scoring=self.scoring,
            )[0]

        each(repeat, len(splits), self.n_jobs)
        self.held_out_scores_, self.held_out_choices_ = scores, choices
        self.held_out_score_ = float(scores.mean())

    def __getattr__(self, name: str) -> Any:
        """Return fitted attributes of the chosen selector."""
        if name in OF_NESTING:
            raise AttributeError(f"{name} needs nested=True and a fit")
        return super().__getattr__(name)


def _seeded(estimator: Any, seed: int) -> Any:
    """Return a clone, seeded if it draws random numbers."""
    if estimator is None or not hasattr(estimator, "get_params"):
        return estimator
    return clone(estimator).set_params(**seeding(estimator, seed))


def _table_for(
    selector: Any, tables: list[tuple[Any, RowSubsets]], X: Any, y: Any, sample_weight: Any
) -> RowSubsets:
    """Return the rows as a selector sees them, shared by those with the same kinds of columns."""
    kinds = getattr(selector, "discrete_features", "auto")
    for other, table in tables:
        if kinds is other or (isinstance(kinds, str) and isinstance(other, str) and kinds == other):
            return table
    tables.append((kinds, RowSubsets(X, y, selector, sample_weight)))
    return tables[-1][1]


Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def comparison(
    results: dict[str, NDArray[Any]],
    scores: Floats,
    splits: Sequence[Split],
    chosen: int,
    rule: Rule,
) -> dict[str, NDArray[Any]]:
    """Compare the choice with every selector, at the number that the rule gives it alone.

    `results` is `cv_results_`; `scores` has shape (n_folds, n_candidates).
    """
    names, numbers = results["selector"], results["n_features"]
    share = float(np.mean([len(test) / len(train) for train, test in splits]))
    rows = []
    for name in dict.fromkeys(names):
        own = np.flatnonzero(names == name)
        c = chosen if name == names[chosen] else own[choose(scores[:, own], numbers[own], rule)]
        difference = scores[:, chosen] - scores[:, c]
        mean = float(scores[:, c].mean())
        rows.append((name, numbers[c], mean, *corrected_interval(difference, share)))
    columns = ("selector", "n_features", "mean_test_score", "difference", "low", "high", "p_value")
    return {
        column: np.array([row[k] for row in rows], dtype=object if k == 0 else None)
        for k, column in enumerate(columns)
    }


def corrected_interval(differences: Floats, test_share: float) -> tuple[float, float, float, float]:
    """Return the mean, interval and two-sided p-value of a difference over folds.

    `test_share`, the ratio of test rows to training rows, corrects for overlapping folds
    (C. Nadeau, Y. Bengio, Machine Learning 52 (2003) 239-281, Section 3). With one fold there is no
    interval: NaN.
    """
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        return mean, np.nan, np.nan, np.nan
    error = float(differences.std(ddof=1) * np.sqrt(1 / n + test_share))
    reach = error * float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    if error == 0.0:
        return mean, mean, mean, float(mean == 0.0)
    return mean, mean - reach, mean + reach, float(2 * stats.t.sf(abs(mean) / error, n - 1))


def choice_notes(fitted: Any, n_folds: int) -> list[Note]:
    """Return notes on what was tried, how certain the choice is, and the score on new rows.

    `fitted` is a `SelectorCV`, fitted except for `notes_`.
    """
    results, best = fitted.cv_results_, fitted.best_index_
    if best < 0:
        return [Note("No selector selects anything.", kind="nothing")]
    names, numbers = list(dict.fromkeys(results["selector"])), np.unique(results["n_features"])
    means = results["mean_test_score"]
    some = ", ".join(map(str, numbers))
    tried = (
        f"Tried on {n_folds} folds: {', '.join(names)} with {some} features. Chosen: "
        f"{fitted.best_selector_} with {fitted.n_features_}, mean {_measure(fitted)} "
        f"{means[best]:.4f}"
    )
    if means[best] < means.max():
        top = int(means.argmax())
        tried += (
            f"; the best mean is {means[top]:.4f} ({results['selector'][top]} with "
            f"{results['n_features'][top]}), within one standard error"
        )
    return [Note(tried + ".", kind="tried"), *_against(fitted), _of_new_rows(fitted)]


def _measure(fitted: Any) -> str:
    """Name the score, and the model that it is of."""
    is_number = fitted.result_.source.target.kind == "numbers"
    models = "ridge regression and a tree" if is_number else "naive Bayes and a tree"
    if fitted.estimator is not None:
        models = type(fitted.estimator).__name__
    if fitted.scoring is None:
        return f"{'R2' if is_number else 'accuracy'} of {models}"
    name = getattr(fitted.scoring, "__name__", type(fitted.scoring).__name__)
    return f"{fitted.scoring if isinstance(fitted.scoring, str) else name} of {models}"


def _against(fitted: Any) -> list[Note]:
    """Return notes on the runner-up and on selectors that do not differ significantly."""
    table = fitted.comparison_
    others = np.flatnonzero(table["selector"] != fitted.best_selector_)
    if len(others) == 0 or np.isnan(table["low"][others]).any():
        return []
    next_one = others[np.argmax(table["mean_test_score"][others])]
    name, number, mean, difference, low, high, _ = (column[next_one] for column in table.values())
    said = f"Next: {name} with {number}, mean {mean:.4f}"
    if difference == low == high == 0.0:
        said += ", the same on every fold"
    else:
        said += f"; the difference is {difference:+.4f} (95 % interval {low:+.4f} to {high:+.4f})"
    level = others[(table["low"][others] <= 0) & (table["high"][others] >= 0)]
    who = "Every other selector differs significantly."
    if len(level):
        names = ", ".join(table["selector"][level])
        who = f"Not significantly different on these folds: {names}."
    return [Note(f"{said}. {who}", kind="compared")]


def _of_new_rows(fitted: Any) -> Note:
    """Return a note on the score on held-out rows, or that it is not known."""
    if not fitted.nested:
        return Note(
            "The mean score of the choice is too high for new rows, as it decided the choice; ",
            Parameter("nested", True),
            " of deacs.SelectorCV estimates the score on new rows.",
            kind="new rows",
        )
    scores, choices = fitted.held_out_scores_, fitted.held_out_choices_
    same = sum(name == fitted.best_selector_ for name, _ in choices)
    return Note(
        f"On rows that took no part in the choice: {fitted.held_out_score_:.4f} (from "
        f"{scores.min():.4f} to {scores.max():.4f} over {len(scores)} folds); {same} of "
        f"{len(choices)} of those choices took {fitted.best_selector_}.",
        kind="new rows",
    )
