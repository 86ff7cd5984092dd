# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of the host's trips in which the device counts: rows that a mask keeps, and places that are not 0, are appended; a branch
appends in some trips only; a list is thinned out in each trip, appended to and thinned out, and grows by the trip's number; results
of an extent that only a trip knows are stacked. Nothing waits."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH = 3


def loop(g, name, inits, make, stacks=0):
    """A Loop of as many trips as `batch` has: `make` gives the body's results of the row of the trip and what is carried."""
    body = g.sub(name)
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    carried = []
    for number, (_, dtype, dims) in enumerate(inits):
        carried.append(body.input(f"{name}_{number}", dtype, dims))
    results = make(body, body.op("Gather", "batch", "i", axis=0), *carried)
    body.output(body.op("Identity", "go"), BOOL, [])
    for value, dtype, dims in results:
        body.output(value, dtype, dims)
    trips = g.op("Squeeze", g.op("Shape", "batch", start=0, end=1))
    return g.op("Loop", trips, "", *(init for init, _, _ in inits), body=body.proto(), out=len(inits) + stacks)


def kept(body, x):
    return body.op("Compress", x, body.op("Greater", body.op("ReduceSum", x, body.const([1]), keepdims=0), body.const(0.0)), axis=0)


def appended(body, x, rows, places):
    return [(body.op("Concat", rows, kept(body, x), axis=0), FLOAT, [None, WIDTH]),
            (body.op("Concat", places, body.op("NonZero", body.op("Relu", x)), axis=1), INT64, [2, None])]


def branched(body, x, rows):
    taken = body.sub("taken")
    taken.output(taken.op("Concat", rows, kept(taken, x), axis=0), FLOAT, [None, WIDTH])
    left = body.sub("left")
    left.output(left.op("Identity", rows), FLOAT, [None, WIDTH])
    odd = body.op("Equal", body.op("Mod", "i", body.const(2)), body.const(1))
    return [(body.op("If", odd, then_branch=taken.proto(), else_branch=left.proto()), FLOAT, [None, WIDTH])]


def thinned(body, x, rows, mixed):
    less = body.op("Sub", rows, body.const(0.5))
    both = body.op("Concat", mixed, x, axis=0)
    return [(kept(body, less), FLOAT, [None, WIDTH]), (kept(body, body.op("Sub", both, body.const(0.25))), FLOAT, [None, WIDTH])]


def growing(body, x, rows):
    count = body.op("Unsqueeze", body.op("Min", "i", body.const(2)), body.const([0]))
    return [(body.op("Concat", rows, body.op("Slice", x, body.const([0]), count, body.const([0])), axis=0), FLOAT, [None, WIDTH])]


def stacked(body, x):
    same = body.op("Compress", x, body.op("Greater", "mask", body.const(0.0)), axis=0)
    return [(same, FLOAT, [None, WIDTH])]


def build():
    g = Graph("counted_loops")
    g.input("batch", FLOAT, ["trips", "n", WIDTH])
    g.input("first", FLOAT, ["past", WIDTH])
    g.input("mask", FLOAT, ["n"])
    none = g.const(np.zeros((0, WIDTH), np.float32))
    rows = (none, FLOAT, ["rows", WIDTH])
    begun = ("first", FLOAT, ["rows", WIDTH])
    results = [("rows", FLOAT, [None, WIDTH]), ("places", INT64, [2, None]), ("branched", FLOAT, [None, WIDTH]),
               ("thin", FLOAT, [None, WIDTH]), ("mixed", FLOAT, [None, WIDTH]), ("grown", FLOAT, [None, WIDTH]),
               ("stack", FLOAT, [None, None, WIDTH])]
    places = (g.const(np.zeros((2, 0), np.int64)), INT64, [2, "places"])
    made = loop(g, "appended", [begun, places], appended)
    made += [loop(g, "branched", [rows], branched)]
    made += loop(g, "thinned", [begun, rows], thinned)
    made += [loop(g, "growing", [rows], growing)]
    made += [loop(g, "stacked", [], stacked, stacks=1)]
    for (name, dtype, dims), value in zip(results, made):
        g.output(g.op("Identity", value, out=name), dtype, dims)
    return g.model()


def cases():
    rng = random("counted_loops data")
    for trips, n, past in [(3, 5, 4), (1, 1, 1), (4, 9, 0), (0, 6, 3), (2, 7, 20), (5, 0, 2)]:
        yield Case({"batch": normal(rng, trips, n, WIDTH), "first": normal(rng, past, WIDTH) + 1, "mask": normal(rng, n)})
    yield Case({"batch": -np.abs(normal(rng, 3, 4, WIDTH)), "first": normal(rng, 3, WIDTH), "mask": -np.abs(normal(rng, 4))})
