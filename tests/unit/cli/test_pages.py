"""Commands that pages show: the command line takes their options, make knows its verbs."""

import re
import shlex
from pathlib import Path

import typer

from deacs.cli.app import app
from tests.each import each

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


def commands(program):
    """Return the lines of consoles, and whole commands inside of sentences, without repeats."""
    found = []
    for page in PAGES:
        text = re.sub(r"\\\n>?\s*", "", page.read_text())
        lines = re.findall(rf"^\$ (?:\w+=\S+ )*({program} .*)$", text, flags=re.MULTILINE)
        spans = re.findall(rf"`({program} [^`\n]*)`", text)
        found += [*lines, *spans]
    return list(dict.fromkeys(found))


@each("line", commands("deacs"))
def test_the_command_line_takes_what_a_page_shows(line):
    words = shlex.split(line, comments=True)[1:]
    command = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words[0]]
        words = words[1:]
    known = {option for parameter in command.params for option in parameter.opts}
    known |= {"--debug", "--help", "-h", "--version", "--verbose"}
    for word in words:
        if word.startswith("-") and not re.fullmatch(r"-[\d.]+", word):
            assert word.partition("=")[0] in known, word
    if not hasattr(command, "commands") and not {"...", "…"} & set(words):
        with command.make_context(line, list(words), resilient_parsing=True):
            pass


@each("line", commands("make"))
def test_make_knows_the_verbs_that_a_page_shows(line):
    verbs = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    words = [word for word in shlex.split(line, comments=True)[1:] if "=" not in word]
    assert set(words) <= set(verbs)


@each("line", commands("python -m benchmarks"))
def test_benchmarks_have_the_scenarios_that_a_page_shows(line):
    words = shlex.split(line, comments=True)[3:]
    names = [word for word in words[: [*words, "-"].index("-")] if word.isidentifier()]
    if names:
        assert (ROOT / "benchmarks/scenarios" / f"{names[0]}.py").is_file() or (
            ROOT / "benchmarks/scenarios" / names[0]
        ).is_dir()
