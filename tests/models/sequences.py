# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences inside a model: made of tensors of different shapes, cut from one, changed and read at positions of the
host, yielded by branches, mapped, and collected by a loop. Nothing of them is stored, so a run waits for nothing."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random
from onnx import helper

# The extent of the last chunk is told behind the run.
LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH = 6


def sequence_type():
    return helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))


def listed(g):
    """Of tensors with extents of their own; positions known in a run, from the front and from the end."""
    tensors = g.op("SequenceConstruct", "x", "y", g.op("Neg", "x"))
    g.output(g.op("SequenceAt", tensors, "at", out="chosen"), FLOAT, ["n", WIDTH])
    inserted = g.op("SequenceInsert", tensors, g.op("Exp", "y"), "at")
    erased = g.op("SequenceErase", inserted, "gone")
    g.output(g.op("ConcatFromSequence", erased, axis=0, out="edited"), FLOAT, ["m", WIDTH])
    fixed = g.op("SequenceErase", g.op("SequenceInsert", tensors, "y", g.const(-1)), g.const(0))
    g.output(g.op("ConcatFromSequence", fixed, axis=-2, out="fixed"), FLOAT, ["k", WIDTH])
    g.output(g.op("SequenceLength", erased, out="length"), INT64, [])
    one = g.op("SequenceInsert", g.op("SequenceEmpty"), "x")
    g.output(g.op("SequenceAt", one, "first", out="only"), FLOAT, ["rows", WIDTH])


def cut(g):
    """The pieces of one tensor."""
    rows = g.op("SplitToSequence", "x", axis=0, keepdims=0)
    g.output(g.op("SequenceAt", rows, "row", out="row_of_x"), FLOAT, [WIDTH])
    kept = g.op("SplitToSequence", "x", axis=-2)
    g.output(g.op("SequenceAt", kept, "row", out="kept"), FLOAT, [1, WIDTH])
    g.output(g.op("SequenceLength", kept, out="row_count"), INT64, [])
    chunks = g.op("SplitToSequence", "y", g.const(2), axis=0)
    g.output(g.op("SequenceAt", chunks, g.const(-1), out="last_chunk"), FLOAT, ["c", WIDTH])
    g.output(g.op("SequenceLength", chunks, out="chunk_count"), INT64, [])
    g.output(g.op("ConcatFromSequence", chunks, axis=0, out="whole"), FLOAT, ["batch", WIDTH])
    columns = g.op("SplitToSequence", "x", g.const([1, 3, 2]), axis=1)
    backward = [g.op("SequenceAt", columns, g.const(number)) for number in (2, 0, 1)]
    g.output(g.op("Concat", *backward, axis=1, out="columns"), FLOAT, ["rows", WIDTH])
    stack = g.op("SplitToSequence", "x", axis=0, keepdims=0)
    g.output(g.op("ConcatFromSequence", stack, axis=0, out="flat"), FLOAT, ["f"])
    g.output(g.op("ConcatFromSequence", stack, axis=-1, new_axis=1, out="turned"), FLOAT, [WIDTH, "rows"])


def collected(g):
    """A loop's list, which may be empty before the first iteration only."""
    body = g.sub("body")
    for name, dtype, dims in [("i", INT64, []), ("go", BOOL, []), ("state", FLOAT, ["rows", WIDTH])]:
        body.input(name, dtype, dims)
    body.inputs.append(helper.make_value_info("collected_in", sequence_type()))
    body.inputs.append(helper.make_value_info("parts_in", sequence_type()))
    grown = body.op("Mul", "state", body.const(np.float32(1.5)))
    part = body.op("SequenceAt", "parts_in", body.op("Mod", "i", body.const(2)))
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Add", grown, part), FLOAT, ["rows", WIDTH])
    body.outputs.append(helper.make_value_info(
        body.op("SequenceInsert", "collected_in", body.op("Tanh", grown)), sequence_type()))
    body.outputs.append(helper.make_value_info(body.op("Identity", "parts_in"), sequence_type()))
    parts = g.op("SequenceConstruct", "x", g.op("Sin", "x"))
    last, tensors, _ = g.op("Loop", "trips", "", "x", g.op("SequenceEmpty"), parts, out=3, body=body.proto())
    g.output(g.op("Identity", last, out="last"), FLOAT, ["rows", WIDTH])
    g.output(g.op("ConcatFromSequence", tensors, axis=1, out="side_by_side"), FLOAT, ["rows", "w"])
    g.output(g.op("ConcatFromSequence", tensors, axis=0, new_axis=1, out="stacked"), FLOAT, ["trips", "rows", WIDTH])
    g.output(g.op("SequenceAt", tensors, g.const(-1), out="latest"), FLOAT, ["rows", WIDTH])


def branched(g):
    """Branches that yield lists of the same length, and a graph for each tensor of one."""
    branches = {}
    for name, op in (("then_branch", "Cos"), ("else_branch", "Abs")):
        sub = g.sub(name)
        made = sub.op("SequenceConstruct", sub.op(op, "x"), sub.op(op, "y"))
        sub.outputs.append(helper.make_value_info(made, sequence_type()))
        branches[name] = sub.proto()
    tensors = g.op("If", "flag", **branches)
    body = g.sub("each")
    body.input("element", FLOAT, ["e", WIDTH])
    body.output(body.op("ReduceSum", "element", body.const([0]), keepdims=1), FLOAT, [1, WIDTH])
    sums = g.op("SequenceMap", tensors, body=body.proto())
    g.output(g.op("ConcatFromSequence", sums, axis=0, out="sums"), FLOAT, [2, WIDTH])


def build():
    g = Graph("sequences")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("y", FLOAT, ["batch", WIDTH])
    for name in ("at", "gone", "first", "row", "trips"):
        g.input(name, INT64, [])
    g.input("flag", BOOL, [])
    listed(g)
    cut(g)
    collected(g)
    branched(g)
    return g.model()


def cases():
    rng = random("sequences data")
    for rows, batch, at, gone, row, trips in [(3, 2, 0, 0, 2, 1), (2, 5, 2, 3, -1, 3), (4, 4, -1, -4, 0, 2),
                                              (1, 1, -3, 1, -1, 5), (5, 3, 1, 2, 3, 2)]:
        numbers = {"at": at, "gone": gone, "first": -(rows % 2), "row": row, "trips": trips}
        yield Case({"x": normal(rng, rows, WIDTH), "y": normal(rng, batch, WIDTH), "flag": np.array(rows % 2 == 0),
                    **{name: np.array(number, np.int64) for name, number in numbers.items()}})
    wrong = {"at": 3, "gone": 0, "first": 0, "row": 0, "trips": 1}
    yield Case({"x": normal(rng, 2, WIDTH), "y": normal(rng, 2, WIDTH), "flag": np.array(True),
                **{name: np.array(number, np.int64) for name, number in wrong.items()}}, "OUT_OF_RANGE")
