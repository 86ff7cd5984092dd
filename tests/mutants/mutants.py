#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated models: mutants.py CAMEO SCRATCH [--seeds FIRST COUNT] [--models FOLDER] [--slack N].

A seed chooses a model of the official suite, a target, and one to four changes of it: extents, ranks and types of inputs,
what is an input and what a constant, numbers in constants and attributes, attributes and operands that are missing or
others', the version of the operator set. A range of seeds gives the same models whenever it runs, so that many are run piece by
piece. Without --seeds it is a share of 20,000, others each day.
"""
import argparse
import collections
import os
import random
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import share
import trial
from operands import copy, set_shape
from trial import suite

LARGEST_MODEL = 20_000
DAILY = 20_000
INTEGERS = (-(2**63), -(2**31), -100, -3, -2, -1, 0, 1, 2, 3, 4, 7, 64, 1000, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
EXTENTS = (0, 1, 2, 3, 5, 7, 16, 64, 1000, 2**20, 2**31, 2**40)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e38, float("inf"), float("-inf"), float("nan"))
TYPES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 21, 22, 0, 99)
TEXTS = ("", "constant", "linear", "NOTSET", "SAME_UPPER", "LSTM", "a,b->", "ij,jk->ik", "sum")


def graphs(graph):
    """A graph and those in attributes of its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs(attribute.g)


class Mutator:
    """Changes a model in place; each change gives False where the model has nothing for it."""

    def __init__(self, model, data, draw):
        self.model, self.draw, self.data = model, draw, data
        self.graphs = list(graphs(model.graph))
        self.nodes = [node for graph in self.graphs for node in graph.node]

    def run(self):
        changes = [self.extent, self.extent, self.rank, self.constant, self.constant, self.integer, self.integer, self.number,
                   self.attribute, self.attribute, self.lose_attribute, self.operand, self.operand, self.type, self.open,
                   self.version, self.lose_operand, self.output]
        left, tries = self.draw.choice((1, 1, 2, 3, 4)), 0
        while left and tries < 40:
            tries += 1
            left -= bool(self.draw.choice(changes)())

    def pick(self, things):
        things = list(things)
        return self.draw.choice(things) if things else None

    def tensor_input(self):
        return self.pick(v for graph in self.graphs for v in graph.input if v.type.HasField("tensor_type"))

    def dims(self, value):
        return [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]

    def extent(self):
        value = self.tensor_input()
        if value is None or not (dims := self.dims(value)):
            return False
        axis, old = self.draw.randrange(len(dims)), dims[0]
        near = [old - 1, old + 1, 2 * old] if isinstance(old, int) else []
        dims[axis] = self.draw.choice(["n", "m", *EXTENTS, *(n for n in near if n >= 0)])
        set_shape(value, dims)
        return True

    def open(self):
        value = self.tensor_input()
        if value is None:
            return False
        set_shape(value, [self.draw.choice((f"{value.name}_{axis}", "n")) for axis in range(len(self.dims(value)))])
        return True

    def rank(self):
        value = self.tensor_input()
        if value is None:
            return False
        dims = self.dims(value)
        how = self.draw.randrange(4)
        if how == 0:
            dims.insert(self.draw.randrange(len(dims) + 1), self.draw.choice(("n", 1, 2, 0)))
        elif how == 1 and dims:
            del dims[self.draw.randrange(len(dims))]
        else:
            dims = [] if how == 2 else None
        set_shape(value, dims)
        return True

    def type(self):
        value = self.tensor_input()
        if value is None:
            return False
        value.type.tensor_type.elem_type = self.draw.choice(TYPES)
        return True

    def constant(self):
        """An input becomes a constant, with the suite's data in the extents that it has now."""
        graph = self.model.graph
        known = [(position, value) for position, value in enumerate(graph.input)
                 if isinstance(self.data.get(value.name), np.ndarray) and self.data[value.name].dtype != object]
        if not known:
            return False
        position, value = self.draw.choice(known)
        array = self.data[value.name]
        dims = self.dims(value)
        fits = array.size and all(isinstance(d, int) and d >= 0 for d in dims) and np.prod(dims, dtype=object) <= 4096
        graph.initializer.append(numpy_helper.from_array(np.resize(array, dims) if fits else array, value.name))
        if self.draw.random() < 0.9:
            del graph.input[position]
        return True

    def tensors(self):
        for graph in self.graphs:
            yield from graph.initializer
        for node in self.nodes:
            for attribute in node.attribute:
                if attribute.type == AttributeProto.TENSOR:
                    yield attribute.t

    def change_element(self, kinds, values):
        tensor = self.pick(t for t in self.tensors() if t.data_type not in (0, TensorProto.STRING))
        if tensor is None:
            return False
        try:
            array = numpy_helper.to_array(tensor).copy()
        except (ValueError, TypeError, KeyError):
            return False
        if array.dtype.kind not in kinds or not array.size:
            return False
        value = self.draw.choice(values)
        with np.errstate(all="ignore"):
            value = np.array(value).astype(array.dtype)
        if self.draw.random() < 0.3:
            array[...] = value
        else:
            array.flat[self.draw.randrange(array.size)] = value
        if array.ndim == 1 and self.draw.random() < 0.2:
            array = array[:-1] if self.draw.random() < 0.5 else np.append(array, value).astype(array.dtype)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        return True

    def integer(self):
        return self.change_element("iu", INTEGERS)

    def number(self):
        return self.change_element("f", FLOATS)

    def some_attribute(self):
        return self.pick((node, attribute) for node in self.nodes for attribute in node.attribute)

    def attribute(self):
        found = self.some_attribute()
        if found is None:
            return False
        attribute = found[1]
        if attribute.type == AttributeProto.INT:
            attribute.i = self.draw.choice((*INTEGERS, attribute.i + 1, -attribute.i if attribute.i > -(2**63) else 0))
        elif attribute.type == AttributeProto.FLOAT:
            attribute.f = self.draw.choice(FLOATS)
        elif attribute.type == AttributeProto.STRING:
            attribute.s = self.draw.choice(TEXTS).encode()
        elif attribute.type == AttributeProto.INTS:
            self.change_list(attribute.ints, INTEGERS)
        elif attribute.type == AttributeProto.FLOATS:
            self.change_list(attribute.floats, FLOATS)
        elif attribute.type == AttributeProto.STRINGS:
            self.change_list(attribute.strings, [text.encode() for text in TEXTS])
        else:
            return False
        return True

    def change_list(self, elements, values):
        how = self.draw.randrange(4)
        if how == 0 and elements:
            del elements[self.draw.randrange(len(elements))]
        elif how == 1 or not elements:
            elements.append(self.draw.choice(values))
        else:
            elements[self.draw.randrange(len(elements))] = self.draw.choice(values)

    def lose_attribute(self):
        found = self.some_attribute()
        if found is None:
            return False
        found[0].attribute.remove(found[1])
        return True

    def operand(self):
        node = self.pick(node for node in self.nodes if node.input)
        if node is None:
            return False
        names = [name for graph in self.graphs for name in
                 [*(v.name for v in graph.input), *(t.name for t in graph.initializer)]] + list(node.input)
        position = self.draw.randrange(len(node.input))
        how = self.draw.randrange(4)
        if how == 0:
            other = self.draw.randrange(len(node.input))
            node.input[position], node.input[other] = node.input[other], node.input[position]
        elif how == 1 and names:
            node.input.append(self.draw.choice(names))
        elif names:
            node.input[position] = self.draw.choice(names)
        return True

    def lose_operand(self):
        node = self.pick(node for node in self.nodes if node.input)
        if node is None:
            return False
        if self.draw.random() < 0.5:
            del node.input[-1]
        else:
            node.input[self.draw.randrange(len(node.input))] = ""
        return True

    def output(self):
        """A result that a node may have, or may leave out."""
        node = self.pick(node for node in self.nodes if node.output)
        if node is None:
            return False
        if self.draw.random() < 0.5:
            node.output.append(f"more_{len(node.output)}")
            return True
        used = {name for other in self.nodes for name in other.input} | {
            v.name for graph in self.graphs for v in graph.output}
        unused = [p for p, name in enumerate(node.output) if name not in used]
        if not unused:
            return False
        node.output[self.draw.choice(unused)] = ""
        return True

    def version(self):
        for opset in self.model.opset_import:
            if opset.domain in ("", "ai.onnx"):
                opset.version = self.draw.choice((opset.version + self.draw.choice((-5, -1, 1)), self.draw.randrange(1, 28)))
                return True
        return False


