"""The information filters beside praznik, FEAST, fast-select and scikit-learn, in CPU seconds.

Peers run where they are installed: praznik where Rscript finds it, FEAST where its library,
libFSToolbox, is among those of the system.
"""

import ctypes
import json
import math
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from ctypes.util import find_library
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import numpy as np

import deacs
from benchmarks.tables import coded_table
from deacs import CodedData

TITLE = "Information filters beside their peers: 30 features, 1 thread, CPU seconds"
NOTE = """
*coded*: the best peer's seconds divided by ours, from data that are coded already: `CodedData` for
us, factors for praznik, columns of unsigned integers for FEAST. *raw*: the same from integers: for
us and scikit-learn a row-major matrix of 32 bits, coding included; for praznik a frame of integer
columns; for FEAST the columns that it takes as they are. Everyone takes turns, and the least CPU
time of the turns counts. Above 1, deacs is faster. fast-select fills the matrix of all pairs, so
200 columns of it are scaled by the square of the columns; scikit-learn's 40 columns are scaled up.
The tables are made (`benchmarks/tables.py`), but for digits. A dash: no peer has the method, or the
method ends at once.
"""
BY_NAME_ONLY = True
N_FEATURES = 30
TURNS = 3
SHORT_TURNS = 15
"""What takes milliseconds gets more turns: a program that runs beside it slows some of them."""
METHODS = ("MIM", "MRMR", "JMI", "CMIM", "JMIM", "ICAP", "CMI")
SHAPES = {
    "6,000 x 5,000, 2 classes": (6000, 5000, 2, (2, 6)),
    "20,000 x 300, 40 to 200 values": (20_000, 300, 5, (40, 200)),
    "3,186 x 180, 3 classes": (3186, 180, 3, (2, 5)),
    "1,559 x 617, 26 classes": (1559, 617, 26, (4, 8)),
    "500 x 2,000, 9 classes": (500, 2000, 9, (3, 3)),
    "100 x 20,000, 4 classes": (100, 20_000, 4, (2, 6)),
}
FEAST_NAMES = {"MRMR": "mRMR_D", "CMI": "CondMI"}
R_SERVER = """
suppressMessages(library(praznik))
rows <- {n_rows}; columns <- {n_columns}
codes <- readBin("{codes}", "integer", rows * columns)
raw <- as.data.frame(matrix(codes, rows))
y <- factor(readBin("{labels}", "integer", rows))
coded <- as.data.frame(lapply(raw, factor))
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {{
  words <- strsplit(line, " ")[[1]]
  X <- if (words[2] == "raw") raw else coded
  method <- get(words[1])
  before <- proc.time()
  for (i in seq_len(as.integer(words[3]))) method(X, y, {k}, threads = 1)
  cat(sum((proc.time() - before)[1:2]), "\\n")
  flush(stdout())
}}
"""
Timer = Callable[[int], float]
"""Seconds of CPU time that so many repeats take."""


def run(options: list[str] | None = None) -> list[dict[str, object]]:
    """All methods on all tables, or on those whose names begin with an option (`--digits`)."""
    chosen = tuple(option.lstrip("-") for option in options or [""])
    rows = []
    for name, data in _tables(chosen):
        print(name, flush=True)
        rows += _race(name, data)
    return rows


def _tables(chosen):
    for name, shape in SHAPES.items():
        if name.replace(",", "").startswith(chosen):
            yield name, coded_table(*shape)
    if "digits".startswith(chosen):
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        yield "digits, 1,797 x 64", CodedData.from_codes(X.astype(np.uint8), y)


def _race(name: str, data: CodedData) -> list[dict[str, object]]:
    matrix = np.array([data.column(j) for j in range(data.n_features)], dtype=np.int32)
    with tempfile.TemporaryDirectory() as folder:
        peers = [_praznik(data, matrix, folder), _feast(data, matrix), _python_peers(data, matrix)]
        raw = np.ascontiguousarray(matrix.T)
        ours = {
            (method, how): _in_process(partial(_fit, method, data, raw if how == "raw" else None))
            for method in METHODS
            for how in ("coded", "raw")
        }
        rows = []
        for method in METHODS:
            row: dict[str, object] = {"table": name, "method": method}
            if method == "CMI" and name.startswith("20,000"):
                continue
            for how in ("coded", "raw"):
                timers = {"deacs": ours[method, how]}
                timers |= {who: timer for peer in peers for who, timer in peer(method, how).items()}
                seconds = _taking_turns(timers)
                row |= {f"{who} {how}, s": value for who, value in seconds.items()}
                own = seconds.pop("deacs")
                row[f"{how}, times"] = min(seconds.values()) / own if seconds else "-"
            print(json.dumps(row), flush=True)
            rows.append(row)
        return [{**dict.fromkeys(_columns(rows), "-"), **row} for row in rows]


