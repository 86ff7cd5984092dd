# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's cases that draw random numbers. ONNX leaves open which numbers those are, so the suite's outputs, NumPy's, say
nothing of others. Such a case is run on many copies of its first input at once, and how what each element becomes is
distributed is held against the same of ONNX's own evaluator: outcome `random`, counted apart from what passes.
"""
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from suite import Case, keep, nodes

DRAWING = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
COPIES = 10_000
# Distributions that are the same are further apart by Kolmogorov's statistic in one of 10^6 comparisons.
FURTHEST = math.sqrt(math.log(2e6) / COPIES)


def drops(node, values):
    """Whether a Dropout sets elements to 0: it trains, and its ratio is not 0."""
    ratio, training = (values.get(name) for name in [*node.input[1:], "", ""][:2])
    return node.op_type == "Dropout" and bool(np.any(training)) and (ratio is None or bool(np.any(ratio)))


def draws(case):
    """Whether what a case gives is random."""
    model = case.load()
    graph, found = model.graph, list(nodes(model))
    if not any(node.op_type in DRAWING or node.op_type == "Dropout" for node in found):
        return False
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    for inputs, _ in case.data_sets():
        values.update(zip((value.name for value in graph.input), inputs))
    return any(node.op_type in DRAWING or drops(node, values) for node in found)


def clusters(values, rtol, atol):
    """The values' numbers, where those that are close have the same one."""
    flat = np.asarray(values, np.float64).ravel()
    order = np.argsort(flat, kind="stable")
    ascending = flat[order]
    apart = np.diff(ascending) > atol + rtol * np.abs(ascending[1:])
    numbers = np.empty(len(flat), np.int64)
    numbers[order] = np.concatenate([[0], np.cumsum(apart)])
    return numbers.reshape(np.shape(values))


def distance(got, need):
    """Kolmogorov's statistic of two lists of integers."""
    all_values = np.union1d(got, need)
    shares = [np.searchsorted(np.sort(values), all_values, side="right") / len(values) for values in (got, need)]
    return float(np.abs(shares[0] - shares[1]).max())


def compare_draws(expected, outputs, rtol, atol):
    """Raises AssertionError unless the outputs, whose first axis counts copies, are distributed as those expected: each
    element, and where outputs have the same shape their elements together."""
    assert len(expected) == len(outputs), f"{len(outputs)} outputs, expected {len(expected)}"
    together = {}
    for number, (need, got) in enumerate(zip(expected, outputs)):
        assert need.dtype == got.dtype and need.shape == got.shape, \
            f"output {number} is {got.dtype} {got.shape}, expected {need.dtype} {need.shape}"
        joined = clusters(np.stack([got, need]), rtol, atol)
        before = together.get(need.shape)
        together[need.shape] = joined if before is None else before * (joined.max() + 1) + joined
    for shape, numbers in together.items():
        got, need = numbers.reshape(2, shape[0], -1)
        for element in range(got.shape[1]):
            apart = distance(got[:, element], need[:, element])
            assert apart <= FURTHEST, f"element {element} is distributed otherwise: {apart:.3f} apart, at most {FURTHEST:.3f}"


@dataclass
class DrawCase(Case):
    """A case of the suite on many copies of its first input."""
    original: Case = None
    kept: Path = None
    success = "random"

    def load(self):
        model = self.original.load()
        model.graph.input[0].type.tensor_type.shape.dim.insert(0, onnx.TensorShapeProto.Dimension(dim_value=COPIES))
        for value in model.graph.output:
            value.type.tensor_type.ClearField("shape")
        del model.graph.value_info[:]
        return model

    @property
    def model(self):
        return keep(self.load(), self.kept / f"{self.identifier}.onnx")

    def data_sets(self):
        model = self.load()
        inputs = [list(values) for values, _ in self.original.data_sets()]
        for values in inputs:
            values[0] = np.stack([values[0]] * COPIES)
        names = [value.name for value in model.graph.input]
        return [(values, ReferenceEvaluator(model).run(None, dict(zip(names, values)))) for values in inputs]

    def compare(self, expected, outputs):
        compare_draws(expected, outputs, self.rtol, self.atol)


def mark(cases, scratch):
    """The cases, with those that draw as such."""
    folder = scratch / "draws"
    folder.mkdir(parents=True, exist_ok=True)
    return [DrawCase(case.name, case.kind, case.rtol, case.atol, case.number, case.folder, case, folder)
            if draws(case) else case for case in cases]
