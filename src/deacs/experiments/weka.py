"""Weka's classifiers on coded features, through python-weka-wrapper3 and Java.

Each is Weka's own code with its default options: NaiveBayes, SMO (linear, C = 1, classes in pairs),
IBk (k = 1) and J48 (pruned C4.5). Attributes are nominal, with one value for each code; an unknown
value is missing. Splits are those of the protocol, as for every other workbench.

E. Frank, M. A. Hall, I. H. Witten, "The WEKA Workbench", Morgan Kaufmann, 2016.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["WEKA_CLASSES", "WekaClassifier"]

WEKA_CLASSES: dict[str, str] = {
    "weka-nb": "weka.classifiers.bayes.NaiveBayes",
    "weka-smo": "weka.classifiers.functions.SMO",
    "weka-ibk": "weka.classifiers.lazy.IBk",
    "weka-j48": "weka.classifiers.trees.J48",
}
"""The paper's four classifiers by name."""

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
    predicts: ClassVar[str] = "classes"

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
