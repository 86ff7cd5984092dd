# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that end when the device says so, and whose carried values keep their extents: a decoder with a cache of fixed capacity
until it writes the last token, a beam search until its best beam has ended, and greedy matching until no pair is good enough."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "blocking_syncs": 0}
# One look an iteration, and none behind the last that there may be.
LIMITS_BY_HOST = {"d2h": 41, "blocking_syncs": 41}
VOCABULARY, WIDTH, END, BEAMS = 9, 8, 0, 3


def weight(g, rng, *dims):
    return g.const(normal(rng, *dims, scale=dims[0] ** -0.5))


def put(g, table, place, row):
    """`row` at `place` of `table`, in its first axis."""
    return g.op("ScatterND", table, g.op("Reshape", place, g.const([1, 1])), g.op("Unsqueeze", row, g.const([0])))


def decode(g, embedding, capacity, rng):
    body = g.sub("decode")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("token", INT64, [])
    body.input("keys", FLOAT, ["capacity", WIDTH])
    body.input("values", FLOAT, ["capacity", WIDTH])
    body.input("tokens", INT64, ["capacity"])
    x = body.op("Gather", embedding, "token")
    query, key, value = (body.op("MatMul", x, weight(body, rng, WIDTH, WIDTH)) for _ in range(3))
    keys, values = put(body, "keys", "step", key), put(body, "values", "step", value)
    scores = body.op("MatMul", keys, query)
    places = body.op("Range", body.const(0), capacity, body.const(1))
    seen = body.op("LessOrEqual", places, "step")
    weights = body.op("Softmax", body.op("Where", seen, scores, body.const(-1e9)), axis=0)
    x = body.op("Add", x, body.op("MatMul", weights, values))
    logits = body.op("MatMul", x, body.op("Transpose", embedding, perm=[1, 0]))
    late = body.op("Mul", body.op("Cast", "step", to=FLOAT), body.const(np.float32(np.eye(1, VOCABULARY, END)[0] * 0.4)))
    token = body.op("ArgMax", body.op("Add", logits, late), axis=0, keepdims=0)
    body.output(body.op("Not", body.op("Equal", token, body.const(END))), BOOL, [])
    body.output(token, INT64, [])
    body.output(keys, FLOAT, None)
    body.output(values, FLOAT, None)
    body.output(put(body, "tokens", "step", token), INT64, None)
    return body.proto()


def search(g, embedding, rng):
    """Each beam goes on with each word; the best BEAMS of all stay, with what they have said so far."""
    body = g.sub("search")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("scores", FLOAT, [BEAMS])
    body.input("last", INT64, [BEAMS])
    body.input("said", INT64, [BEAMS, "capacity"])
    x = body.op("Tanh", body.op("MatMul", body.op("Gather", embedding, "last"), weight(body, rng, WIDTH, WIDTH)))
    likely = body.op("LogSoftmax", body.op("MatMul", x, body.op("Transpose", embedding, perm=[1, 0])), axis=-1)
    every = body.op("Reshape", body.op("Add", body.op("Unsqueeze", "scores", body.const([1])), likely), body.const([-1]))
    scores, best = body.op("TopK", every, body.const([BEAMS]), out=2)
    beam, last = body.op("Div", best, body.const(VOCABULARY)), body.op("Mod", best, body.const(VOCABULARY))
    said = body.op("Gather", "said", beam)
    place = body.op("Expand", body.op("Reshape", "step", body.const([1, 1])), body.const([BEAMS, 1]))
    said = body.op("ScatterElements", said, place, body.op("Unsqueeze", last, body.const([1])), axis=1)
    ended = body.op("Equal", body.op("Gather", last, body.const(0)), body.const(END))
    body.output(body.op("Not", ended), BOOL, [])
    body.output(scores, FLOAT, None)
    body.output(last, INT64, None)
    body.output(said, INT64, None)
    return body.proto()


def match(g, columns):
    """The best pair that is left, whose row and column then are taken."""
    body = g.sub("match")
    body.input("i", INT64, [])
    body.input("going", BOOL, [])
    body.input("left", FLOAT, ["rows", "columns"])
    body.input("pairs", INT64, ["rows"])
    flat = body.op("Reshape", "left", body.const([-1]))
    best = body.op("ArgMax", flat, axis=0, keepdims=1)
    good = body.op("Greater", body.op("ReduceMax", flat, body.const([0]), keepdims=0), body.const(0.5))
    row, column = body.op("Div", best, columns), body.op("Mod", best, columns)
    held = body.op("Gather", "pairs", row)
    pairs = body.op("ScatterElements", "pairs", row, body.op("Where", good, column, held), axis=0)
    rows = body.op("Range", body.const(0), body.op("Squeeze", body.op("Shape", "left", start=0, end=1)), body.const(1))
    places = body.op("Range", body.const(0), body.op("Squeeze", columns), body.const(1))
    taken = body.op("Or", body.op("Unsqueeze", body.op("Equal", rows, row), body.const([1])), body.op("Equal", places, column))
    body.output(good, BOOL, [])
    body.output(body.op("Where", taken, body.const(-1.0), "left"), FLOAT, None)
    body.output(pairs, INT64, None)
    return body.proto()


def build():
    rng = random("decode_until weights")
    g = Graph("decode_until")
    g.input("token", INT64, [])
    g.input("cache", FLOAT, ["capacity", WIDTH])
    g.input("likeness", FLOAT, ["rows", "columns"])
    embedding = g.const(normal(rng, VOCABULARY, WIDTH))
    capacity = g.op("Shape", "cache", start=0, end=1)
    nothing = g.op("Expand", g.const([-1]), capacity)
    capacity = g.op("Squeeze", capacity)
    _, _, _, tokens = g.op("Loop", capacity, g.const(True), "token", "cache", "cache", nothing, out=4,
                           body=decode(g, embedding, capacity, rng))
    g.output(g.op("Identity", tokens, out="tokens_said"), INT64, ["capacity"])
    first = g.op("Expand", g.op("Reshape", "token", g.const([1])), g.const([BEAMS]))
    said = g.op("Expand", g.const([[-1]]), g.op("Concat", g.const([BEAMS]), g.op("Shape", "cache", start=0, end=1), axis=0))
    scores, _, said = g.op("Loop", capacity, g.const(True), g.const([0.0, -9.0, -9.0]), first, said, out=3,
                           body=search(g, embedding, rng))
    g.output(g.op("Identity", scores, out="beam_scores"), FLOAT, [BEAMS])
    g.output(g.op("Identity", said, out="beams_said"), INT64, [BEAMS, "capacity"])
    columns = g.op("Shape", "likeness", start=1, end=2)
    pairs = g.op("Expand", g.const([-1]), g.op("Shape", "likeness", start=0, end=1))
    _, pairs = g.op("Loop", "", g.const(True), "likeness", pairs, out=2, body=match(g, columns))
    g.output(g.op("Identity", pairs, out="pairs_left"), INT64, ["rows"])
    return g.model()


def cases():
    rng = random("decode_until data")
    for capacity, rows, columns in [(12, 4, 5), (20, 3, 3), (1, 2, 6), (5, 1, 1)]:
        yield Case({"token": np.array(rng.integers(1, VOCABULARY), np.int64), "cache": np.zeros((capacity, WIDTH), np.float32),
                    "likeness": rng.random((rows, columns)).astype(np.float32)})
