# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs that update an input, each of which may be bound to its memory: what TensorScatter, ScatterND and ScatterElements write,
a cache that a loop fills, a state that is computed element by element, an input as it is. And one that may not, since its input is
read later. tests/e2e/in_place.py binds them so, and holds that nothing is copied."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

HEADS, SIZE = 3, 5
# By output, the input that it updates.
UPDATES = {"next_cache": "cache", "next_ring": "ring", "next_table": "table", "next_board": "board", "next_state": "state",
           "same": "kept", "filled": "empty"}


def build():
    g = Graph("updates_in_place")
    cache = ["batch", HEADS, "room", SIZE]
    g.input("cache", FLOAT, cache)
    g.input("ring", FLOAT, ["batch", "slots", SIZE])
    g.input("tokens", FLOAT, ["batch", HEADS, "new", SIZE])
    g.input("frames", FLOAT, ["batch", "new", SIZE])
    g.input("at", INT64, ["batch"])
    g.op("TensorScatter", "cache", "tokens", "at", out="next_cache")
    g.op("TensorScatter", "ring", "frames", "at", out="next_ring", mode="circular")
    g.output("next_cache", FLOAT, cache)
    g.output("next_ring", FLOAT, ["batch", "slots", SIZE])

    g.input("table", FLOAT, ["rows", 4])
    g.input("numbers", INT64, ["some", 1])
    g.input("rows_of", FLOAT, ["some", 4])
    g.output(g.op("ReduceMax", "table", g.const([0]), keepdims=0), FLOAT, [4])  # reads it before
    g.op("ScatterND", "table", "numbers", "rows_of", out="next_table", reduction="add")
    g.output("next_table", FLOAT, ["rows", 4])

    g.input("board", FLOAT, ["height", "width"])
    g.input("places", INT64, ["height", 1])
    g.input("stones", FLOAT, ["height", 1])
    g.op("ScatterElements", "board", "places", "stones", out="next_board", axis=1)
    g.output("next_board", FLOAT, ["height", "width"])

    g.input("state", FLOAT, ["batch", "units"])
    g.input("kept", FLOAT, ["batch", "units"])
    faded = g.op("Mul", "state", g.const(np.float32(0.9)))
    g.op("Add", faded, "kept", out="next_state")
    g.output("next_state", FLOAT, ["batch", "units"])
    g.op("Identity", "kept", out="same")
    g.output("same", FLOAT, ["batch", "units"])

    # The data that the scatter writes over are read behind it.
    g.input("late", FLOAT, ["rows", 4])
    moved = g.op("ScatterND", "late", "numbers", "rows_of")
    g.op("Sub", g.op("ReduceSum", moved, g.const([0]), keepdims=0), g.op("ReduceProd", "late", g.const([0]), keepdims=0), out="difference")
    g.output("difference", FLOAT, [4])
    g.op("Identity", moved, out="moved")
    g.output("moved", FLOAT, ["rows", 4])

    g.input("empty", FLOAT, [1, "steps", SIZE])
    g.input("trips", INT64, [])
    body = g.sub("body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("carried", FLOAT, [1, "steps", SIZE])
    number = body.op("Reshape", "i", body.const([1]))
    row = body.op("Expand", body.op("Cast", body.op("Reshape", number, body.const([1, 1, 1])), to=FLOAT), body.const([1, 1, SIZE]))
    written = body.op("TensorScatter", "carried", row, number)
    for value, dtype, dims in [(body.op("Identity", "go"), BOOL, []), (written, FLOAT, [1, "steps", SIZE])]:
        body.output(value, dtype, dims)
    g.op("Loop", "trips", g.const(True), "empty", out=["filled"], body=body.proto())
    g.output("filled", FLOAT, [1, "steps", SIZE])
    return g.model(opset=24, ir_version=12)


def cases():
    rng = random("updates_in_place data")
    for batch, room, new, rows, height, width, units in [(2, 7, 2, 6, 4, 5, 8), (1, 1, 1, 1, 1, 1, 1), (3, 9, 9, 12, 7, 2, 300)]:
        yield Case({"cache": normal(rng, batch, HEADS, room, SIZE), "ring": normal(rng, batch, room, SIZE),
                    "tokens": normal(rng, batch, HEADS, new, SIZE), "frames": normal(rng, batch, new, SIZE),
                    "at": rng.integers(0, room - new + 1, batch), "table": normal(rng, rows, 4),
                    "numbers": rng.permutation(rows)[:1 + rows // 2, None], "rows_of": normal(rng, 1 + rows // 2, 4),
                    "board": normal(rng, height, width), "places": rng.integers(-width, width, (height, 1)),
                    "stones": normal(rng, height, 1), "state": normal(rng, batch, units), "kept": normal(rng, batch, units),
                    "late": normal(rng, rows, 4), "empty": normal(rng, 1, room, SIZE), "trips": np.array(room)})
