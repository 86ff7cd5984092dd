# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's cases in two more modes. As the suite has a case, its extents are numbers and all operands of its operator are
inputs. `open`: every extent of an input is a symbol of its own, and no other shape is told. `constant`: all inputs but the
first are initializers. What a mode is held against is what passes as the suite has it.
"""
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from run_case import input_positions
from suite import Case, keep, nodes

MODES = {"static": "as the suite has them", "open": "every dim open", "constant": "all inputs but the first constant"}
# Operands that list a number for each axis, or axes: how many they are decides a rank, or what an axis becomes, and stays.
LISTS = {"AffineGrid": [1], "CenterCropPad": [1], "Col2Im": [1, 2], "ConstantOfShape": [0], "Expand": [1], "MaxUnpool": [2],
         "Pad": [1, 3], "Reshape": [1], "Resize": [1, 2, 3], "Slice": [1, 2, 3, 4], "Split": [1], "SplitToSequence": [1],
         "Squeeze": [1], "Tile": [1], "Unsqueeze": [1], "Upsample": [1]}


def lists(model):
    """Names of the operands that are such lists."""
    for node in nodes(model):
        for position in [1] if node.op_type.startswith("Reduce") else LISTS.get(node.op_type, []):
            if position < len(node.input):
                yield node.input[position]


def given(model):
    """The inputs that a caller gives and that are tensors, by position."""
    return {position: model.graph.input[position] for position in input_positions(model.graph, model.ir_version)
            if model.graph.input[position].type.WhichOneof("value") == "tensor_type"}


def make_open(model, data_sets):
    """Whether any extent became a symbol, and the data sets."""
    kept, found = set(lists(model)), False
    for position, value in given(model).items():
        if value.name in kept:
            continue
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param, found = f"input{position}_dim{axis}", True
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    del model.graph.value_info[:]
    return found, data_sets


def make_constant(model, data_sets):
    """Whether any input became an initializer, and the data sets that have its value."""
    graph, values, others = model.graph, data_sets[0][0], list(given(model))[1:]
    frozen = [position for position in others if position < len(values) and isinstance(values[position], np.ndarray)]
    for position in frozen:
        tensor = numpy_helper.from_array(values[position], graph.input[position].name)
        replaced = next((i for i in graph.initializer if i.name == tensor.name), None)
        replaced.CopyFrom(tensor) if replaced else graph.initializer.append(tensor)
    data_sets = [data for data in data_sets if all(same(data[0][position], values[position]) for position in frozen)]
    # Until IR version 4 every initializer is listed among the inputs.
    if model.ir_version >= 4:
        for position in reversed(frozen):
            del graph.input[position]
        data_sets = [([value for position, value in enumerate(inputs) if position not in frozen], outputs)
                     for inputs, outputs in data_sets]
    return bool(frozen), data_sets


def same(value, other):
    return value.dtype == other.dtype and value.shape == other.shape and value.tobytes() == other.tobytes()


MAKERS = {"open": make_open, "constant": make_constant}


@dataclass
class ModeCase:
    """A case of the suite in another mode."""
    case: Case
    mode: str
    folder: Path

    def __post_init__(self):
        self.name, self.success, self.compare = f"{self.case.name}.{self.mode}", self.case.success, self.case.compare
        self.kind, self.rtol, self.atol = self.case.kind, self.case.rtol, self.case.atol
        self.number = self.case.number + 10_000 * list(MODES).index(self.mode)
        self.identifier = f"case_{self.number}"

    def made(self):
        """The model, whether the mode changes it, and its data sets."""
        model = self.case.load()
        changed, data_sets = MAKERS[self.mode](model, self.case.data_sets())
        return model, changed, data_sets

    def load(self):
        return self.made()[0]

    def data_sets(self):
        return self.made()[2]

    @property
    def model(self):
        return keep(self.load(), self.folder / f"{self.identifier}.onnx")


def make_cases(cases, scratch):
    """Every case in every mode that changes it, but those that draw random numbers."""
    folder = scratch / "modes"
    folder.mkdir(parents=True, exist_ok=True)
    found = [ModeCase(case, mode, folder) for case in cases if case.success == "pass" for mode in MAKERS]
    return [case for case in found if case.made()[1]]


def is_relative(case, outcomes, expected, target):
    """Whether a case counts: in another mode than the suite's, where it passes as the suite has it."""
    if not isinstance(case, ModeCase):
        return True
    outcome = outcomes.get(case.case.name)
    if outcome is None or outcome.kind == "compiles":
        return (case.case.name, target) not in expected
    return outcome.kind == "pass"
