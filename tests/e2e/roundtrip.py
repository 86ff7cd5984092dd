#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `--emit ir:STAGE` prints can be read: roundtrip.py CAMEO CAMEO_OPT MODELS SCRATCH. Every model, for a target that the
seed chooses (CAMEO_SEED, default: the day), behind every stage, through `cameo-opt`, which must print the same again.
"""
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import share  # noqa: E402

STAGES = ("import", "shape", "simplify", "place", "structure", "fuse", "select", "plan", "prepare")


def code(text):
    """Without the list of large constants, whose elements are left out."""
    return text.partition("{-#")[0].strip()


def check(cameo, opt, model, target, stage, scratch):
    printed = scratch / f"{stage}.mlir"
    done = subprocess.run([cameo, "compile", model, "--target", target, "--emit", f"ir:{stage}", "-o", printed],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()[:500]}"
    again = subprocess.run([opt, printed], capture_output=True, text=True)
    if again.returncode != 0:
        return f"cannot be read: {again.stderr.strip()[:500]}"
    return None if code(again.stdout) == code(printed.read_text()) else "prints otherwise"


def main():
    cameo, opt, models, scratch = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
    scratch.mkdir(parents=True, exist_ok=True)
    print(f"CAMEO_SEED={share.SEED}")
    rng, faults, modules = random.Random(share.SEED), 0, 0
    for model in share.sample("roundtrip", sorted(models.glob("*/*.onnx"))):
        target = rng.choice(("cpu", "cuda"))
        for stage in STAGES:
            modules += 1
            if fault := check(cameo, opt, model, target, stage, scratch):
                faults += 1
                print(f"{model.stem} {target} {stage}: {fault}")
    print(f"{modules - faults} of {modules} modules read and printed again the same")
    sys.exit(1 if faults or not modules else 0)


main()
