#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of f32 that are rounded: rounded.py CAMEO MODEL. By each word of --precision that rounds them, the output that is
farthest from the data sets of a model is as far as roundings of two factors are, no farther and not much nearer; on the CPU
the words are `fast`.

Errors are relative to the norm. A sum of products that are off by up to 2u at random is off by less than u; a network of a
few layers and of exponentials of sums by a few u.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# Half of the last bit of 11 and of 8.
ROUNDING = {"tf32": 2**-11, "fp16": 2**-11, "bf16": 2**-8}
NEAREST, FARTHEST = 1 / 4, 4


def verify(cameo, model, target, word):
    """The exit status, and the largest error of an output."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run([cameo, "verify", model, "--target", target, "--precision", word, "--json", report],
                              capture_output=True, text=True)
        if not report.exists():
            sys.exit(f"{word} on {target}: exit {done.returncode}\n{done.stderr[:2000]}")
        cases = json.loads(report.read_text())["cases"]
    return done.returncode, max(output["norm"] or 0 for case in cases for output in case["outputs"])


def main():
    cameo, model = sys.argv[1:3]
    failed = []
    for word, rounding in ROUNDING.items():
        status, error = verify(cameo, model, "cuda-emu", word)
        print(f"{word}: {error:.1e}, {error / rounding:.2f} roundings")
        if status not in (0, 8) or not NEAREST < error / rounding < FARTHEST:
            failed.append(word)
    if verify(cameo, model, "cpu", "bf16")[0] != 0:
        failed.append("bf16 on the CPU")
    sys.exit(f"FAILED: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
