"""`deacs warm` leaves nothing to compile for those who come after."""

from typer.testing import CliRunner

from deacs.cli.app import app
from deacs.information.counting import counts_by_masks
from deacs.information.plan import MIDDLING
from deacs.kernels import interpreting


def test_what_is_warm_needs_no_compiling():
    size = interpreting.MAX_SIZE
    first = CliRunner().invoke(app, ["warm"], env={"COLUMNS": "300"})
    assert first.exit_code == 0, first.output
    assert "; kept in " in first.output
    assert size == interpreting.MAX_SIZE
    again = CliRunner().invoke(app, ["warm"], env={"COLUMNS": "300"})
    assert again.output.startswith("Everything was compiled before")
    for n_labels in (2, 3):
        assert counts_by_masks(MIDDLING, "one-vs-rest", n_labels, overlap=False)
