#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step of a decoder launches and copies, as the emulator counts it: decoder_steps.py CAMEO SCRATCH. Prints a table.

A run of a model that has a step for a run, and all of it of one that has a loop. Least and most over the data sets of the
model; of the decoder of onnxruntime-genai's model builder the steps behind the prompt, its cache in one buffer."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/models"), str(ROOT / "tests/contrib")]
import subprocess  # noqa: E402

import decoder  # noqa: E402
import make  # noqa: E402
from schemas import read_report  # noqa: E402

MODELS = ["gpt_decode", "llama_decode", "growing_cache", "inner_cache", "decode_until"]
COUNTERS = ["launches", "kernel_copies", "kernel_copy_bytes", "h2d", "h2d_bytes", "d2h", "d2h_bytes", "blocking_syncs"]


def count(cameo, model, flags, scratch):
    """The counters of each run, in the order of the data sets."""
    report = scratch / f"{model.stem}.json"
    subprocess.run([cameo, "verify", model, "--target", "cuda-emu", *flags, "--json", report], check=True, capture_output=True)
    return [case["counters"] for case in read_report("verify", report)["cases"]]


def genai(cameo, scratch):
    path, sets = decoder.write(scratch / "genai", "fp32", decoder.CONTEXT, 8)
    ports = [f"{present}={past}" for present, past in decoder.caches()]
    flags = [word for port in ports for word in ("--in-place", port, "--carry", port)]
    flags += [word for folder in sets for word in ("--data", str(folder))]
    return count(cameo, path, flags, scratch)[1:]


def row(name, runs):
    cells = []
    for counter in COUNTERS:
        values = [run[counter] for run in runs]
        cells.append(str(min(values)) if min(values) == max(values) else f"{min(values)} to {max(values)}")
    return f"| {name} | " + " | ".join(cells) + " |"


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    print("| model |", " | ".join(counter.replace("_", " ") for counter in COUNTERS), "|")
    print("|--|" + "--:|" * len(COUNTERS))
    for name in MODELS:
        make.make(name, scratch, None)
        print(row(name, count(cameo, scratch / name / f"{name}.onnx", [], scratch)), flush=True)
    print(row("of onnxruntime-genai", genai(cameo, scratch)))


main()
