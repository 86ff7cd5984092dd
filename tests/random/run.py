#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models against ONNX Runtime, and what `explain` says of them against what a run does:
run.py CAMEO FIRST COUNT SCRATCH.

Each seed is a model with three data sets, verified on the CUDA emulator; those without a loop also have their readbacks,
uploads and waits counted. Every run may do what explain says, or less where an If goes the other way. Models that fail
stay in SCRATCH.
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

import onnx

from model import RandomModel, cases, operators  # also makes tests/models importable
from make import onnxruntime_runner, write_cases

COUNTERS = {"readbacks": "d2h", "uploads": "h2d", "blocking_syncs": "blocking_syncs"}


def call(cameo, *arguments):
    return subprocess.run([cameo, *map(str, arguments)], capture_output=True, text=True)


def check(cameo, seed, folder):
    """What is wrong with the model of a seed; nothing if it is as it should be."""
    model = RandomModel(seed).model
    path = folder / "random.onnx"
    onnx.save(model, path)
    write_cases(model, onnxruntime_runner(model), cases(seed), folder)
    verified = call(cameo, "verify", path, "--target", "cuda-emu", "--json", folder / "verify.json")
    if verified.returncode != 0:
        return verified.stdout + verified.stderr
    used = set(operators(model.graph))
    if "Loop" in used:
        return ""
    said = json.loads(call(cameo, "explain", path, "--target", "cuda", "--json", "-").stdout)
    for case in json.loads((folder / "verify.json").read_text())["cases"]:
        for what, counter in COUNTERS.items():
            done = case["counters"][counter]
            # Extents that the device counts are told in one copy, which nobody waits for.
            promised = said[what] + (what == "readbacks" and said["late_extents"] > 0)
            if done > promised or (done < promised and "If" not in used):
                return f"{case['data']}: {done} {what}, explain says {promised}\n"
    return ""


def main():
    cameo, first, count, scratch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    failed = 0
    for seed in range(first, first + count):
        folder = scratch / str(seed)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        wrong = check(cameo, seed, folder)
        print(f"{seed}: {wrong or 'as promised'}", flush=True)
        failed += bool(wrong)
        if not wrong:
            shutil.rmtree(folder)
    print(f"{count - failed} of {count} models as promised")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
