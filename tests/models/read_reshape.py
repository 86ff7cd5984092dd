# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reshapes by a dim that is computed on the device and that the host needs: as the steps of a recurrent layer. A dim that does
not fit ends the run, and nothing is read or written beside the tensor before."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

SIZE, HIDDEN = 4, 3


def build():
    rng = random("read_reshape weights")
    g = Graph("read_reshape")
    g.input("x", FLOAT, ["n", SIZE])
    g.input("ids", INT64, ["m"])
    steps = g.op("ReduceMax", "ids", keepdims=1)
    sequences = g.op("Reshape", g.op("Neg", "x"), g.op("Concat", steps, g.const([-1, SIZE]), axis=0))
    g.op("RNN", sequences, g.const(normal(rng, 1, HIDDEN, SIZE)), g.const(normal(rng, 1, HIDDEN, HIDDEN)), hidden_size=HIDDEN, out="y")
    g.op("Abs", sequences, out="sequences")
    g.op("ReduceSum", sequences, g.const([1]), keepdims=0, out="sums")
    g.output("y", FLOAT, [None, 1, None, HIDDEN])
    g.output("sequences", FLOAT, [None, None, SIZE])
    g.output("sums", FLOAT, [None, SIZE])
    return g.model()


def cases():
    rng = random("read_reshape data")

    def case(n, steps, status=""):
        return Case({"x": normal(rng, n, SIZE), "ids": np.int64([min(steps, 0), steps, steps])}, status)

    for n, steps in [(12, 3), (1, 1), (40, 40), (9, 1)]:
        yield case(n, steps)
    for n, steps in [(12, 5), (12, 24), (12, -2), (12, 1 << 62), (12, -(1 << 62))]:
        yield case(n, steps, status="INVALID_ARGUMENT")
    yield case(12, 4)
