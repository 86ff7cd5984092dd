# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders whose caches grow along an inner axis, [batch, heads, length, width], by a row a step: a number of steps that the host
counts, with heads of queries that share one of keys, and until the device ends it. Nothing of a cache is moved but when it comes
in, and when it leaves."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

HEADS, HEAD = 2, 4
WIDTH = HEADS * HEAD
# Of three sentences and both caches, a row takes 96 bytes. They come in with 5 places and leave with 21, where there are two readers
# who want one; those of the other loop come in with 3, and one leaves with 5. Beside that what each step appends, and the states, of
# which the device keeps the one of the loop that it runs in two places.
LIMITS = {"d2h": 1, "blocking_syncs": 0, "kernel_copy_bytes": 96 * (2 * (5 + 16 + 21) + (2 * (3 + 2) + 5) + 12)}
# A look behind each trip but the last of the other loop.
LIMITS_BY_HOST = {"d2h": 3, "blocking_syncs": 2}


def heads(body, x, rng, count=HEADS):
    """[batch, count, 1, HEAD] of [batch, WIDTH]."""
    weights = body.const(normal(rng, WIDTH, count * HEAD, scale=WIDTH**-0.5))
    return body.op("Reshape", body.op("MatMul", x, weights), body.const([0, count, 1, HEAD]))


def decode(g, name, rng, queries, is_last):
    """`queries` heads share each head of the cache; `is_last` says of the next x whether it is."""
    body = g.sub(name)
    body.input(f"{name}_step", INT64, [])
    body.input(f"{name}_going", BOOL, [])
    x = body.input(f"{name}_x", FLOAT, ["batch", WIDTH])
    keys = body.input(f"{name}_keys", FLOAT, ["batch", HEADS, f"{name}_length", HEAD])
    values = body.input(f"{name}_values", FLOAT, ["batch", HEADS, f"{name}_length", HEAD])
    keys = body.op("Concat", keys, heads(body, x, rng), axis=2)
    values = body.op("Concat", values, heads(body, x, rng), axis=-2)
    query = body.op("Reshape", heads(body, x, rng, queries * HEADS), body.const([0, HEADS, queries, HEAD]))
    scores = body.op("MatMul", query, body.op("Transpose", keys, perm=[0, 1, 3, 2]))
    seen = body.op("MatMul", body.op("Softmax", scores, axis=-1), values)
    out = body.const(normal(rng, queries * WIDTH, WIDTH, scale=WIDTH**-0.5))
    x = body.op("Tanh", body.op("Add", x, body.op("MatMul", body.op("Reshape", seen, body.const([0, -1])), out)))
    # What is not a product reads the cache too.
    x = body.op("Add", x, body.op("Tanh", body.op("Reshape", body.op("ReduceMax", values, body.const([2]), keepdims=0),
                                                  body.const([0, -1]))))
    body.output(is_last(body, x), BOOL, [])
    for value in (x, keys, values):
        body.output(value, FLOAT, None)
    return body.proto()


def build():
    rng = random("inner_cache weights")
    g = Graph("inner_cache")
    g.input("x", FLOAT, ["batch", WIDTH])
    for name in ("keys", "values"):
        g.input(f"past_{name}", FLOAT, ["batch", HEADS, "past", HEAD])
        g.input(f"text_{name}", FLOAT, ["batch", HEADS, "text", HEAD])
    g.input("steps", INT64, [])
    g.input("most", INT64, [])
    last = g.op("Loop", "steps", g.const(True), "x", "past_keys", "past_values", out=3,
                body=decode(g, "counted", rng, 2, lambda body, _: body.op("Identity", "counted_going")))
    g.output(g.op("Identity", last[0], out="last"), FLOAT, ["batch", WIDTH])
    g.output(g.op("Identity", last[1], out="last_keys"), FLOAT, ["batch", HEADS, "length", HEAD])
    # A reader behind the loop, where the cache is still in its room.
    g.output(g.op("MatMul", last[2], g.const(normal(rng, HEAD, 3)), out="read"), FLOAT, ["batch", HEADS, "length", 3])
    g.output(g.op("Identity", last[2], out="last_values"), FLOAT, ["batch", HEADS, "length", HEAD])

    def goes_on(body, x):
        return body.op("Less", body.op("ReduceMean", body.op("Abs", x), keepdims=0), body.const(0.9))

    until = g.op("Loop", "most", g.const(True), "x", "text_keys", "text_values", out=3,
                 body=decode(g, "until", rng, 1, goes_on))
    g.output(g.op("Identity", until[0], out="until"), FLOAT, ["batch", WIDTH])
    g.output(g.op("Identity", until[1], out="until_keys"), FLOAT, ["batch", HEADS, "said", HEAD])
    return g.model()


def cases():
    rng = random("inner_cache data")
    for batch, past, text, steps, most in [(3, 5, 3, 16, 12), (1, 0, 2, 4, 1), (2, 3, 1, 1, 9), (1, 2, 4, 0, 0)]:
        yield Case({"x": normal(rng, batch, WIDTH),
                    **{f"{kind}_{name}": normal(rng, batch, HEADS, length, HEAD)
                       for name in ("keys", "values") for kind, length in (("past", past), ("text", text))},
                    "steps": np.array(steps, np.int64), "most": np.array(most, np.int64)})
