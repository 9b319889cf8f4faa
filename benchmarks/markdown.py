"""Tables of numbers as Markdown."""

__all__ = ["markdown"]


def markdown(rows: list[dict[str, object]]) -> str:
    """Return rows with the same keys as a table of Markdown."""
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(row[name]) for name in names)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
