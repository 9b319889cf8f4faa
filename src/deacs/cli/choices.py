"""Options with a fixed set of values, as the shell offers and the help lists them."""

from enum import StrEnum

__all__ = ["Discretizer", "Format", "Judge", "LabelScore", "Missing", "TieBreak"]


class Format(StrEnum):
    """How a file is written."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arff = "arff"
    libsvm = "libsvm"


class Judge(StrEnum):
    """What ranks candidates."""

    radial = "radial"
    sum = "sum"
    sbm = "sbm"
    ram = "ram"
    bam = "bam"


class LabelScore(StrEnum):
    """What a feature is worth to a label."""

    one_vs_rest = "one-vs-rest"
    divergence = "divergence"


class TieBreak(StrEnum):
    """What decides between equal candidates."""

    sum = "sum"
    slacks = "slacks"
    last = "last"


class Missing(StrEnum):
    """What a missing value is."""

    category = "category"
    ignore = "ignore"
    error = "error"


class Discretizer(StrEnum):
    """What cuts quantities into intervals."""

    mdlp = "mdlp"
    equal_width = "equal-width"
    equal_frequency = "equal-frequency"
