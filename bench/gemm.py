#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a constant matrix (MatMul) under several builds of the compiler and ONNX Runtime, side by side.

    bench/gemm.py [--seconds 5] NAME=path/to/cameo...

One process, one thread, rounds in which each candidate runs in turn, the minimum of the process's processor time. Each
product has several matrices, one behind the other, so that they come from memory as the weights of a network do. The
percentages are of the float32 peak that the last compiler's `bench --profile` measures."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests/models"), str(HERE / "versus")]
from compiled import Compiled  # noqa: E402
from graph import FLOAT, Graph, normal, random  # noqa: E402
from peers import OnnxRuntime  # noqa: E402
from rounds import Clock, measure  # noqa: E402

# Rows, columns, depth: squares, and the layers of BERT's base size at 128 tokens.
SHAPES = [(512, 512, 512), (1024, 1024, 1024), (128, 768, 768), (128, 3072, 768), (128, 768, 3072), (1, 768, 768)]
WEIGHT_BYTES = 48 << 20


def build(rows, columns, depth):
    """As many products as the weights take, and their sum, which is small beside them."""
    rng = random("gemm benchmark")
    g = Graph("products")
    g.input("x", FLOAT, [rows, depth])
    count = max(1, WEIGHT_BYTES // (4 * columns * depth))
    products = [g.op("MatMul", "x", g.const(normal(rng, depth, columns, scale=depth**-0.5))) for _ in range(count)]
    g.op("ReduceSum", g.op("Sum", *products), out="y", keepdims=0)
    g.output("y", FLOAT, [])
    return g.model(), 2 * rows * columns * depth * count


def peak(cameo, model):
    done = subprocess.run([cameo, "bench", model, "--profile", "--seconds", "0.01", "--json", "-"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["roofline"]["flops_per_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compilers", nargs="+", metavar="NAME=CAMEO")
    parser.add_argument("--seconds", type=float, default=5, help="of each shape")
    arguments = parser.parse_args()
    roof = None
    for rows, columns, depth in SHAPES:
        with tempfile.TemporaryDirectory() as temporary:
            model = Path(temporary) / "products.onnx"
            proto, work = build(rows, columns, depth)
            onnx.save(proto, model)
            candidates = {OnnxRuntime.name: OnnxRuntime(model, 1)}
            for number, compiler in enumerate(arguments.compilers):
                name, _, path = compiler.partition("=")
                candidates[name] = Compiled(path, model)
                if roof is None and number == len(arguments.compilers) - 1:
                    roof = peak(path, model)
            x = normal(random("gemm image"), rows, depth)
            sums = {name: np.zeros((), np.float32) for name in candidates}
            for name, candidate in candidates.items():
                candidate.bind([x], [sums[name]])
            best, _ = measure(candidates, Clock(threads=1), arguments.seconds)
            reference, *mine = sums.values()
            assert all(abs(value - reference) <= 1e-3 * (1 + abs(reference)) * rows for value in mine), sums
        text = ", ".join(f"{name} {work / seconds / 1e9:.1f} ({work / seconds / roof:.0%})"
                         for name, seconds in best.items())
        print(f"{rows} x {columns} x {depth}: {text}", flush=True)
    print(f"GFLOP/s; peak {roof / 1e9:.0f}")


if __name__ == "__main__":
    main()
