# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentences of a batch one behind the other, as serving engines hand them over: padded to the longest for attention, by
lengths that the device has, brought together again, and averaged per sentence."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH, WORDS = 8, 30


def build():
    g = Graph("ragged_batch")
    weights = random("ragged_batch weights")
    g.input("ids", INT64, ["total"])
    g.input("lengths", INT64, ["batch"])
    lengths = g.op("Clip", "lengths", g.const(np.int64(0)), g.const(np.int64(32)))
    ends = g.op("CumSum", lengths, g.const(np.int64(0)))
    begins = g.op("Unsqueeze", g.op("Sub", ends, lengths), g.const([1]))
    longest = g.op("ReduceMax", lengths, keepdims=0)
    steps = g.op("Unsqueeze", g.op("Range", g.const(np.int64(0)), longest, g.const(np.int64(1))), g.const([0]))
    present = g.op("Less", steps, g.op("Unsqueeze", lengths, g.const([1])))  # [batch, longest]
    last = g.op("Sub", g.op("Shape", "ids"), g.const([1]))
    place = g.op("Min", g.op("Add", begins, steps), last)
    table = g.const(normal(weights, WORDS, WIDTH))
    words = g.op("Gather", table, g.op("Gather", "ids", place))  # [batch, longest, WIDTH]
    query, key, value = (g.op("MatMul", words, g.const(normal(weights, WIDTH, WIDTH))) for _ in range(3))
    scores = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 2, 1]))
    masked = g.op("Where", g.op("Unsqueeze", present, g.const([1])), scores, g.const(-1e9))
    seen = g.op("MatMul", g.op("Softmax", g.op("Mul", masked, g.const(0.2))), value)
    weight = g.op("Unsqueeze", g.op("Cast", present, to=FLOAT), g.const([2]))
    total = g.op("ReduceSum", g.op("Mul", seen, weight), g.const([1]), keepdims=0)
    count = g.op("Max", g.op("ReduceSum", weight, g.const([1]), keepdims=0), g.const(1.0))
    g.output(g.op("Div", total, count, out="mean"), FLOAT, ["batch", WIDTH])
    where = g.op("Transpose", g.op("NonZero", present), perm=[1, 0])
    g.output(g.op("Tanh", g.op("GatherND", seen, where), out="tokens"), FLOAT, [None, WIDTH])
    return g.model()


def cases():
    rng = random("ragged_batch data")
    for lengths in [[3, 5, 2], [1], [7, 0, 32, 4, 9], [12, 12]]:
        yield Case({"ids": rng.integers(0, WORDS, sum(lengths)), "lengths": np.array(lengths, np.int64)})
