"""Dates in text files: ISO and other common forms, if a whole column has one possible reading."""

import re

import polars as pl

__all__ = ["date_readings"]

FORM = re.compile(
    r"(?:\d{4}(?P<iso>[-/.])\d\d?(?P=iso)\d\d?"
    r"|\d\d?(?P<mark>[-/.])\d\d?(?P=mark)(?P<year>\d{4}|\d\d)"
    r"|\d\d?(?P<gap>[- ])[A-Za-z]{3,9}(?P=gap)\d{4}"
    r"|[A-Za-z]{3,9} \d\d?(?P<comma>,?) \d{4})"
    r"(?P<time>(?P<before>[T ])\d\d?:\d\d(?P<seconds>:\d\d(?:\.\d+)?)?(?P<half>\s?[AaPp][Mm])?"
    r"(?P<zone>\s?(?:Z|[+-]\d\d:?\d\d))?)?"
)

YEARS = (1000, 9999)
"""Years of four digits."""
YEARS_IN_TWO_DIGITS = (1969, 2038)
"""Years of two digits that are of one century to most programs; 45 may be 1945 or 2045."""
YEARS_IN_NANOSECONDS = (1678, 2261)


def date_readings(column: pl.Series) -> list[pl.Series]:
    """Return a text column as dates or times, once for each way to read all of its values.

    The first value tells the form. `2007-11-25`, `25 Nov 2007` and `Nov 25, 2007` have one reading;
    `11/10/2007` has two unless some number in the column is above 12, and `11-10-07` may begin with
    the year as well.

    Examples
    --------
    >>> [dates] = date_readings(pl.Series(["11/11/07", None, "25/11/07"]))
    >>> dates.to_list()
    [datetime.date(2007, 11, 11), None, datetime.date(2007, 11, 25)]
    >>> len(date_readings(pl.Series(["11/10/07", "9/10/07"])))
    2
    """
    first = column.drop_nulls().head(1).to_list()
    form = FORM.fullmatch(first[0]) if first else None
    if form is None:
        return []
    years = YEARS if form["year"] is None or len(form["year"]) == 4 else YEARS_IN_TWO_DIGITS
    found: list[pl.Series] = []
    for format in _formats(form):
        dates = _parsed(column, format, years, has_time=form["time"] is not None)
        if dates is not None and not any(dates.equals(other) for other in found):
            found.append(dates)
    return found


def _formats(form: re.Match[str]) -> list[str]:
    """Return the formats in which a value may be written."""
    if mark := form["iso"]:
        dates = [f"%Y{mark}%m{mark}%d"]
    elif mark := form["mark"]:
        year = "%Y" if len(form["year"]) == 4 else "%y"
        dates = [f"%d{mark}%m{mark}{year}", f"%m{mark}%d{mark}{year}"]
        if year == "%y" and mark == "-":
            dates.append("%y-%m-%d")
    elif gap := form["gap"]:
        dates = [f"%d{gap}%B{gap}%Y"]
    else:
        dates = [f"%B %d{form['comma']} %Y"]
    if form["time"] is None:
        return dates
    time = "%H:%M" if form["half"] is None else "%I:%M"
    time += "" if form["seconds"] is None else ":%S%.f"
    time += "" if form["half"] is None else form["half"][:-2] + "%p"
    time += "" if form["zone"] is None else " " * form["zone"].startswith(" ") + "%z"
    return [date + form["before"] + time for date in dates]


def _parsed(
    column: pl.Series, format: str, years: tuple[int, int], *, has_time: bool
) -> pl.Series | None:
    """Return all values read in a format, or None if one of them does not have it."""
    if format.endswith("%z"):
        column = column.str.replace("Z$", "+0000")
    unit = pl.Datetime("us") if has_time else pl.Date()
    dates = column.str.strptime(unit, format, strict=False)
    if dates.null_count() > column.null_count():
        return None
    if has_time and column.str.contains(r":\d\d\.\d{7}").any():
        dates = column.str.strptime(pl.Datetime("ns"), format, strict=False)
        years = YEARS_IN_NANOSECONDS
    return dates if dates.dt.year().is_between(*years).all() else None
