"""Tables of numbers as Markdown."""

__all__ = ["markdown"]


def markdown(rows: list[dict[str, object]]) -> str:
    """Return rows as a table of Markdown; what a row has not is left empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(row.get(name, '')) for name in names)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
