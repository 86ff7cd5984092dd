# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoder of as many steps as the host says: one cache grows by a row a step, in its room, one of fixed capacity gets a row by
TensorScatter, and nothing else of either is moved."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH = 8
# The caches at the start, and the one that has grown at the end: none has more than 20 rows.
LIMITS = {"d2h": 0, "blocking_syncs": 0, "kernel_copy_bytes": 3 * 20 * WIDTH * 4}
# ONNX Runtime has no TensorScatter.
ORACLE = "reference"


def decode(g, rng):
    def product(x):
        return body.op("MatMul", x, body.const(normal(rng, WIDTH, WIDTH, scale=WIDTH**-0.5)))

    body = g.sub("decode")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("x", FLOAT, [1, WIDTH])
    body.input("keys", FLOAT, ["length", WIDTH])
    body.input("values", FLOAT, [1, "capacity", WIDTH])
    keys = body.op("Concat", "keys", product("x"), axis=0)
    row = body.op("Unsqueeze", product("x"), body.const([0]))
    values = body.op("TensorScatter", "values", row, body.op("Reshape", "step", body.const([1])), axis=1)
    scores = body.op("MatMul", product("x"), body.op("Transpose", keys, perm=[1, 0]))
    seen = body.op("ReduceMax", body.op("Softmax", scores, axis=-1), body.const([1]))
    x = body.op("Add", body.op("Tanh", "x"), body.op("Mul", seen, body.op("ReduceMean", values, body.const([1]), keepdims=0)))
    body.output(body.op("Identity", "going"), BOOL, [])
    body.output(x, FLOAT, None)
    body.output(keys, FLOAT, None)
    body.output(values, FLOAT, None)
    return body.proto()


def build():
    g = Graph("appended_cache")
    g.input("x", FLOAT, [1, WIDTH])
    g.input("past_keys", FLOAT, ["past", WIDTH])
    g.input("past_values", FLOAT, [1, "capacity", WIDTH])
    g.input("steps", INT64, [])
    last, keys, values = g.op("Loop", "steps", g.const(True), "x", "past_keys", "past_values", out=3,
                              body=decode(g, random("appended_cache weights")))
    g.output(g.op("Identity", last, out="last"), FLOAT, [1, WIDTH])
    g.output(g.op("Identity", keys, out="keys_last"), FLOAT, ["length_last", WIDTH])
    g.output(g.op("Identity", values, out="values_last"), FLOAT, [1, "capacity", WIDTH])
    return g.model(opset=24)


def cases():
    rng = random("appended_cache data")
    for past, capacity, steps in [(3, 20, 16), (1, 9, 9), (5, 2, 1), (0, 6, 4), (2, 1, 0)]:
        yield Case({"x": normal(rng, 1, WIDTH), "past_keys": normal(rng, past, WIDTH),
                    "past_values": normal(rng, 1, capacity, WIDTH), "steps": np.array(steps, np.int64)})
