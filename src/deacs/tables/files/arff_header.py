"""The header of an ARFF file: the name and the possible values of each attribute.

Headers of KEEL are also accepted, with ranges after types (`real [4.3, 7.9]`), `@inputs` and
`@outputs`.

Tokens are those of Weka: separated by commas or spaces, in single or double quotes, inside which a
backslash escapes as in C; `%` outside quotes begins a comment.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from deacs.tables.files.source import Source
from deacs.tables.names import refuse_repeated

__all__ = [
    "SPACE",
    "SPACES",
    "VALUE",
    "Attribute",
    "Token",
    "is_blank",
    "read_header",
    "tokens",
    "unquote",
]

SPACE = r"[\x00-\x20]"
SPACES = "".join(map(chr, range(33)))
QUOTES = ("'", '"')
QUOTED = r"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\""
WORD = r"[^\x00-\x20,{}%'\"]++"
VALUE = f"{QUOTED}|{WORD}"
TOKEN = re.compile(
    rf"{SPACE}*+(?:(?P<quoted>{QUOTED})(?=[\x00-\x20,{{}}%]|$)|(?P<word>{WORD})(?!['\"])"
    r"|(?P<mark>[,{}])|(?P<end>%|$))"
)
CLOSED = re.compile(QUOTED)
BLANK = re.compile(f"{SPACE}*+(?:%|$)")
KEYWORD = re.compile(f"{SPACE}*+(@[A-Za-z]+)(?={SPACE}|$)")
ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)")
CONTROL = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

Kind = Literal["numeric", "real", "integer", "string", "date", "nominal"]
KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind) if kind != "nominal"}


class Token(NamedTuple):
    """A value, or one of `,{}`."""

    text: str
    is_mark: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column."""

    name: str
    kind: Kind
    values: tuple[str, ...]
    line: int


def read_header(source: Source, lines: Iterable[tuple[int, str]]) -> list[Attribute]:
    """Read from `lines` up to and including the line `@data`."""
    attributes: list[Attribute] = []
    for number, line in lines:
        if is_blank(line):
            continue
        keyword = KEYWORD.match(line)
        match keyword[1].lower() if keyword else "":
            case "@relation" | "@input" | "@inputs" | "@output" | "@outputs":
                continue  # the last four are from KEEL; the caller names the target
            case "@attribute":
                attributes.append(_attribute(source, number, line))
            case "@data":
                if not attributes:
                    raise source.error("@data comes before any @attribute", number)
                refuse_repeated([a.name for a in attributes], str(source))
                return attributes
            case _:
                raise source.error(
                    f"{_shown(line)} is none of @relation, @attribute and @data", number
                )
    raise source.error("there is no line @data, so it is no ARFF file or was cut off")


def is_blank(line: str) -> bool:
    """Whether a line is empty or a comment."""
    return BLANK.match(line) is not None


def tokens(source: Source, number: int, line: str) -> Iterator[Token]:
    """Split a line into tokens."""
    end = 0
    while found := TOKEN.match(line, end):
        if found.lastgroup == "end":
            return
        if found.lastgroup == "quoted":
            yield Token(unquote(found[1]), is_quoted=True)
        else:
            yield Token(found[found.lastindex or 0], is_mark=found.lastgroup == "mark")
        end = found.end()
    part = line[end:].lstrip(SPACES)
    if part[0] in QUOTES and CLOSED.match(part) is None:
        raise source.error("a quote opens here and never closes", number)
    raise source.error(
        f"a quote inside {_shown(part)}; quote the whole value, and put a backslash before "
        "quotes in it",
        number,
    )


def unquote(quoted: str) -> str:
    """Remove the quotes and escapes of a value."""
    inner = quoted[1:-1]
    return ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner


def _unescaped(escape: re.Match[str]) -> str:
    text = escape[1]
    return chr(int(text, 8)) if text[0] in "01234567" else CONTROL.get(text, text)


def _attribute(source: Source, number: int, line: str) -> Attribute:
    _, *parts = tokens(source, number, line)
    if not parts or parts[0].is_mark:
        raise source.error("@attribute needs a name and a type", number)
    name, declared = parts[0].text, parts[1:]
    kind = declared[0].text.lower().partition("[")[0] if declared else ""
    if declared and declared[0] == Token("{", is_mark=True):
        values, rest = _values(source, number, name, declared[1:])
        _refuse_weight(source, number, name, rest)
        return Attribute(name, "nominal", values, number)
    if kind == "relational":
        raise source.error(
            f"attribute {name!r} is relational, a table within the table; only flat tables can "
            "be read",
            number,
        )
    if kind not in KINDS or declared[0].is_mark:
        raise source.error(
            f"attribute {name!r} must have a type, numeric, real, integer, string, date or "
            f"{{values}}, got {kind or 'nothing'!r}; a name with a space needs quotes",
            number,
        )
    behind = "".join(token.text for token in declared)[len(kind) :]
    # KEEL writes a range there: real [4.3, 7.9].
    if kind != "date" and behind and not (behind[0] == "[" and behind[-1] == "]"):
        _refuse_weight(source, number, name, declared[1:] or declared)
    return Attribute(name, KINDS[kind], (), number)


def _values(
    source: Source, number: int, name: str, parts: list[Token]
) -> tuple[tuple[str, ...], list[Token]]:
    """Return the declared values, and the rest after the closing brace."""
    values: dict[str, None] = {}
    for position, token in enumerate(parts):
        if token == Token("}", is_mark=True):
            return tuple(values), parts[position + 1 :]
        if token.is_mark:
            if token.text == "{":
                break
            continue
        if token.text in values:
            raise source.error(f"attribute {name!r} declares {token.text!r} twice", number)
        values[token.text] = None
    raise source.error(f"the values of attribute {name!r} have no closing brace", number)


def _refuse_weight(source: Source, number: int, name: str, rest: list[Token]) -> None:
    if rest:
        what = "a weight" if rest[0] == Token("{", is_mark=True) else repr(rest[0].text)
        raise source.error(f"{what} after the type of attribute {name!r}; remove it", number)


def _shown(line: str) -> str:
    stripped = line.strip()
    return repr(stripped[:40]) + ("..." if len(stripped) > 40 else "")
