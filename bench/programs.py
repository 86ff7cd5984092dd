#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models become: memory between steps beside what is alive at once, weights, text, seconds to a program, and what the
default build and the instruction sets of older machines cost. programs.py CAMEO SCRATCH [PATTERN...]; prints two tables.

The models are bench/versus's. The first table is what `cameo bench` says, of a build for this machine. The second has times
of one thread, of libraries that run in turn in one process: a build for this machine, the default one, and that one held to
older instruction sets by CAMEO_ISA."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import onnx

from compiled import Loaded, cameo_onnx
from copies import ROOT, build
from rounds import Clock, measure, zeros_like

sys.path[:0] = [str(ROOT / "bench/versus")]
import models  # noqa: E402
import peers  # noqa: E402

SECONDS = 6
LEVELS = ["x86-64-v3", "x86-64"]


def bench(cameo, path):
    done = subprocess.run([cameo, "bench", path, "--seconds", "0.5", "--json", "-"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def describe(name, report):
    arena, bound = report["arena_bytes"], report["arena_lower_bound"]
    ratio = f"{arena / bound:.3f}" if bound else "-"
    return (f"| {name} | {arena / 1024:.0f} | {bound / 1024:.0f} | {ratio} | {report['weights_bytes'] / 2**20:.1f} | "
            f"{report['text_bytes'] / 1024:.0f} | {report['compile_s']:.2f} | {report['build_s']:.1f} |")


def link(folder, kind, *flags):
    """A shared library of what CMake builds."""
    out = build(folder, kind, "-DCMAKE_POSITION_INDEPENDENT_CODE=ON", *flags)
    library = out / "lib.so"
    subprocess.run(["g++", "-shared", "-pthread", "-Wl,--whole-archive", *out.glob("*.a"), "-Wl,--no-whole-archive", "-o", library],
                   check=True)
    return library


def load(library, level, name):
    """Held to an instruction set, of which a file has one: dlopen() gives the same library for the same file."""
    os.environ.pop("CAMEO_ISA", None)
    if level:
        os.environ["CAMEO_ISA"] = level
        library = shutil.copy(library, library.with_name(f"{level}.so"))
    return Loaded(cameo_onnx.load(library, name))


def compare(cameo, name, model, path, folder):
    subprocess.run([cameo, "compile", path, "-o", folder, "--name", name], check=True, capture_output=True)
    native, default = link(folder, "native", "-DCAMEO_MARCH=native"), link(folder, "default")
    candidates = {"native": load(native, None, name), "default": load(default, None, name)}
    candidates |= {level: load(default, level, name) for level in LEVELS}
    arrays = models.inputs_of(model, name)
    shapes = peers.reference(path, arrays)
    for candidate in candidates.values():
        candidate.bind(list(arrays.values()), [zeros_like(shape) for shape in shapes])
    processors = os.sched_getaffinity(0)
    peers.pin(1)
    best, _ = measure(candidates, Clock(threads=1), SECONDS)
    os.sched_setaffinity(0, processors)
    times = {kind: seconds * 1e3 for kind, seconds in best.items()}
    older = " | ".join(f"{times[level]:.4g}" for level in LEVELS)
    return f"| {name} | {times['native']:.4g} | {times['default']:.4g} | {times['default'] / times['native']:.3f} | {older} |"


def main():
    cameo, scratch, patterns = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    scratch.mkdir(parents=True, exist_ok=True)
    names = [n for n in models.MODELS if not patterns or any(re.search(p, n) for p in patterns)]
    rows = []
    print("| model | arena, KiB | alive at once, KiB | ratio | weights, MiB | text, KiB | compiled in, s | built in, s |")
    print("|--|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for name in names:
        path = scratch / f"{name}.onnx"
        model = models.MODELS[name]()
        onnx.save(model, path)
        print(describe(name, bench(cameo, path)), flush=True)
        rows.append(compare(cameo, name, model, path, scratch / name))
        print(rows[-1], file=sys.stderr, flush=True)
        path.unlink()
        shutil.rmtree(scratch / name)
    print("\n| model | -march=native, ms | default, ms | ratio | " + " | ".join(f"{level}, ms" for level in LEVELS) + " |")
    print("|--|--:|--:|--:|" + "--:|" * len(LEVELS))
    print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
