# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Features that are appended to what is there, as in dense blocks: what a Concat begins with lies in front already, or not: where
it is read afterwards, is an input, or has several images. And a part cut off the front.
"""
import numpy as np
from graph import BOOL, FLOAT, Case, Graph, normal, random


def grow(g, x, channels, steps):
    """`steps` times 16 more channels; each but the first reads all of those before."""
    rng = random("concat_chain weights")
    for step in range(steps):
        width = channels + 16 * step
        y = g.op("Conv", g.op("Relu", x), g.const(normal(rng, 16, width, 3, 3, scale=0.1)), pads=[1, 1, 1, 1])
        x = g.op("Concat", x, y, axis=1)
    return x


def build():
    g = Graph("concat_chain")
    g.input("image", FLOAT, [1, 16, "h", 12])
    g.input("images", FLOAT, [2, 16, 6, 6])
    g.input("rows", FLOAT, ["n", 5])
    g.input("sure", BOOL, [])
    one = grow(g, "image", 16, 3)
    g.output(g.op("ReduceMean", g.op("Relu", one), g.const([2, 3]), out="of_one"), FLOAT, [1, 64, 1, 1])
    # Images lie apart: their first channels do not lie as in the whole.
    g.output(grow(g, "images", 16, 2), FLOAT, [2, 48, 6, 6])
    # Read once more behind the Concat.
    twice = g.op("Mul", "rows", g.const(np.float32(2)))
    more = g.op("Concat", twice, g.op("Exp", twice), axis=0)
    g.output(g.op("Add", g.op("Slice", more, g.const([1]), g.const([2]), g.const([0])), twice, out="read_again"), FLOAT, ["n", 5])
    # One after the other, into an output, whose memory is the caller's.
    chain = g.op("Sin", "rows")
    for _ in range(3):
        chain = g.op("Concat", chain, g.op("ReduceSum", chain, g.const([0]), keepdims=1), axis=0)
    g.output(g.op("Identity", chain, out="appended"), FLOAT, ["n + 3", 5])
    # In a branch, by as many rows as the data say: the branch's result is as large as both may be.
    grown, few = g.sub("grown"), g.sub("few")
    found = grown.op("Transpose", grown.op("NonZero", grown.op("Greater", "rows", g.const(np.float32(0)))))
    rows = grown.op("Gather", "rows", grown.op("Slice", found, g.const([0]), g.const([1]), g.const([1])))
    tall = grown.op("Tanh", grown.op("Reshape", rows, g.const([-1, 5])))
    tall = grown.op("Concat", tall, grown.op("Neg", tall), axis=0)
    grown.output(grown.op("Concat", grown.op("Abs", tall), grown.op("ReduceMax", tall, g.const([0]), keepdims=1), axis=0), FLOAT,
                 [None, 5])
    few.output(few.op("Neg", "rows"), FLOAT, ["n", 5])
    g.op("If", "sure", out="either", then_branch=grown.proto(), else_branch=few.proto())
    g.output("either", FLOAT, [None, 5])
    # The front of what is there.
    front = g.op("Slice", g.op("Cos", more), g.const([0]), g.const([2]), g.const([0]))
    g.output(g.op("MatMul", front, g.const(normal(random("concat_chain front"), 5, 3)), out="front"), FLOAT, [None, 3])
    return g.model(opset=18)


def cases():
    rng = random("concat_chain data")
    for h, n in [(12, 4), (7, 1), (1, 9)]:
        yield Case({"image": normal(rng, 1, 16, h, 12), "images": normal(rng, 2, 16, 6, 6), "rows": normal(rng, n, 5),
                    "sure": np.array(n != 4)})
