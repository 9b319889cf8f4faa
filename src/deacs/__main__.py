"""`python -m deacs` is the `deacs` command."""

from deacs.cli import main

main()
