"""What tests of every verb share: the real entry point, and a small table."""

import sys
from types import SimpleNamespace

import pytest

from deacs.cli.app import main


@pytest.fixture
def deacs(capsys, monkeypatch):
    """Run the command as the shell does; return exit code, output and the error stream."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["deacs", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return SimpleNamespace(code=stopped.value.code or 0, out=captured.out, err=captured.err)

    return run


@pytest.fixture
def patients(tmp_path):
    """Forty-two rows, three classes; `a` tells them apart, `id` differs in every row."""
    file = tmp_path / "patients.csv"
    rows = "".join(f"p{k},{k % 3},{k % 7},{'uvw'[k % 3]}\n" for k in range(42))
    file.write_text("id,a,b,y\n" + rows)
    return file
