# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and outputs: memory of every space, results that are read on both sides, events, models in a row."""
import numpy as np
from declare import Data, Variant, case, device, host, missing
from graph import FLOAT, INT32, Graph, normal, random


@case(43, "ArgMax of logits, wanted on the host", "0/0", h2d=0, d2h_outputs=1)
def best_class():
    g = Graph("best_class")
    g.input("logits", FLOAT, ["n"])
    g.output(g.op("Cast", g.op("ArgMax", "logits", axis=0, keepdims=0), to=INT32, out="best"), INT32, [])
    rng = random("best_class")
    data = [Data({"logits": normal(rng, n)}, device("logits"), outputs={"best": space})
            for n in (10, 1, 50257) for space in ("pinned", "host")]
    yield Variant(g.model(), data, sides={"logits": "device"})


@case(44, "an output wanted on the host is read by a kernel too", "0/0", h2d=0, d2h_outputs=1)
def output_and_operand():
    rng = random("output_and_operand")
    g = Graph("output_and_operand")
    g.input("x", FLOAT, ["n", 8])
    bent = g.op("Relu", "x", out="bent")
    g.output(bent, FLOAT, ["n", 8])
    g.output(g.op("MatMul", bent, g.const(normal(rng, 8, 3)), out="y"), FLOAT, ["n", 3])
    data = [Data({"x": normal(rng, n, 8)}, device("x"), outputs={"bent": space, "y": "device"})
            for n, space in [(4, "pinned"), (1, "host"), (300, "pinned")]]
    yield Variant(g.model(), data, sides={"bent": "device", "y": "device"})


@case(45, "an input that is an output, one output twice", "0/0", h2d=0)
def passed_through():
    g = Graph("passed_through")
    g.input("x", FLOAT, ["n", 8])
    same = g.op("Identity", "x", out="same")
    g.output(same, FLOAT, ["n", 8])
    bent = g.op("Neg", "x", out="bent")
    g.output(bent, FLOAT, ["n", 8])
    g.output(g.op("Identity", bent, out="again"), FLOAT, ["n", 8])
    rng = random("passed_through")
    # At most one copy each on the device's side, by the copy engine or by a kernel, beside the kernel of Neg.
    data = [Data({"x": normal(rng, n, 8)}, device("x"),
                 outputs=dict.fromkeys(("same", "bent", "again"), "device")) for n in (4, 1, 300, 0)]
    yield Variant(g.model(), data, limits={"d2d": 2, "launches": 3})

    g = Graph("itself")
    g.output(g.input("x", FLOAT, ["n"]), FLOAT, ["n"])
    g.output(g.op("Neg", "x", out="bent"), FLOAT, ["n"])
    data = [Data({"x": normal(rng, n)}, device("x"), outputs=dict.fromkeys(("x", "bent"), "device")) for n in (4, 1, 300)]
    yield Variant(g.model(), data, name="itself", limits={"d2d": 1, "launches": 2})


@case(46, "an output with padded rows is the next model's input, on the device and on the host", "0/0", h2d=0)
def padded_rows():
    yield strided("padded_rows", [(4, 5), (1, 1), (30, 7)])
    shapes = [(4, 5), (1, 1), (30, 7)]
    yield strided("padded_outputs", shapes, "outputs", ["--strided-outputs"])
    yield strided("repacked_outputs", shapes, "outputs-repacked")
    yield missing("blocked", "a tensor of a call has no form for channels in blocks")


@case(47, "case 46 where shape and padding change with every run", "0/0", h2d=0)
def changing_padding():
    shapes = [(4, 5), (4, 6), (9, 5), (4, 5), (1, 64), (0, 3)]
    yield strided("changing_padding", shapes)
    yield strided("changing_outputs", shapes, "outputs", ["--strided-outputs"])
    yield strided("changing_repacked", shapes, "outputs-repacked")


