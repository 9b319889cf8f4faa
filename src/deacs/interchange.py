"""Export of fitted estimators to ONNX, by converters registered with skl2onnx.

A selector becomes one `Gather` of its columns. A discretiser becomes comparisons with its cut
points, in double precision for any input type, so that values fall into the same intervals as with
`transform`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deacs import selection
from deacs.coding import transformers
from deacs.exceptions import InputError

__all__ = ["register_onnx_converters"]


def register_onnx_converters() -> None:
    """Teach skl2onnx to convert every selector and discretiser of deacs, alone or in pipelines.

    Input is one tensor of all columns that `fit` saw. Codes of discretisers are double for double
    input, else float; missing values are NaN in and out.

    Raises
    ------
    ModuleNotFoundError
        If skl2onnx is not installed; the message says how to get it.
    """
    try:
        from skl2onnx import update_registered_converter
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "register_onnx_converters needs skl2onnx, which is not installed; "
            "pip install 'deacs[onnx]'",
            name=error.name,
        ) from error
    for home, names, shape, convert in (
        (selection, selection.SELECTORS, _selected_shape, _convert_selector),
        (transformers, transformers.__all__, _coded_shape, _convert_discretizer),
    ):
        for name in names:
            update_registered_converter(getattr(home, name), f"Deacs{name}", shape, convert)


def _selected_shape(operator: Any) -> None:
    [given], [out] = operator.inputs, operator.outputs
    kept = len(operator.raw_operator.get_support(indices=True))
    out.type = type(given.type)([given.get_first_dimension(), kept])


def _convert_selector(scope: Any, operator: Any, container: Any) -> None:
    kept = operator.raw_operator.get_support(indices=True)
    graph = _Graph(scope, container)
    chosen = graph.constant("INT64", [len(kept)], kept)
    graph.add("Gather", [operator.inputs[0].full_name, chosen], operator.outputs[0], axis=1)


def _coded_shape(operator: Any) -> None:
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    [given], [out] = operator.inputs, operator.outputs
    is_double = isinstance(given.type, DoubleTensorType)
    kind = DoubleTensorType if is_double else FloatTensorType
    out.type = kind([given.get_first_dimension(), operator.raw_operator.n_features_in_])


def _convert_discretizer(scope: Any, operator: Any, container: Any) -> None:
    """Count the cut points below each value: the sum over m of x > c_m."""
    from onnx import TensorProto
    from skl2onnx.common.data_types import DoubleTensorType

    cuts = _padded_cuts(operator.raw_operator)
    n_features, n_cuts = cuts.shape
    graph = _Graph(scope, container)
    values = graph.add("Cast", [operator.inputs[0].full_name], to=TensorProto.DOUBLE)
    stacked = graph.reshape(values, [-1, n_features, 1])
    points = graph.constant("DOUBLE", [1, n_features, n_cuts], cuts.ravel())
    is_above = graph.add("Greater", [stacked, points])
    counted = graph.add("Cast", [is_above], to=TensorProto.DOUBLE)
    ones = graph.constant("DOUBLE", [n_cuts, 1], np.ones(n_cuts))
    codes = graph.reshape(graph.add("MatMul", [counted, ones]), [-1, n_features])
    missing = graph.constant("DOUBLE", [1], [np.nan])
    kept = graph.add("Where", [graph.add("IsNaN", [values]), missing, codes])
    is_double = isinstance(operator.outputs[0].type, DoubleTensorType)
    kind = TensorProto.DOUBLE if is_double else TensorProto.FLOAT
    graph.add("Cast", [kept], operator.outputs[0], to=kind)


def _padded_cuts(discretizer: Any) -> np.ndarray:
    """Return a row of cut points for each column, padded with infinity, which nothing exceeds."""
    if discretizer.output != "codes":
        raise InputError(
            f"output must be 'codes' for ONNX, got {discretizer.output!r}; "
            "set_params(output='codes') first"
        )
    if any(cuts.dtype.kind == "i" for cuts in discretizer.cut_points_):
        raise InputError(
            "cut points between integers beyond 2**53 cannot be exported, since ONNX uses doubles; "
            "subtract a constant from such columns first"
        )
    width = max(1, *map(len, discretizer.cut_points_))
    padded = np.full((len(discretizer.cut_points_), width), np.inf)
    for row, cuts in zip(padded, discretizer.cut_points_, strict=True):
        row[: len(cuts)] = cuts
    return padded


class _Graph:
    """Nodes of one operator, with names that skl2onnx keeps apart."""

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def constant(self, kind: str, shape: list[int], values: Any) -> str:
        from onnx import TensorProto

        name: str = self._scope.get_unique_variable_name("constant")
        self._container.add_initializer(name, getattr(TensorProto, kind), shape, list(values))
        return name

    def reshape(self, given: str, shape: list[int]) -> str:
        return self.add("Reshape", [given, self.constant("INT64", [len(shape)], shape)])

    def add(self, kind: str, inputs: list[str], out: Any = None, **attributes: Any) -> str:
        name: str = out.full_name if out else self._scope.get_unique_variable_name(kind.lower())
        node = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, inputs, name, name=node, **attributes)
        return name
