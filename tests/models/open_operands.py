# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents that decide what an operator does, known to the run only: heads of Attention and how many share keys, taps and
channels of a convolution, lengths of index tuples, scales that are one for all or one for each place, numbers that are
real or complex. No dim of an input has a value or the name of another."""
import numpy as np
from graph import FLOAT, INT64, UINT8, Case, Graph, normal, random

# ONNX Runtime has no CausalConvWithState.
ORACLE = "reference"


def build():
    g = Graph("open_operands")

    def add(name, rank, dtype=FLOAT):
        g.input(name, dtype, [None] * rank)
        return name

    q, k, v = (add(name, 4) for name in "qkv")
    g.output(g.op("Attention", q, k, v, out="attended"), FLOAT, [None] * 4)

    causal = g.op("CausalConvWithState", add("signal", 3), add("kernel", 3), add("bias", 1), out=["filtered", "state"],
                  activation="silu")
    for name in causal:
        g.output(name, FLOAT, [None] * 3)

    g.output(g.op("GatherND", add("data", 3), add("points", 2, INT64), out="picked"), FLOAT, [None] * 2)
    g.output(g.op("ScatterND", "data", "points", add("updates", 2), out="placed"), FLOAT, [None] * 3)

    g.output(g.op("DequantizeLinear", add("bytes", 2, UINT8), add("scale", 1), add("zero", 1, UINT8), axis=0, out="numbers"),
             FLOAT, [None] * 2)
    g.output(g.op("DequantizeLinear", add("row", 1, UINT8), add("one", 1), add("none", 0, UINT8), out="row_numbers"), FLOAT, [None])

    g.output(g.op("DFT", add("waves", 3), "", g.const(1), out="spectrum"), FLOAT, [None] * 3)
    return g.model(opset=27, ir_version=13)


def cases():
    rng = random("open_operands data")

    def case(batch=2, heads=4, shared=2, taps=3, channels=5, tuple_length=2, scales=None, ones=1, parts=2, **status):
        points = rng.integers(0, 3, (6, tuple_length))
        points[:, 0] = np.arange(6) % 3
        points[:, -1] = np.arange(6) // 3
        scales = 7 if scales is None else scales
        return Case({
            "q": normal(rng, batch, heads, 3, 8), "k": normal(rng, batch, heads // shared, 5, 8),
            "v": normal(rng, batch, heads // shared, 5, 6),
            "signal": normal(rng, batch, channels, 6), "kernel": normal(rng, channels, 1, taps),
            "bias": normal(rng, channels),
            "data": normal(rng, 3, 3, 4), "points": points, "updates": normal(rng, 6, 4),
            "bytes": rng.integers(0, 255, (7, 3)).astype(np.uint8), "scale": np.abs(normal(rng, scales)) + 0.1,
            "zero": rng.integers(0, 255, scales).astype(np.uint8),
            "row": rng.integers(0, 255, 9).astype(np.uint8), "one": np.full(ones, 0.25, np.float32),
            "none": np.array(3, np.uint8),
            "waves": normal(rng, batch, 6, parts)}, **status)

    yield case()
    yield case(batch=1, heads=3, shared=1, taps=1, channels=1, scales=1, parts=1)
    for wrong in [dict(heads=5, shared=2), dict(tuple_length=1), dict(scales=2), dict(ones=2), dict(parts=3)]:
        yield case(**wrong, status="INVALID_ARGUMENT")
    yield case(batch=3, heads=6, shared=3, taps=4, channels=2)
