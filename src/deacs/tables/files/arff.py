"""ARFF, the format of Weka: declared attributes, dense or sparse rows, `?` for missing values.

Reference: I. H. Witten, E. Frank, M. A. Hall, C. J. Pal, Data Mining, 4th edition (2017), section
2.4. Where that is silent, files are read as Weka 3.9 reads them.
"""

import io
from collections.abc import Sequence

import polars as pl

from deacs.exceptions import Note, Parameter
from deacs.tables.files.arff_header import Attribute, read_header
from deacs.tables.files.arff_rows import Words, read_rows
from deacs.tables.files.names import refuse_unknown
from deacs.tables.files.options import Options
from deacs.tables.files.source import Source

__all__ = ["read"]


def read(source: Source, options: Options) -> pl.DataFrame:
    """Read an ARFF file; nominal attributes are Enum in the declared order.

    Notes
    -----
    The time is linear in the length of the file (for sparse rows, of the table). A `numeric` or
    `integer` attribute is Int64 (or Int128) if all its values are written as integers, as in a CSV
    file, else Float64; a `real` attribute is always Float64.
    """
    text = io.TextIOWrapper(io.BytesIO(source.read_text(options.encoding)), encoding="utf-8")
    lines = enumerate(text, start=1)
    attributes = read_header(source, lines)
    refuse_unknown(options, [attribute.name for attribute in attributes])
    wanted = [attribute.name not in options.exclude for attribute in attributes]
    _refuse_dates(source, [a for a, is_wanted in zip(attributes, wanted, strict=True) if is_wanted])
    columns = {}
    for attribute, is_wanted, words in zip(
        attributes, wanted, read_rows(source, lines, attributes), strict=True
    ):
        if is_wanted:
            as_text = attribute.name in options.nominal and attribute.kind != "nominal"
            values = words.text if as_text else _typed(source, attribute, words)
            in_order = values if words.places is None else values.gather(words.places)
            columns[attribute.name] = in_order
    return pl.DataFrame(columns)


def _refuse_dates(source: Source, attributes: Sequence[Attribute]) -> None:
    for attribute in attributes:
        if attribute.kind == "date":
            raise source.error(
                Note(
                    f"attribute {attribute.name!r} is a date; derive numbers from it (year, "
                    "weekday, seconds since a day), or leave it out with ",
                    Parameter("exclude", [attribute.name]),
                ),
                attribute.line,
            )


def _typed(source: Source, attribute: Attribute, words: Words) -> pl.Series:
    text = words.text
    match attribute.kind:
        case "string":
            return text
        case "nominal":
            dtypes: Sequence[pl.DataType] = [pl.Enum(attribute.values)]
        case "real":
            dtypes = [pl.Float64()]
        case _:
            dtypes = [pl.Int64(), pl.Int128(), pl.Float64()]
    for dtype in dtypes:
        values = text.cast(dtype, strict=False)
        if values.null_count() == text.null_count():
            return values.fill_nan(None) if dtype == pl.Float64 else values
    bad = int((values.is_null() & text.is_not_null()).arg_max() or 0)
    expected = "a number" if attribute.kind != "nominal" else _listed(attribute.values)
    raise source.error(
        f"attribute {attribute.name!r} takes {expected}, got {_short(text[bad])}",
        words.lines[bad],
    )


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(_short(value) for value in values[:8])
    return f"{shown} and {len(values) - 8} more" if len(values) > 8 else shown or "no values"


def _short(value: str) -> str:
    return repr(value[:40]) + ("..." if len(value) > 40 else "")