def _columns(rows):
    return list(dict.fromkeys(key for row in rows for key in row))


def _taking_turns(timers: dict[str, Timer]) -> dict[str, float]:
    """Return the least seconds of a run; short ones are repeated until they take 50 ms.

    Who takes four times as long as the fastest does not get a second turn.
    """
    timers["deacs"](1)  # compile
    first = {who: timer(1) for who, timer in timers.items()}
    fastest = min(first.values())
    timers = {who: timer for who, timer in timers.items() if first[who] <= 4 * max(fastest, 1e-3)}
    repeats = {who: max(1, min(200, int(0.05 / max(s, 1e-4)))) for who, s in first.items()}
    best = {who: math.inf if who in timers else s for who, s in first.items()}
    for _ in range(SHORT_TURNS if fastest < 0.01 else TURNS):
        for who, timer in timers.items():
            best[who] = min(best[who], timer(repeats[who]) / repeats[who])
    return best


def _in_process(work: Callable[[], object], scale: float = 1.0) -> Timer:
    def timer(repeats: int) -> float:
        begin = time.process_time()
        for _ in range(repeats):
            work()
        return (time.process_time() - begin) * scale

    return timer


def _fit(method: str, data: CodedData, raw: np.ndarray | None) -> object:
    # No table here has more than 256 values in a column: a matrix of codes, as the peers take it.
    selector = getattr(deacs, method)(N_FEATURES, discrete_features=True)
    return selector.fit(data) if raw is None else selector.fit(raw, data.labels)


def _praznik(data, matrix, folder):
    rscript = which("Rscript")
    if (
        not rscript
        or subprocess.run([rscript, "-e", "library(praznik)"], capture_output=True).returncode
    ):
        return lambda method, how: {}
    codes, labels = Path(folder, "codes"), Path(folder, "labels")
    matrix.tofile(codes)
    data.labels.astype(np.int32).tofile(labels)
    shape = {"n_rows": data.n_rows, "n_columns": data.n_features, "k": N_FEATURES}
    script = Path(folder, "server.R")
    script.write_text(R_SERVER.format(codes=codes, labels=labels, **shape))
    server = subprocess.Popen(
        [rscript, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def ask(method: str, how: str, repeats: int) -> float:
        server.stdin.write(f"{method} {how} {repeats}\n")
        server.stdin.flush()
        return float(server.stdout.readline())

    def timers(method: str, how: str) -> dict[str, Timer]:
        return {} if method == "ICAP" else {"praznik": partial(ask, method, how)}

    return timers


def _feast(data, matrix):
    path = find_library("FSToolbox")
    if path is None:
        return lambda method, how: {}
    library = ctypes.CDLL(path)
    columns = np.ascontiguousarray(matrix, dtype=np.uint32)
    pointers = (ctypes.c_void_p * len(columns))(*(column.ctypes.data for column in columns))
    labels = data.labels.astype(np.uint32)
    chosen, scores = np.zeros(N_FEATURES, np.uint32), np.zeros(N_FEATURES)

    def work(function):
        function(
            N_FEATURES,
            data.n_rows,
            len(columns),
            pointers,
            *(ctypes.c_void_p(array.ctypes.data) for array in (labels, chosen, scores)),
        )

    def timers(method: str, how: str) -> dict[str, Timer]:
        if method == "JMIM":
            return {}
        function = getattr(library, FEAST_NAMES.get(method, method))
        function.restype = ctypes.c_void_p
        return {"FEAST": _in_process(partial(work, function))}

    return timers


def _python_peers(data, matrix):
    n_some, n_pairs = min(40, len(matrix)), min(200, len(matrix))
    some = np.ascontiguousarray(matrix[:n_some].T)
    for_pairs = np.ascontiguousarray(matrix[:n_pairs].T.astype(np.int64))

    def timers(method: str, how: str) -> dict[str, Timer]:
        if method == "MIM":
            from sklearn.feature_selection import mutual_info_classif as classif

            work = partial(classif, some, data.labels, discrete_features=True)
            return {"scikit-learn": _in_process(work, len(matrix) / n_some)}
        if method == "MRMR" and find_spec("fast_select"):
            from fast_select import mRMR

            def fit():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mRMR(2, backend="cpu").fit(for_pairs, data.labels)

            return {"fast-select": _in_process(fit, (len(matrix) / n_pairs) ** 2)}
        return {}

    return timers
