"""Options with a fixed set of values, as the shell offers and the help lists them."""

from enum import StrEnum

__all__ = [
    "Conditioning",
    "Discretizer",
    "Estimator",
    "Format",
    "Judge",
    "LabelScore",
    "Missing",
    "TieBreak",
]


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


class Conditioning(StrEnum):
    """Given what of the selected features candidates are scored."""

    joint = "joint"
    jmi = "jmi"
    cmim = "cmim"
    blocks = "blocks"


class Estimator(StrEnum):
    """How information is estimated."""

    plug_in = "plug-in"
    miller_madow = "miller-madow"
    excess = "excess"


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
