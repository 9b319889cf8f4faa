"""Public information measures of discrete variables: `x`, `y` and `given` are taken by value.

All are plug-in estimates in bits (`label_scores` has others too), from integer counts in fixed
point, so that independence gives exactly zero and the order of rows does not matter. A missing
value is a value of its own.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import code_values, stack_blocks
from deacs.counts.bias import Estimator, read_estimator
from deacs.counts.conditioning import Conditioning
from deacs.counts.counting import ScoreKind
from deacs.exceptions import InputError

__all__ = [
    "conditional_mutual_information",
    "divergence",
    "entropy",
    "label_scores",
    "local_mutual_information",
    "mutual_information",
]


def entropy(x: Any, given: Any = None) -> float:
    """H(X | Z) = -sum_{x,z} p(x, z) log2 p(x | z).

    Parameters
    ----------
    x : array-like of shape (n,)
        A discrete variable.
    given : array-like of shape (n,) or (n, k), optional
        Variables to condition on, jointly.

    Examples
    --------
    >>> from deacs.information import entropy
    >>> entropy(["head", "tail", "head", "tail"])
    1.0
    """
    return _condition(x, given, "x").entropy()


def mutual_information(x: Any, y: Any) -> Any:
    """I(X; Y) = sum_{x,y} p(x, y) log2 [p(x, y) / (p(x) p(y))].

    Parameters
    ----------
    x : array-like of shape (n,) or (n, n_features)
        One discrete variable, or one in each column.
    y : array-like of shape (n,)
        A discrete variable.

    Returns
    -------
    float, or ndarray of shape (n_features,)
        One number for each variable in `x`.

    Examples
    --------
    >>> from deacs.information import mutual_information
    >>> mutual_information([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    """
    return conditional_mutual_information(x, y, None)


def conditional_mutual_information(x: Any, y: Any, given: Any) -> Any:
    """I(X; Y | Z) = sum_z p(z) sum_{x,y} p(x, y | z) log2 [p(x, y | z) / (p(x | z) p(y | z))].

    Parameters
    ----------
    x : array-like of shape (n,) or (n, n_features)
        One discrete variable, or one in each column.
    y : array-like of shape (n,)
        A discrete variable.
    given : array-like of shape (n,) or (n, k)
        Variables to condition on, jointly.

    Returns
    -------
    float, or ndarray of shape (n_features,)
        One number for each variable in `x`.

    Examples
    --------
    Exclusive or: neither input alone is informative, both together determine the output.

    >>> from deacs.information import conditional_mutual_information, mutual_information
    >>> a, b, a_xor_b = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> mutual_information(a, a_xor_b), conditional_mutual_information(a, a_xor_b, b)
    (0.0, 1.0)
    """
    scores = _scores(x, y, given, "joint")[:, 0]
    return float(scores[0]) if np.ndim(x) == 1 else scores


def local_mutual_information(x: Any, y: Any, rows: Any) -> Any:
    """I(X; Y) estimated on the rows of a subset: the paper's Definition 4.1.

    Weighted by their shares of the rows, the local informations of the groups of S sum up to
    I(X; Y | S) (its Proposition 4.1).

    Parameters
    ----------
    x : array-like of shape (n,) or (n, n_features)
        One discrete variable, or one in each column.
    y : array-like of shape (n,)
        A discrete variable.
    rows : mask of shape (n,), or array of row numbers
        The subset.

    Returns
    -------
    float, or ndarray of shape (n_features,)
        One number for each variable in `x`.

    Examples
    --------
    >>> from deacs.information import local_mutual_information
    >>> local_mutual_information([0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 1, 0], rows=[0, 1, 2, 3])
    1.0
    """
    x, y, chosen = _array(x), _array(y), np.asarray(rows)
    n_rows = len(y) if y.ndim else 0
    try:
        chosen = np.arange(n_rows)[chosen if chosen.size else chosen.astype(np.intp)]
    except IndexError as error:
        accepted = f"rows must be a mask of {n_rows} rows, or numbers of rows from 0"
        raise InputError(f"{accepted} to {n_rows - 1}; {error}") from error
    if chosen.size == 0:
        raise InputError("rows must choose at least one row, got none")
    if x.ndim == 0 or len(x) != n_rows:
        raise InputError(f"x and y must have equal lengths, got shapes {x.shape} and {y.shape}")
    return mutual_information(x[chosen], y[chosen])


def divergence(x: Any, y: Any, given: Any = None) -> NDArray[np.float64]:
    """Div(X; y_i | Z) = sum_z p(z | y_i) KL(p(X | z, y_i) || p(X | z)), for every label y_i.

    Weighted by p(y_i) they sum up to I(X; Y | Z).

    Parameters
    ----------
    x : array-like of shape (n,) or (n, n_features)
        One discrete variable, or one in each column.
    y : array-like of shape (n,)
        The labels; the outputs follow their sorted order, missing last.
    given : array-like of shape (n,) or (n, k), optional
        Variables to condition on, jointly.

    Returns
    -------
    ndarray of shape (n_labels,) or (n_features, n_labels)
        Never negative.

    Examples
    --------
    >>> from deacs.information import divergence
    >>> divergence([0, 0, 1, 1], ["a", "a", "b", "b"])
    array([1., 1.])
    """
    scores = _scores(x, y, given, "divergence")
    return scores[0] if np.ndim(x) == 1 else scores


def label_scores(
    x: Any, y: Any, given: Any = None, *, estimator: Estimator = "plug-in"
) -> NDArray[np.float64]:
    """R(X; y_i | Z) = I(X; [Y = y_i] | Z), for every label y_i: information about each class.

    Parameters
    ----------
    x : array-like of shape (n,) or (n, n_features)
        One discrete variable, or one in each column.
    y : array-like of shape (n,)
        The labels; the outputs follow their sorted order, missing last.
    given : array-like of shape (n,) or (n, k), optional
        Variables to condition on, jointly.
    estimator : {"plug-in", "miller-madow", "excess"}, default="plug-in"
        From frequencies; with the Miller-Madow correction; or minus its expectation under labels
        shuffled within the values of Z. See `DEACS`.

    Returns
    -------
    ndarray of shape (n_labels,) or (n_features, n_labels)
        Never negative; exactly zero for independence.

    Examples
    --------
    >>> from deacs.information import label_scores
    >>> label_scores([0, 0, 1, 1], ["a", "a", "b", "c"]).round(3)
    array([1.   , 0.311, 0.311])

    A value of its own in every row determines the class, but no more than chance would.

    >>> label_scores([0, 1, 2, 3], ["a", "a", "b", "c"], estimator="excess")
    array([0., 0., 0.])
    """
    scores = _scores(x, y, given, "one-vs-rest", read_estimator(estimator))
    return scores[0] if np.ndim(x) == 1 else scores


def _scores(
    x: Any, y: Any, given: Any, kind: ScoreKind, estimator: Estimator = "plug-in"
) -> NDArray[np.float64]:
    coded = code_values(_columns(x, "x"))
    blocks = stack_blocks([codes for codes, _ in coded], [f.n_values for _, f in coded])
    conditioning = _condition(y, given, "y")
    if len(coded[0][0]) != conditioning.n_rows:
        raise InputError(
            f"x and y must have equal lengths, got {len(coded[0][0])} and {conditioning.n_rows}"
        )
    return conditioning.scores(blocks, np.arange(len(coded)), kind, estimator=estimator)


def _condition(y: Any, given: Any, name: str) -> Conditioning:
    if np.ndim(y) != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {np.shape(y)}")
    [(labels, feature)] = code_values(_columns(y, name))
    conditioning = Conditioning(labels.astype(np.int32), feature.n_values)
    if given is not None:
        for codes, known in code_values(_columns(given, "given")):
            if len(codes) != len(labels):
                raise InputError(
                    f"given must have {len(labels)} rows like {name}, got {len(codes)}"
                )
            conditioning.add(codes, known.n_values)
    return conditioning


def _columns(values: Any, name: str) -> Any:
    """Let one variable be a table of one column.

    Lists become objects: None must stay None, and numbers beside text must not become text.
    """
    if np.ndim(values) == 2:
        return values
    array = _array(values)
    if array.ndim != 1:
        raise InputError(f"{name} must have one or two dimensions, got {array.ndim}")
    return array.reshape(-1, 1)


def _array(values: Any) -> NDArray[Any]:
    return values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
