# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants without elements among those that have some: several in a row, of each kind, one that a loop begins with, one
behind all others. None may be taken for the one that lies next to it."""
import numpy as np
from onnx import helper

from graph import BOOL, FLOAT, INT4, INT64, INT8, Case, Graph, normal, random


def appending(g):
    body = g.sub("appending")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("rows", FLOAT, ["filled", 3])
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Concat", "rows", "x", axis=0), FLOAT, None)
    return body.proto()


def build():
    rng = random("empty_constants weights")
    g = Graph("empty_constants")
    g.input("x", FLOAT, ["n", 3])
    none = [g.const(np.zeros((0, 3), np.float32)) for _ in range(2)]
    joined = g.op("Concat", "x", *none, axis=0)
    g.op("Gather", joined, g.const([2, 0, 1, 1]), axis=1, out="picked")
    bytes_ = g.op("Concat", g.op("Cast", "x", to=INT8), g.const(np.zeros((0, 3), np.int8)), axis=0)
    g.op("Gather", bytes_, g.const(np.array([1, 1], np.int32)), axis=1, out="bytes")

    nibbles = g.fresh("nibbles")
    g.initializers.append(helper.make_tensor(nibbles, INT4, [0, 3], b"", raw=True))
    g.op("Concat", g.op("DequantizeLinear", nibbles, g.const(np.float32(0.5))), joined, axis=0, out="dequantised")

    # A product over no elements is zeros, one with no columns has none; both operands may be packed.
    g.op("MatMul", g.op("Slice", "x", g.const([3]), g.const([9]), g.const([1])), g.const(np.zeros((0, 5), np.float32)),
         out="zeros")
    g.op("MatMul", "x", g.const(np.zeros((3, 0), np.float32)), out="narrow")
    g.op("MatMul", "x", g.const(normal(rng, 3, 7)), out="product")
    g.op("Relu", g.op("Gather", none[0], g.const(np.zeros((0,), np.int64)), axis=0), out="nothing")
    g.op("Loop", g.const(2), "", none[1], out=["rows"], body=appending(g))
    empty = g.op("Reshape", g.const(np.zeros((2, 0, 5), np.float32)), g.const([0, 3]), allowzero=1)
    g.op("Concat", "x", empty, axis=0, out="reshaped")
    for name, dtype, dims in [("picked", FLOAT, ["n", 4]), ("bytes", INT8, ["n", 2]), ("dequantised", FLOAT, ["n", 3]),
                              ("zeros", FLOAT, ["n", 5]), ("narrow", FLOAT, ["n", 0]), ("product", FLOAT, ["n", 7]),
                              ("nothing", FLOAT, [0, 3]), ("rows", FLOAT, ["filled_last", 3]),
                              ("reshaped", FLOAT, ["n", 3])]:
        g.output(name, dtype, dims)
    return g.model()


def cases():
    rng = random("empty_constants data")
    for rows in (2, 0, 5):
        yield Case({"x": normal(rng, rows, 3)})