class MadeModel:
    """A model of tests/models, as make.py wrote it; its data as a case of the suite has them."""
    kind = "node"

    def __init__(self, path):
        self.name, self.model = path.stem, path

    def load(self):
        return onnx.load(self.model, load_external_data=False)

    def data_sets(self):
        arrays = []
        for path in sorted(self.model.parent.glob("test_data_set_0/input_*.pb"), key=lambda p: int(p.stem.split("_")[1])):
            tensor = TensorProto()
            try:
                tensor.ParseFromString(path.read_bytes())
                arrays.append(numpy_helper.to_array(tensor))
            except Exception:  # a sequence, or a type that NumPy does not have: it stays an input
                arrays.append(None)
        return [(arrays, [])]


def made_models(folder):
    """All but those whose weights are in files beside them."""
    return [MadeModel(path) for path in sorted(folder.glob("*/*.onnx")) if b"location" not in path.read_bytes()]


def by_operator(cases):
    """Lists of cases, one for each operator: that each is as often drawn, however many cases it has."""
    lists = collections.defaultdict(list)
    for case in cases:
        if case.model.stat().st_size <= LARGEST_MODEL:
            for operator in suite.operators(case.load()):
                lists[operator].append(case)
    return [lists[operator] for operator in sorted(lists)]


def mutate(lists, seed):
    draw = random.Random(seed)
    case = draw.choice(draw.choice(lists))
    model = copy(case.load())
    data = case.data_sets()
    initialized = {i.name for i in model.graph.initializer}
    names = [v.name for v in model.graph.input if v.name not in initialized]
    Mutator(model, dict(zip(names, data[0][0])) if data else {}, draw).run()
    target = draw.choice(trial.TARGETS)
    return trial.Trial(f"{seed}_{case.name}", target, model.SerializeToString())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cameo")
    parser.add_argument("scratch", type=lambda text: Path(text).resolve())
    parser.add_argument("--seeds", nargs=2, type=int, metavar=("FIRST", "COUNT"))
    parser.add_argument("--slack", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--models", type=Path, help="what tests/models/make.py wrote, in the place of the suite's models")
    parser.add_argument("--suite", type=Path, help="where the suite is kept")
    given = parser.parse_args()

    lists = by_operator(made_models(given.models) if given.models else
                        suite.load(given.suite or given.scratch.parent / "suite"))
    first, count = given.seeds or (random.Random(share.SEED).randrange(1 << 40), share.part(DAILY))
    runner = trial.Runner(given.cameo, given.scratch, given.slack, lambda seed: mutate(lists, seed))
    codes, faults = runner.run(range(first, first + count), given.jobs, progress=1000 if given.seeds else 0)
    sys.exit(trial.tell(f"mutants of seeds {first} to {first + count - 1}", codes, faults, runner.found))


if __name__ == "__main__":
    main()