def strided(name, shapes, side="", flags=()):
    """A program binds the input with rows that are farther apart: strided.cpp; or the output, padded.cpp."""
    g = Graph(name)
    g.input("x", FLOAT, ["n", "m"])
    g.output(g.op("Neg", "x", out="y"), FLOAT, ["n", "m"])
    return Variant(g.model(), [Data({"x": np.zeros(shape, np.float32)}) for shape in shapes], side,
                   flags=list(flags), program="padded.cpp" if side else "strided.cpp")


@case(50, "one stream fills the input, another reads the output", "0/0", h2d=0)
def two_streams():
    g = Graph("two_streams")
    g.input("x", FLOAT, ["n", "m"])
    g.output(g.op("Neg", "x", out="y"), FLOAT, ["n", "m"])
    yield Variant(g.model(), [Data({"x": np.zeros(shape, np.float32)}) for shape in [(4, 5), (1, 1), (300, 70)]],
                  program="streams.cpp")


@case(51, "memory of every space and alignment for the same input and output", "0/0", h2d=1, repacks=1)
def every_memory():
    g = Graph("every_memory")
    g.input("x", FLOAT, ["n", 8])
    g.output(g.op("Tanh", "x", out="y"), FLOAT, ["n", 8])
    rng = random("every_memory")
    data = []
    for space, offset, wanted in [("device", 0, "device"), ("managed", 0, "managed"), ("pinned", 0, "pinned"),
                                  ("host", 0, "host"), ("device", 4, "pinned"), ("host", 4, "device"),
                                  ("device", 1, "device"), ("host", 1, "host"), ("pinned", 3, "pinned")]:
        limits = {"h2d": 0} if space in ("device", "managed") else {}
        if not offset:
            limits["repacks"] = 0
        data.append(Data({"x": normal(rng, 20, 8)}, {"x": space}, {"x": offset}, {"y": wanted}, limits=limits))
    yield Variant(g.model(), data)


@case(56, "a node pinned to the host between two convolutions", "1/1", h2d=1)
def pinned_node():
    rng = random("pinned_node")
    g = Graph("pinned_node")
    g.input("image", FLOAT, [1, 3, "h", "w"])
    shallow = g.op("Conv", "image", g.const(normal(rng, 4, 3, 3, 3)), pads=[1, 1, 1, 1])
    bent = g.op("Erf", shallow, out="bent")
    g.output(g.op("Conv", bent, g.const(normal(rng, 2, 4, 3, 3)), pads=[1, 1, 1, 1], out="y"), FLOAT, [1, 2, "h", "w"])
    beside = g.op("Conv", "image", g.const(normal(rng, 5, 3, 3, 3)), pads=[1, 1, 1, 1])
    g.output(g.op("Relu", beside, out="z"), FLOAT, [1, 5, "h", "w"])
    yield Variant(g.model(), [Data({"image": normal(rng, 1, 3, h, w)}, device("image")) for h, w in [(5, 7), (1, 1), (40, 30)]],
                  flags=["--place", "bent=host"], sides={"bent": "host", "y": "device", "z": "device"})


@case(57, "few or very many elements of the host before a MatMul: the program chooses by run", "0/0")
def by_size():
    rng = random("by_size")
    g = Graph("by_size")
    g.input("v", FLOAT, ["n"])
    g.input("weights", FLOAT, ["n", 4])
    bent = g.op("Mul", g.op("Sin", "v"), g.op("ReduceSum", "v", keepdims=1))
    row = g.op("Unsqueeze", bent, g.const([0]))
    g.output(g.op("MatMul", row, "weights", out="y"), FLOAT, [1, 4])
    data = []
    for n in (2, 1, 1_000_000):
        v = rng.random(n, np.float32)
        v[1000:] = 0  # a million terms add up to more error than the tolerance has
        data.append(Data({"v": v, "weights": rng.random((n, 4), np.float32)}, {**host("v"), **device("weights")},
                         limits={"h2d": 0 if n <= 2 else 1}))
    yield Variant(g.model(), data)
