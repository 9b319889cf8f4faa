"""A file with given contents."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file of the given name and return its path."""

    def write_file(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file
