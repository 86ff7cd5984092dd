#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the host program of a model takes to compile, by the number of its kernels: long_programs.py CAMEO SCRATCH.

The models are chains of attention-like blocks of five kernels, with an open and with a constant batch. Prints a table of the
processor time of `g++ -O3` for NAME.cpp, and of that time a kernel."""
import resource
import subprocess
import sys
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/models"))
from graph import FLOAT, Graph, normal, random  # noqa: E402

BLOCKS = [12, 60, 120]
KERNELS = 5
TURNS = 3


def make(blocks, batch):
    rng, g = random("long programs"), Graph("long")
    shape = [batch, 64, 32]
    g.input("x", FLOAT, shape)
    value = "x"
    for _ in range(blocks):
        mapped = g.op("MatMul", value, g.const(normal(rng, 32, 32, scale=0.1)))
        weighed = g.op("MatMul", g.op("Transpose", g.op("Softmax", mapped, axis=-1), perm=[0, 2, 1]), mapped)
        mixed = g.op("MatMul", mapped, weighed)
        scales = [g.const(normal(rng, 32)) for _ in range(2)]
        value = g.op("Add", g.op("LayerNormalization", mixed, *scales, axis=-1), value)
    g.output(value, FLOAT, shape)
    return g.model(opset=21)


def compile_seconds(folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", "-I", folder, "-I", folder / "cameo", "-c", folder / "net.cpp", "-o",
                    folder / "net.o"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    print("| batch | kernels | g++, s | a kernel, ms | of the shortest's |\n|--|--:|--:|--:|--:|")
    for batch in "batch", 4:
        shortest = None
        for blocks in BLOCKS:
            path, folder = scratch / "long.onnx", scratch / f"{batch}_{blocks}"
            onnx.save(make(blocks, batch), path)
            subprocess.run([cameo, "compile", path, "-o", folder, "--name", "net"], check=True, capture_output=True)
            kernels = blocks * KERNELS
            seconds = min(compile_seconds(folder) for _ in range(TURNS))
            shortest = shortest or seconds / kernels
            print(f"| {batch} | {kernels} | {seconds:.2f} | {seconds / kernels * 1e3:.2f} | {seconds / kernels / shortest:.2f} |", flush=True)


if __name__ == "__main__":
    main()
