"""The experiment of the DEA-CS paper, repeated, and the study of selectors on real tables.

Evidence for the pages in `docs`, not a part of the package: `python -m reproduction --help`, or
`make reproduce` for the paper's Table 2; `python -m reproduction.suite --help` for the study.
"""
