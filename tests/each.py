"""`each`: cases that a test goes through in one run, where one report for all is enough."""

from collections.abc import Iterable
from functools import wraps
from inspect import signature


def each(names: str, values: Iterable):
    """Take every value in turn, as `pytest.mark.parametrize` would; an error names its own."""
    words, values = [word.strip() for word in names.split(",")], list(values)
    assert values

    def decorate(test):
        @wraps(test)
        def through_all(**given):
            for value in values:
                parts = value if len(words) > 1 else [value]
                try:
                    test(**given, **dict(zip(words, parts, strict=True)))
                except Exception as error:
                    error.add_note(f"{names}: {value!r}"[:300])
                    raise

        own = signature(test)
        left = [p for name, p in own.parameters.items() if name not in words]
        through_all.__signature__ = own.replace(parameters=left)
        return through_all

    return decorate
