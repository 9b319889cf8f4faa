"""Workbenches: the classifiers that score a selection, on coded features.

The default is the paper's four classifiers in scikit-learn's terms: naive Bayes on counts, a linear
support vector machine, the nearest row by the number of features that differ, a tree by entropy.
docs/reproduction.md says how each differs from Weka's, which run through python-weka-wrapper3 and
Java: NaiveBayes, SMO (linear, C = 1, classes in pairs), IBk (k = 1) and J48 (pruned C4.5), with
default options on nominal attributes (E. Frank, M. A. Hall, I. H. Witten, "The WEKA Workbench",
Morgan Kaufmann, 2016).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.coding.new_rows import one_hot
from deacs.exceptions import InputError

__all__ = [
    "QUARTET",
    "WORKBENCHES",
    "Classifier",
    "CountingBayes",
    "NearestRows",
    "known_classifiers",
]

Codes = NDArray[np.int64]

WEKA_CLASSES: dict[str, str] = {
    "weka-nb": "weka.classifiers.bayes.NaiveBayes",
    "weka-smo": "weka.classifiers.functions.SMO",
    "weka-ibk": "weka.classifiers.lazy.IBk",
    "weka-j48": "weka.classifiers.trees.J48",
}
"""The paper's four classifiers by name."""

QUARTET: tuple[str, ...] = ("nb", "svm", "1-nn", "tree")
"""The default classifiers."""

WORKBENCHES: dict[str, tuple[str, ...]] = {"sklearn": QUARTET, "weka": tuple(WEKA_CLASSES)}
"""The four classifiers of each workbench."""


class CountingBayes:
    """Naive Bayes on one-hot columns: p(value | class) from counts, with one added to each.

    The same probabilities as scikit-learn's CategoricalNB on codes, many times faster on small
    tables. An unknown value, 0 in all columns, is ignored, as in Weka's NaiveBayes.

    Parameters
    ----------
    n_values : ndarray of int, optional
        The number of columns of each feature; a `Classifier` sets it before `fit`.
    """

    def __init__(self, n_values: NDArray[np.int64] | None = None) -> None:
        self.n_values = n_values

    def __repr__(self) -> str:
        return "CountingBayes"

    def fit(self, columns: NDArray[Any], labels: NDArray[np.int32]) -> CountingBayes:
        """Count the values in each class."""
        self.classes_ = np.unique(labels)
        members = (labels[:, None] == self.classes_).astype(np.float64)
        in_class = members.sum(axis=0)
        smoothed = columns.T @ members + 1.0
        sizes = np.asarray(self.n_values)
        totals = in_class + np.repeat(sizes, sizes)[:, None]
        self._values = np.log(smoothed) - np.log(totals)
        self._priors = np.log(in_class / len(labels))
        return self

    def predict(self, columns: NDArray[Any]) -> NDArray[np.int32]:
        """Return the most probable class of each row."""
        scores = columns @ self._values + self._priors
        chosen: NDArray[np.int32] = self.classes_[scores.argmax(axis=1)]
        return chosen


class NearestRows:
    """Vote of the nearest rows: all those that differ in the fewest features.

    Among classes with equal votes the first wins. As in Weka's IBk with k = 1, every row that is as
    near as the nearest votes, so that the order of rows does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0, 0], [0, 1], [1, 1]])
    >>> NearestRows().fit(rows, np.array([0, 1, 1])).predict(np.array([[0, 0], [1, 1]]))
    array([0, 1])
    """

    rows_at_once = 512

    def __repr__(self) -> str:
        return "NearestRows"

    def fit(self, codes: Codes, labels: NDArray[np.int32]) -> NearestRows:
        """Store the rows."""
        self._columns = np.ascontiguousarray(codes.T)
        self.classes_ = np.unique(labels)
        self._votes = (labels[:, None] == self.classes_).astype(np.float32)
        return self

    def predict(self, codes: Codes) -> NDArray[np.int32]:
        """Return the class of each row."""
        parts = [
            self._predicted(codes[begin : begin + self.rows_at_once])
            for begin in range(0, len(codes), self.rows_at_once)
        ]
        return np.concatenate(parts)

    def _predicted(self, codes: Codes) -> NDArray[np.int32]:
        differing = np.zeros((len(codes), self._columns.shape[1]), dtype=np.uint16)
        for column, new in zip(self._columns, codes.T, strict=True):
            differing += new[:, None] != column
        nearest = differing == differing.min(axis=1, keepdims=True)
        # Integers below 2**24 are exact in float32.
        votes = nearest.astype(np.float32) @ self._votes
        chosen: NDArray[np.int32] = self.classes_[votes.argmax(axis=1)]
        return chosen


