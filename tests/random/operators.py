# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models for numbers: 3 to 12 operators of all families over open and static dims, inputs and constants, in branches
and loops too.
"""
from onnx import helper

from families import FAMILIES, OPERATORS
from values import DoesNotFit, RandomGraph

NODES = (3, 12)


def read_by(node):
    """Names that a node reads, in graphs within it too."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from read_by(inner)


class RandomModel(RandomGraph):
    """A model of a seed, with its data sets."""

    def __init__(self, seed):
        super().__init__(seed)
        self.random_family = lambda: self.random.choices(list(FAMILIES), FAMILIES.values())[0]
        wanted = self.random.randint(*NODES)
        while len(self.main.nodes) < wanted:
            self.add(self.random_family())
        read = {name for node in self.main.nodes for name in read_by(node)}
        made = [v for v in self.values if v.name not in self.data]
        self.finish([v for v in made if v.name not in read or self.chance(0.1)])

    def finish(self, results):
        self.results = results
        self.main.outputs = []
        for value in results:
            self.main.output(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.rank)
        # onnx's own inference counts windows of `ceil_mode` that begin behind the image, which the operator leaves out.
        self.model = self.main.model(opset=self.opset, full_check=False)

    def keep_only(self, name):
        """One result and the nodes, inputs and initializers that it needs."""
        needed, kept = {name}, []
        for node in reversed(self.main.nodes):
            if needed.isdisjoint(node.output):
                continue
            kept.insert(0, node)
            needed.update(read_by(node))
        self.main.nodes = kept
        self.main.initializers = [i for i in self.main.initializers if i.name in needed]
        self.main.inputs = [i for i in self.main.inputs if i.name in needed]
        self.data = {name: arrays for name, arrays in self.data.items() if name in needed}
        self.finish([value for value in self.values if value.name == name])

    def add(self, family):
        nodes, initializers, values = len(self.g.nodes), len(self.g.initializers), set(self.values)
        try:
            self.choice(OPERATORS[family])(self)
        except DoesNotFit:
            del self.g.nodes[nodes:]
            del self.g.initializers[initializers:]
            self.values = [v for v in self.values if v in values or v.name in self.data]
