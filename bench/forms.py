#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a form that another tool saved costs beside the form that it was made from: forms.py CAMEO SCRATCH [--write] [PATTERN...].

`basic` and `extended` are saved by ONNX Runtime's optimiser and stand beside the original, `qoperator` beside `qdq`. The
networks are those of bench/versus. Prints a table: the least time of a run of each, on one thread, of programs that run in
turn in one process; PATTERN chooses networks. --write puts their rows into results/forms.md."""
import argparse
import fnmatch
import shutil
import sys
from pathlib import Path

import onnx

from compiled import Compiled
from copies import ROOT
from machine import processor
from rounds import Clock, measure, zeros_like

sys.path[:0] = [str(ROOT / "tests/contrib"), str(ROOT / "bench/versus")]
import models  # noqa: E402
import networks  # noqa: E402
import peers  # noqa: E402

SECONDS = 4
RESULTS = ROOT / "bench/results/forms.md"
# Ratios above 1.02: models of ONNX Runtime's quantiser, whose two forms are not the same graph.
LEFT_IN_FLOATS = "the quantiser leaves {} in floats in the QOperator form: {} million of these elements are made in place of {}"
EXPLAINED = {
    "inception_v1": LEFT_IN_FLOATS.format("two normalisations", 2.9, 2.2),
    "resnet50": LEFT_IN_FLOATS.format("sums and Relu", 8.9, 0.1),
    "shufflenet": LEFT_IN_FLOATS.format("sums and Relu", 7.5, 5.2),
    "mobilenet_v2": "the quantiser drops 35 Clip in the QDQ form only",
}
HEAD = ["| network | original, ms | basic | extended | QDQ, ms | QOperator |", "|--|--:|--:|--:|--:|--:|"]
# A form and the one that it is held against; the original has no name.
PAIRS = [("basic", ""), ("extended", ""), ("qoperator", "qdq")]


def load(cameo, path, arrays, shapes):
    candidate = Compiled(cameo, str(path))
    candidate.bind([arrays[port.name] for port in candidate.model.inputs], [zeros_like(shape) for shape in shapes])
    return candidate


def times_of(cameo, name, folder):
    """Milliseconds of a run by form."""
    original = folder / f"{name}.onnx"
    model = models.MODELS[name]()
    onnx.save(model, original)
    arrays = models.inputs_of(model, name)
    shapes = peers.reference(original, arrays)
    paths = {"": original} | {form: networks.make(name, form, folder) for form in {f for pair in PAIRS for f in pair if f}}
    candidates = {form: load(cameo, path, arrays, shapes) for form, path in paths.items()}
    best, _ = measure(candidates, Clock(threads=1), SECONDS)
    return {form: seconds * 1e3 for form, seconds in best.items()}


def row_of(name, times):
    basic, extended, qoperator = (f"{times[form] / times[base]:.3f}" for form, base in PAIRS)
    return f"| {name} | {times['']:.4g} | {basic} | {extended} | {times['qdq']:.4g} | {qoperator} |"


def write(rows):
    """The rows of other networks stay."""
    old = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    known = {line.split(" | ")[0][2:]: line for line in old if line.startswith("| ")} | rows
    lines = ["# forms: networks as other tools save them", "",
             "ONNX Runtime's optimiser (basic, extended) beside the original, by their times; QOperator beside QDQ. One thread, `-march=native`,",
             f"{processor()}; `bench/forms.py CAMEO SCRATCH --write` writes this table.", "", *HEAD,
             *(known[name] for name in networks.NETWORKS if name in known), "",
             *(f"- {name}: {why}." for name, why in EXPLAINED.items() if name in known)]
    RESULTS.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cameo")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_intermixed_args()
    for name in networks.NETWORKS:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in given.patterns):
            continue
        folder = given.scratch / name
        folder.mkdir(parents=True)
        row = row_of(name, times_of(given.cameo, name, folder))
        print(row, flush=True)
        if given.write:
            write({name: row})
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