@dataclass(frozen=True)
class Classifier:
    """A classifier and the form in which it takes codes.

    Attributes
    ----------
    name : str
        Its name in results.
    estimator : object with `fit` and `predict`
        It is cloned for every fit.
    form : {"codes", "counts", "one-hot"}
        "codes" as they are; "one-hot": a column of 0 and 1 for each value, all 0 if a value is
        unknown; "counts": the same, for an estimator with an attribute `n_values`.
    """

    name: str
    estimator: Any
    form: Literal["codes", "counts", "one-hot"] = "one-hot"

    @property
    def description(self) -> str:
        """The estimator and its form, for the provenance."""
        return f"{' '.join(repr(self.estimator).split())} on {self.form}"

    def predict(
        self, train: Codes, labels: NDArray[np.int32], test: Codes, n_values: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Train on some rows and predict others; code `n_values` stands for an unknown value."""
        from sklearn.base import clone

        estimator = clone(self.estimator, safe=False)
        seen: tuple[NDArray[Any], NDArray[Any]] = train, test
        if self.form != "codes":
            seen = one_hot(train, n_values), one_hot(test, n_values)
        if self.form == "counts":
            estimator.n_values = n_values
        predicted: NDArray[np.int32] = estimator.fit(seen[0], labels).predict(seen[1])
        return predicted


OPTIONS = ("-Xrs", "-Djava.awt.headless=true", "-Dweka.packageManager.loadPackages=false")
"""`-Xrs` leaves signals to Python: if one ended Java but not Python, every cell would fail."""


@dataclass(frozen=True)
class WekaClassifier:
    """A classifier of Weka with its default options.

    Attributes
    ----------
    name : str
        Its name in results.
    java_class : str
        Its Java class in Weka.
    """

    name: str
    java_class: str

    @property
    def description(self) -> str:
        """The class and the kind of attributes, for the provenance."""
        return f"{self.java_class} on nominal attributes"

    def predict(
        self,
        train: NDArray[np.int64],
        labels: NDArray[np.int32],
        test: NDArray[np.int64],
        n_values: NDArray[np.int64],
    ) -> NDArray[np.int32]:
        """Train on some rows and predict others; code `n_values` stands for an unknown value."""
        java = _java()
        classes, codes = np.unique(labels, return_inverse=True)
        learnt = _instances(java, train, codes, n_values, len(classes))
        # Any class will do for the tested rows: predictions do not depend on it.
        asked = _instances(java, test, np.zeros(len(test), dtype=np.int64), n_values, len(classes))
        classifier = java.JClass(self.java_class)()
        classifier.buildClassifier(learnt)
        evaluation = java.JClass("weka.classifiers.Evaluation")(learnt)
        predicted = np.array(evaluation.evaluateModel(classifier, asked), dtype=np.int64)
        answer: NDArray[np.int32] = classes[predicted]
        return answer


def _java() -> Any:
    """Start Java once per process."""
    if find_spec("weka") is None:
        raise InputError(
            "the workbench 'weka' needs python-weka-wrapper3 and Java; "
            "pip install python-weka-wrapper3, or use the workbench 'sklearn'"
        )
    java = import_module("jpype")
    if not java.isJVMStarted():
        jars: list[str] = []
        import_module("weka.core.jvm").add_bundled_jars(jars)
        java.startJVM(*OPTIONS, classpath=jars, convertStrings=True)
    return java


def _instances(
    java: Any,
    codes: NDArray[np.int64],
    labels: NDArray[np.int64],
    n_values: NDArray[np.int64],
    n_classes: int,
) -> Any:
    """Pass rows to Weka as ARFF text."""
    lines = ["@relation coded"]
    sizes = [*n_values.tolist(), n_classes]
    for j, size in enumerate(sizes):
        lines.append(f"@attribute a{j} {{{','.join(map(str, range(size)))}}}")
    lines.append("@data")
    texts = codes.astype(str).astype(object)
    texts[codes >= n_values] = "?"
    lines += [",".join(row) for row in np.column_stack([texts, labels.astype(str)]).tolist()]
    reader = java.JClass("java.io.StringReader")("\n".join(lines) + "\n")
    instances = java.JClass("weka.core.Instances")(reader)
    instances.setClassIndex(len(n_values))
    return instances


def known_classifiers(
    names: Iterable[str], seed: int = 0
) -> dict[str, Classifier | WekaClassifier]:
    """Return classifiers of `WORKBENCHES` by name; `seed` is the `random_state` of the tree."""
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
    known: dict[str, Classifier | WekaClassifier] = {
        "nb": Classifier("nb", CountingBayes(), "counts"),
        "svm": Classifier("svm", LinearSVC(dual=False)),
        "1-nn": Classifier("1-nn", NearestRows(), "codes"),
        "tree": Classifier("tree", tree),
    }
    known |= {name: WekaClassifier(name, java) for name, java in WEKA_CLASSES.items()}
    for name in names:
        if name not in known:
            raise InputError(f"classifiers must be among {', '.join(known)}, got {name!r}")
    return {name: known[name] for name in names}
