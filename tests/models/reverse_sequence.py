# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences reversed along either axis: their lengths are an input, are computed from the data or from the input's own
shape, are constants, and decide a shape, too; lengths that no sequence has."""
import numpy as np
from graph import BOOL, FLOAT, FLOAT16, INT8, INT32, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("reverse_sequence")
    g.input("x", FLOAT, ["T", "B", 3])
    g.input("lengths", INT64, ["L"])
    g.input("rows", INT8, ["B", "T"])
    g.input("pair", FLOAT, ["T", 2])
    g.input("sizes", INT64, [2])
    g.output(g.op("Relu", g.op("ReverseSequence", "x", "lengths", name="by_columns"), out="y"), FLOAT, ["T", "B", 3])
    # As an encoder counts what is no padding: computed where the data are.
    counted = g.op("ReduceSum", g.op("Cast", g.op("Greater", "rows", g.const(0, np.int8)), to=INT64), g.const([1]), keepdims=0)
    g.output(g.op("ReverseSequence", "rows", counted, out="by_rows", batch_axis=0, time_axis=1), INT8, ["B", "T"])
    # Half of all steps, and all: known before the run.
    steps = g.op("Shape", "x", end=1)
    known = g.op("Concat", g.op("Div", steps, g.const([2])), steps, axis=0)
    for to, name in ((FLOAT16, "halves"), (BOOL, "bools")):
        g.output(g.op("ReverseSequence", g.op("Cast", "pair", to=to), known, out=name), to, ["T", 2])
    g.output(g.op("ReverseSequence", g.const(np.arange(24, dtype=np.int32).reshape(2, 3, 4)), g.const([3, 2]), out="fixed",
                  batch_axis=0, time_axis=1), INT32, [2, 3, 4])
    # Lengths that the host needs for a shape, and the device as well.
    longest = g.op("ReduceMax", "sizes", keepdims=1)
    g.output(g.op("ConstantOfShape", longest, out="mask"), FLOAT, ["longest"])
    g.output(g.op("ReverseSequence", "pair", "sizes", out="by_sizes"), FLOAT, ["T", 2])
    return g.model()


def cases():
    rng = random("reverse_sequence data")

    def data(steps, batch, lengths=None):
        some = rng.integers(0, steps + 1, batch) if lengths is None else np.array(lengths)
        return {"x": normal(rng, steps, batch, 3), "lengths": some.astype(np.int64),
                "rows": rng.integers(-9, 10, (batch, steps)).astype(np.int8), "pair": normal(rng, steps, 2),
                "sizes": rng.integers(0, steps + 1, 2).astype(np.int64)}

    for sizes in ((5, 3), (1, 1), (40, 17), (0, 2)):
        yield Case(data(*sizes))
    for wrong in ([4, 6], [-1, 2], [2, 1 << 62], [-(1 << 63), 5]):
        yield Case(data(5, 2, wrong), status="OUT_OF_RANGE by_columns")
        yield Case(data(5, 2, [5, 0]))
    yield Case(data(5, 2, [5, 0, 1]), status="INVALID_ARGUMENT by_columns")
    yield Case(data(5, 2, [5, 0]))
