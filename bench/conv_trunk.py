#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolution trunk of ResNet-18's shape under several builds of the compiler and ONNX Runtime, side by side.

    bench/conv_trunk.py [--size 112] [--seconds 20] NAME=path/to/cameo...

One process, one thread, batch 1: rounds in which each candidate runs for a while, in turn, until the time is up (rounds.py);
the minimum counts, since whatever else the machine does only adds. Outputs are compared first. Weights are random (He)."""
import argparse
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


def build(size):
    """Stem, max pool, four stages of two residual blocks, classifier; multiply-adds beside it."""
    rng = random("conv_trunk benchmark")
    g = Graph("trunk")
    g.input("image", FLOAT, ["batch", 3, "height", "width"])
    work = 0

    def conv(x, inputs, outputs, kernel, side, stride=1):
        nonlocal work
        work += inputs * outputs * kernel * kernel * side * side
        weight = normal(rng, outputs, inputs, kernel, kernel, scale=(2 / (inputs * kernel * kernel))**0.5)
        return g.op("Conv", x, g.const(weight), g.const(normal(rng, outputs, scale=0.1)), strides=[stride] * 2,
                    pads=[kernel // 2] * 4)

    side = size // 2
    x = g.op("Relu", conv("image", 3, 64, 7, side, 2))
    x = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    side //= 2
    channels = 64
    for wide in 64, 128, 256, 512:
        for block in range(2):
            stride = 2 if wide > 64 and block == 0 else 1
            side = -(-side // stride)
            y = g.op("Relu", conv(x, channels, wide, 3, side, stride))
            y = conv(y, wide, wide, 3, side)
            shortcut = x if stride == 1 else conv(x, channels, wide, 1, side, stride)
            x = g.op("Relu", g.op("Add", y, shortcut))
            channels = wide
    pooled = g.op("Flatten", g.op("GlobalAveragePool", x))
    g.op("Gemm", pooled, g.const(normal(rng, 1000, channels, scale=0.05)), g.const(normal(rng, 1000)), out="scores",
         transB=1)
    g.output("scores", FLOAT, ["batch", 1000])
    return g.model(), work


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compilers", nargs="+", metavar="NAME=CAMEO")
    parser.add_argument("--size", type=int, default=112)
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        model = Path(temporary) / "trunk.onnx"
        proto, work = build(arguments.size)
        onnx.save(proto, model)
        candidates = {OnnxRuntime.name: OnnxRuntime(model, 1)}
        for compiler in arguments.compilers:
            name, _, path = compiler.partition("=")
            candidates[name] = Compiled(path, model)
        image = normal(random("conv_trunk image"), 1, 3, arguments.size, arguments.size)
        scores = {name: np.zeros((1, 1000), np.float32) for name in candidates}
        for name, candidate in candidates.items():
            candidate.bind([image], [scores[name]])
        best, rounds = measure(candidates, Clock(threads=1), arguments.seconds)
    reference = next(iter(scores.values()))
    print(f"{work / 1e9:.3f} G multiply-adds, {arguments.size} x {arguments.size}, {rounds} rounds")
    for name, seconds in best.items():
        error = np.abs(scores[name] - reference).max() / np.abs(reference).max()
        print(f"{name:24} {seconds * 1e3:8.2f} ms  {2 * work / seconds / 1e9:7.1f} GFLOP/s  "
              f"{next(iter(best.values())) / seconds:5.2f}x  error {error:.1e}")


if __name__ == "__main__":
    main()
