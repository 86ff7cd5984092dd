# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models for placement: scalars of device data, of small inputs and of dims are combined, and decide extents,
branches and trip counts, in each other's bodies too; some extents are counted. What decides something is exact arithmetic on values far from where it jumps by rounding, so that
every runtime comes to the same extents.
"""
import random
import sys
from pathlib import Path

import numpy as np
from onnx import helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))
from graph import BOOL, FLOAT, INT64, Case, Graph  # noqa: E402

STEPS, SINKS = (3, 14), (2, 5)
BINARY, ROUNDING = ["Add", "Mul", "Sub", "Max", "Min"], ["Floor", "Ceil", "Round", "Abs", "Neg", "Sign"]


class RandomModel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.g = g = Graph("random")
        g.input("x", FLOAT, ["n"])
        g.input("w", FLOAT, ["n", "m"])
        g.input("ratio", FLOAT, [])
        g.input("count", INT64, [])
        g.input("sizes", INT64, [3])
        self.axis, self.low, self.high = g.const([0]), g.const(-1000), g.const(1000)
        self.floats = [g.op("ReduceMax", "x", keepdims=0), g.op("ReduceMin", "w", keepdims=0), "ratio"]
        self.integers = ["count", g.op("ArgMax", "x", axis=0, keepdims=0), g.op("ReduceMax", "sizes", keepdims=0),
                         g.op("Squeeze", g.op("Shape", "x"), self.axis)]
        self.bools = [g.op("Greater", "ratio", self.floats[0])]
        # What an operator may need on the host.
        self.needs = set()
        for _ in range(self.random.randint(*STEPS)):
            self.random.choice([self.add_float, self.add_rounded, self.add_cast, self.add_integer, self.add_choice])()
        sinks = [self.fill, self.expand, self.slice, self.pad, self.range, self.branch, self.loop, self.nested, self.found,
                 self.topped]
        for _ in range(self.random.randint(*SINKS)):
            self.random.choice(sinks)()
        self.output(g.op("Mul", "x", self.float()), FLOAT, 1)
        self.fill()
        self.model = g.model()

    def float(self):
        return self.random.choice(self.floats)

    def integer(self):
        return self.random.choice(self.integers)

    def clipped(self, graph, value):
        return graph.op("Clip", value, self.low, self.high)

    def output(self, value, dtype, rank):
        name = self.g.op("Identity", value)
        self.g.output(name, dtype, [f"{name}_{axis}" for axis in range(rank)])

    # Scalars

    def add_float(self):
        self.floats.append(self.g.op(self.random.choice(BINARY), self.float(), self.float()))

    def add_rounded(self):
        self.floats.append(self.g.op(self.random.choice(ROUNDING), self.float()))

    def add_cast(self):
        whole = self.g.op("Clip", self.g.op("Floor", self.float()), self.g.const(-50.0), self.g.const(50.0))
        self.integers.append(self.g.op("Cast", whole, to=INT64))
        self.floats.append(self.g.op("Cast", self.integer(), to=FLOAT))

    def add_integer(self):
        value = self.g.op(self.random.choice(BINARY), self.integer(), self.integer())
        self.integers.append(self.clipped(self.g, value))

    def add_choice(self):
        self.bools.append(self.g.op(self.random.choice(["Less", "Greater"]), self.float(), self.float()))
        condition = self.random.choice(self.bools)
        self.integers.append(self.g.op("Where", condition, self.integer(), self.integer()))
        self.floats.append(self.g.op("Where", condition, self.float(), self.float()))

    # What they decide

    def small(self, most, least=0):
        """An integer in [least, least + most) as a tensor of one element."""
        rest = self.g.op("Mod", self.g.op("Abs", self.integer()), self.g.const(most))
        return self.g.op("Unsqueeze", self.g.op("Add", rest, self.g.const(least)), self.axis)

    def need(self, value):
        self.needs.add(value)
        return value

    def shape(self):
        return self.need(self.g.op("Concat", self.small(4, 1), self.small(4, 1), axis=0))

    def fill(self):
        self.output(self.g.op("ConstantOfShape", self.shape()), FLOAT, 2)

    def expand(self):
        self.output(self.g.op("Expand", self.g.op("Unsqueeze", self.float(), self.axis), self.shape()), FLOAT, 2)

    def slice(self):
        start = self.need(self.small(3))
        end = self.need(self.g.op("Add", start, self.small(4, 1)))
        self.output(self.g.op("Slice", "x", start, end, self.axis), FLOAT, 1)

    def pad(self):
        self.output(self.g.op("Pad", "x", self.need(self.g.op("Concat", self.small(3), self.small(3), axis=0))), FLOAT, 1)

    def range(self):
        end = self.need(self.g.op("Squeeze", self.small(5, 1), self.axis))
        self.output(self.g.op("Range", self.g.const(0), end, self.g.const(1)), INT64, 1)

    # What the device counts

    def found(self):
        """Those of x that are larger than a value, by place and by mask."""
        larger = self.g.op("Greater", "x", self.float())
        places = self.g.op("Squeeze", self.g.op("NonZero", larger), self.axis)
        self.output(self.g.op("Gather", "x", places), FLOAT, 1)
        self.output(self.g.op("Neg", self.g.op("Compress", "x", larger, axis=0)), FLOAT, 1)
        self.integers.append(self.g.op("Squeeze", self.g.op("Shape", places), self.axis))

    def topped(self):
        most = self.need(self.g.op("Min", self.small(4, 1), self.g.op("Shape", "x")))
        largest, _ = self.g.op("TopK", "x", most, out=2)
        self.output(self.g.op("Mul", largest, self.float()), FLOAT, 1)

    # Bodies

    def results(self, sub):
        """An integer, a value and a tensor, computed in a branch."""
        sub.output(self.clipped(sub, sub.op(self.random.choice(BINARY), self.integer(), self.integer())), INT64, [])
        sub.output(sub.op(self.random.choice(BINARY), self.float(), self.float()), FLOAT, [])
        sub.output(sub.op(self.random.choice(ROUNDING), "x"), FLOAT, None)

    def add_if(self, then, other):
        integer, value, tensor = self.g.op("If", self.need(self.random.choice(self.bools)), out=3, then_branch=then.proto(),
                                           else_branch=other.proto())
        self.integers.append(integer)
        self.floats.append(value)
        self.output(tensor, FLOAT, 1)

    def branch(self):
        then, other = (self.g.sub(f"{name}_{self.g.counter}") for name in ("then", "else"))
        self.results(then)
        self.results(other)
        self.add_if(then, other)

    def nested(self):
        """A loop in a branch."""
        then, other = (self.g.sub(f"{name}_{self.g.counter}") for name in ("then", "else"))
        trips = self.need(self.g.op("Squeeze", self.small(4), self.axis))
        count, value = self.add_loop(then, trips)
        then.output(self.clipped(then, count), INT64, [])
        then.output(then.op("Neg", value), FLOAT, [])
        then.output(then.op("Abs", "x"), FLOAT, None)
        self.results(other)
        self.add_if(then, other)

    def add_loop(self, g, trips):
        body = g.sub(f"body_{self.g.counter}_{g.counter}")
        i, go, count, value = (body.input(body.fresh(name), dtype, []) for name, dtype in
                               [("i", INT64), ("go", BOOL), ("count", INT64), ("value", FLOAT)])
        next_count = self.clipped(body, body.op("Add", count, self.random.choice([i, self.integer()])))
        next_value = body.op(self.random.choice(["Add", "Min"]), value, self.float())
        if self.random.random() < 0.4:
            next_value = body.op("ReduceMax", body.op("Add", "x", next_value), keepdims=0)
        if self.random.random() < 0.3:
            less, more = (body.sub(f"{name}_{body.counter}") for name in ("then", "else"))
            for sub, operator in ((less, "Neg"), (more, "Abs")):
                sub.output(sub.op(operator, next_value), FLOAT, [])
            next_value = body.op("If", body.op("Less", next_value, body.const(0.0)), then_branch=less.proto(),
                                 else_branch=more.proto())
        stops = self.random.random()
        if stops < 0.3:
            next_go = body.op("Less", next_count, body.const(30))
        elif stops < 0.6:  # which the device decides, where the value is its
            next_go = body.op("Less", next_value, body.const(7.3))
        else:
            next_go = body.op("Identity", go)
        for result, dtype in [(next_go, BOOL), (next_count, INT64), (next_value, FLOAT)]:
            body.output(result, dtype, [])
        return g.op("Loop", trips, "", self.integer(), self.float(), out=2, body=body.proto())

    def loop(self):
        count, value = self.add_loop(self.g, self.need(self.g.op("Squeeze", self.small(4), self.axis)))
        self.integers.append(self.clipped(self.g, count))
        self.floats.append(value)


def cases(seed):
    rng = np.random.default_rng(seed)
    for _ in range(3):
        n, m = rng.integers(1, 9), rng.integers(1, 5)
        yield Case({"x": rng.normal(0, 6, n).astype(np.float32), "w": rng.normal(0, 6, (n, m)).astype(np.float32),
                    "ratio": np.array(rng.normal(0, 5), np.float32), "count": np.array(rng.integers(-9, 9)),
                    "sizes": rng.integers(-9, 9, 3)})


def inputs_behind(graph, values):
    """The inputs of a graph whose elements decide some of its values, through the graphs within it too; names are unique in
    a random model."""
    makers = {output: (node, number) for node in nodes(graph) for number, output in enumerate(node.output)}
    inputs = {value.name for value in graph.input}
    found, seen, open_values = set(), set(), list(values)
    while open_values:
        value = open_values.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in inputs:
            found.add(value)
        elif value in makers:
            open_values += sources(*makers[value], inputs)
    return found


def sources(node, number, inputs):
    """What decides the elements of a node's result."""
    # The extents of an input are the caller's; of what the device counts, elements decide them.
    if node.op_type == "Shape" and node.input[0] in inputs:
        return
    yield from node.input
    for attribute in node.attribute:
        if attribute.type == helper.AttributeProto.GRAPH:
            outputs = [output.name for output in attribute.g.output]
            # Any value that a loop carries may decide how often it runs.
            yield from [outputs[number]] if node.op_type == "If" else outputs


def nodes(graph):
    """Those of a graph and of all within it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == helper.AttributeProto.GRAPH:
                yield from nodes(attribute.g)


def operators(graph):
    """The operators of a graph and of all within it."""
    return (node.op_type for node in nodes(graph))
