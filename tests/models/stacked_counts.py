# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of slices whose length only a trip knows: rows that a mask keeps, which the device counts, and as many rows as an integer of the
host says. A run ends where two trips do not agree, and the next one is right again."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH = 3


def stacked(g, name, trips, make):
    body = g.sub(name)
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    rows = make(body)
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(rows, FLOAT, [None, WIDTH])
    body.output(body.op("Transpose", rows, perm=[1, 0]), FLOAT, [WIDTH, None])
    g.op("Loop", trips, "", body=body.proto(), out=[f"{name}_rows", f"{name}_columns"])
    g.output(f"{name}_rows", FLOAT, [None, None, WIDTH])
    g.output(f"{name}_columns", FLOAT, [None, WIDTH, None])


def kept(body):
    mask = body.op("Greater", body.op("Gather", "masks", "i", axis=0), body.const(0.0))
    return body.op("Mul", body.op("Compress", "x", mask, axis=0), body.op("Cast", "i", to=FLOAT))


def taken(body):
    length = body.op("Gather", "lengths", body.op("Unsqueeze", "i", body.const([0])), axis=0)
    return body.op("Slice", "x", body.const([0]), length, body.const([0]))


def build():
    g = Graph("stacked_counts")
    g.input("x", FLOAT, ["n", WIDTH])
    g.input("masks", FLOAT, ["trips", "n"])
    g.input("lengths", INT64, [3])
    stacked(g, "kept", g.op("Squeeze", g.op("Shape", "masks", start=0, end=1)), kept)
    stacked(g, "taken", g.const(3), taken)
    return g.model()


def cases():
    rng = random("stacked_counts data")

    def case(n, counts, lengths, status=""):
        masks = np.array([rng.permutation(np.where(np.arange(n) < count, 1, -1)) for count in counts], np.float32).reshape(-1, n)
        return Case({"x": normal(rng, n, WIDTH), "masks": masks, "lengths": np.array(lengths, np.int64)}, status)

    yield case(6, [2, 2, 2], [4, 4, 4])
    yield case(5, [3], [5, 5, 5])
    yield case(6, [2, 3, 2], [4, 4, 4], "INVALID_ARGUMENT")
    yield case(4, [0, 0], [0, 0, 0])
    yield case(7, [7, 7], [3, 3, 2], "INVALID_ARGUMENT")
    yield case(7, [], [9, 9, 9])
