#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a form that another tool saved costs beside the form that it was made from: forms.py CAMEO SCRATCH [PATTERN...].

`basic` and `extended` are saved by ONNX Runtime's optimiser and stand beside the original, `qoperator` beside `qdq`. The
networks are those of bench/versus. Prints a table: the least time of a run of each, on one thread, of programs that run in
turn in one process; PATTERN chooses networks."""
import fnmatch
import shutil
import sys
from pathlib import Path

import onnx

from compiled import Compiled
from copies import ROOT
from rounds import Clock, measure, zeros_like

sys.path[:0] = [str(ROOT / "tests/contrib"), str(ROOT / "bench/versus")]
import models  # noqa: E402
import networks  # noqa: E402
import peers  # noqa: E402

SECONDS = 4
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


def main():
    cameo, scratch, patterns = sys.argv[1], Path(sys.argv[2]), sys.argv[3:] or ["*"]
    print("| network | original, ms | basic | extended | QDQ, ms | QOperator |\n|--|--:|--:|--:|--:|--:|", flush=True)
    for name in networks.NETWORKS:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        folder = scratch / name
        folder.mkdir(parents=True)
        times = times_of(cameo, name, folder)
        basic, extended, qoperator = (f"{times[form] / times[base]:.3f}" for form, base in PAIRS)
        print(f"| {name} | {times['']:.4g} | {basic} | {extended} | {times['qdq']:.4g} | {qoperator} |", flush=True)
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
