#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models become: memory between steps beside what is alive at once, weights, text, seconds to a program, and what the
default build and the instruction sets of older machines cost. programs.py CAMEO SCRATCH [PATTERN...]; prints two tables.

The models are bench/versus's. The first table is what `cameo bench` says, of a build for this machine. The second has times
of one thread, of processes in turn as in copies.py: a build for this machine, the default one, and that one held to older
instruction sets by CAMEO_ISA."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import onnx

from copies import ROOT, build, measure

sys.path[:0] = [str(ROOT / "bench/versus")]
import models  # noqa: E402

TURNS, TURN_MS = 12, 60
LEVELS = ["x86-64-v3", "x86-64"]


def bench(cameo, path):
    done = subprocess.run([cameo, "bench", path, "--seconds", "0.5", "--json", "-"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def describe(name, report):
    arena, bound = report["arena_bytes"], report["arena_lower_bound"]
    ratio = f"{arena / bound:.3f}" if bound else "-"
    return (f"| {name} | {arena / 1024:.0f} | {bound / 1024:.0f} | {ratio} | {report['weights_bytes'] / 2**20:.1f} | "
            f"{report['text_bytes'] / 1024:.0f} | {report['compile_s']:.2f} | {report['build_s']:.1f} |")


def compare(cameo, name, path, folder, milliseconds):
    subprocess.run([cameo, "compile", path, "-o", folder, "--name", name], check=True, capture_output=True)
    native, default = (build(folder, kind, *flags) / name for kind, flags in
                       (("native", ["-DCAMEO_MARCH=native"]), ("default", [])))
    candidates = {"native": (native, None), "default": (default, None)} | {level: (default, level) for level in LEVELS}
    best = dict.fromkeys(candidates, float("inf"))
    runs = max(2, int(TURN_MS / milliseconds))
    for _ in range(TURNS):
        for kind, (program, level) in candidates.items():
            os.environ.pop("CAMEO_ISA", None)
            if level:
                os.environ["CAMEO_ISA"] = level
            best[kind] = min(best[kind], measure(program, runs if kind in ("native", "default") else max(2, runs // 3)))
    older = " | ".join(f"{best[level]:.4g}" for level in LEVELS)
    return f"| {name} | {best['native']:.4g} | {best['default']:.4g} | {best['default'] / best['native']:.3f} | {older} |"


def main():
    cameo, scratch, patterns = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    scratch.mkdir(parents=True, exist_ok=True)
    names = [n for n in models.MODELS if not patterns or any(re.search(p, n) for p in patterns)]
    rows = []
    print("| model | arena, KiB | alive at once, KiB | ratio | weights, MiB | text, KiB | compiled in, s | built in, s |")
    print("|--|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for name in names:
        path = scratch / f"{name}.onnx"
        onnx.save(models.MODELS[name](), path)
        report = bench(cameo, path)
        print(describe(name, report), flush=True)
        rows.append(compare(cameo, name, path, scratch / name, report["min_ms"]))
        path.unlink()
    print("\n| model | -march=native, ms | default, ms | ratio | " + " | ".join(f"{level}, ms" for level in LEVELS) + " |")
    print("|--|--:|--:|--:|" + "--:|" * len(LEVELS))
    print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
