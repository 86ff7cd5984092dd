# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models for numbers against ONNX Runtime without its optimisations: exact values have the same bits, of others the
difference is small beside the largest value on the way. Where ONNX Runtime lacks an operator, crashes, or answers with other
extents than the model was made for, ONNX's reference evaluator says what is right. Where Cameo differs, it is the second
opinion.
"""
import collections
import functools
import multiprocessing
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import onnx
from onnx import helper

from make import onnxruntime_runner, reference_runner
from operators import RandomModel
from outcome import Outcome
from values import DIGITS

# Of the largest value on the way, and of the element: for sums of a few hundred elements in another order, and for scalar
# functions that differ by some units in the last place, of the type with the fewest digits on the way.
UNITS_OF_LARGEST, UNITS_OF_ELEMENT = 32, 1024
# Operators whose results the reference evaluator computes wrongly, and how.
REFERENCE_FAULTS = {"LRN": "it takes the number of images for that of channels"}
# The same of ONNX Runtime, where the first operand has no elements.
EMPTY_FAULTS = {"Gemm": "it leaves out beta"}
SECONDS = 60


def in_a_process(function):
    """What it returns, None if it raises or crashes: ONNX Runtime divides by zero where a dim is 0."""
    def call(pipe):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                pipe.send(function())
            except Exception as error:  # whatever a runtime throws
                pipe.send(str(error))
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=call, args=[sender])
    process.start()
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(SECONDS) else "no end"
    except EOFError:
        found = "crashed"
    process.kill()
    process.join()
    return found


class Oracles:
    def __init__(self, random_model):
        self.random_model = random_model
        model = onnx.ModelProto.FromString(random_model.model.SerializeToString())
        made = {name for node in model.graph.node for name in node.output} - {o.name for o in model.graph.output}
        # All on the way too, for the largest.
        model.graph.output.extend(helper.make_tensor_value_info(v.name, helper.np_dtype_to_tensor_dtype(v.dtype), None)
                                  for v in random_model.values if v.name in made)
        self.watched = model

    def run(self, runner, model):
        def all_cases():
            run = runner(model)
            return [[np.asarray(result) for result in run(case.inputs)] for case in self.random_model.cases()]
        return in_a_process(all_cases)

    def fault(self, found):
        """Why it is no answer: the first result that has other extents than it was made with."""
        if isinstance(found, str):
            return found[:200]
        for number, results in enumerate(found):
            for value, result in zip(self.random_model.results, results):
                if result.shape != tuple(dim[number] for dim in value.shape):
                    return f"{value.name} is {list(result.shape)} in data set {number}"
        return ""

    @functools.cached_property
    def onnxruntime(self):
        empty = {value.name for value in self.random_model.values if any(0 in dim for dim in value.shape)}
        for node in self.random_model.model.graph.node:
            if node.op_type in EMPTY_FAULTS and node.input[0] in empty:
                return f"{node.op_type} of nothing: {EMPTY_FAULTS[node.op_type]}"
        return self.run(onnxruntime_runner, self.watched)

    @functools.cached_property
    def reference(self):
        for node in self.random_model.model.graph.node:
            if node.op_type in REFERENCE_FAULTS:
                return f"{node.op_type}: {REFERENCE_FAULTS[node.op_type]}"
        return self.run(reference_runner, self.random_model.model)

    def expected(self):
        """(results by data set, who gave them, the largest float on the way)"""
        for name in ("onnxruntime", "reference"):
            found = getattr(self, name)
            if not self.fault(found):
                largest = max((float(np.max(np.abs(array))) for results in found for array in results
                               if array.dtype.kind == "f" and array.size), default=1)
                count = len(self.random_model.results)
                return [results[:count] for results in found], name, max(largest, 1)
        raise LookupError(f"ONNX Runtime: {self.fault(self.onnxruntime)}; reference: {self.fault(self.reference)}")


def difference(value, expected, result, largest, digits):
    """What is wrong with a result, empty where nothing is."""
    if (expected.dtype, expected.shape) != (result.dtype, result.shape):
        return f"{result.dtype}{list(result.shape)}, expected {expected.dtype}{list(expected.shape)}"
    with np.errstate(all="ignore"):
        same = (expected == result) | ((expected != expected) & (result != result))
        if not value.is_exact and value.is_float:
            unit = 2.0 ** -digits
            wide, other = expected.astype(np.float64), result.astype(np.float64)
            near = np.abs(wide - other) <= unit * (UNITS_OF_LARGEST * largest + UNITS_OF_ELEMENT * np.abs(wide))
            same |= near & np.isfinite(wide)
    if np.all(same):
        return ""
    place = tuple(int(i) for i in np.argwhere(~same)[0])
    return (f"{np.count_nonzero(~same)} of {same.size} elements{' of exact values' if value.is_exact else ''}, at "
            f"{list(place)} {result[place]}, expected {expected[place]}")


@dataclass
class ComparedCase:
    """As the harness has the suite's cases; of one with `only` that result alone is wanted, and what it needs."""
    number: int
    folder: Path
    only: str = ""
    position: int = 0
    may_be_left: ClassVar[bool] = True
    success: ClassVar[str] = "pass"

    def __post_init__(self):
        self.name = f"seed {self.number}" + (f" {self.only}" if self.only else "")
        self.identifier = f"case_{self.position if self.only else self.number % 10000:04}"
        self.random_model = RandomModel(self.number)
        if self.only:
            self.random_model.keep_only(self.only)
        self.model = self.folder / f"{self.number}{'_' + self.only if self.only else ''}.onnx"
        onnx.save(self.random_model.model, self.model)
        self.oracles = Oracles(self.random_model)
        self.is_judged = True
        # The type with the fewest digits on the way.
        self.digits = min((DIGITS[v.dtype] for v in self.random_model.values if v.is_float), default=24)

    def load(self):
        return self.random_model.model

    def data_sets(self):
        names = [i.name for i in self.random_model.model.graph.input]
        try:
            self.results, self.by, self.largest = self.oracles.expected()
        except LookupError as missing:
            print(f"{self.name}: nobody says what is right: {missing}", flush=True)
            self.is_judged = False
            return []
        return [([case.inputs[name] for name in names], expected)
                for case, expected in zip(self.random_model.cases(), self.results)]

    def parts(self):
        """Cases for each value on the way, the first ones first."""
        names = [name for node in self.random_model.model.graph.node for name in node.output]
        known = {value.name for value in self.random_model.values}
        return [ComparedCase(self.number, self.folder, name, position)
                for position, name in enumerate(name for name in names if name in known)]


def second_opinion(case, expected, result):
    """Whom the reference evaluator agrees with on a data set."""
    found = case.oracles.reference
    if isinstance(found, str):
        return f"the reference evaluator: {found[:100]}"
    number = next(i for i, results in enumerate(case.results) if results is expected)

    def agrees(outputs):
        return not any(difference(value, wanted, output, case.largest, case.digits)
                       for value, wanted, output in zip(case.random_model.results, found[number], outputs))
    names = [name for name, outputs in ((case.by, expected), ("Cameo", result.outputs)) if agrees(outputs)]
    return f"the reference evaluator agrees with {' and '.join(names) or 'neither'}"


class ComparedJudge:
    def __init__(self):
        self.oracles = collections.Counter()

    def __call__(self, case, expected, result):
        self.oracles[case.by] += 1
        if result.texts["status"] != "OK":
            return Outcome(f"run-{result.texts['status']}", result.texts["message"])
        if result.texts["fault"]:
            return Outcome("fault", result.texts["fault"])
        for value, wanted, found in zip(case.random_model.results, expected, result.outputs):
            if wrong := difference(value, wanted, found, case.largest, case.digits):
                return Outcome("wrong", f"{value.name}: {wrong}; by {case.by}; {second_opinion(case, expected, result)}")
        return None

    def tell(self):
        print("judged by", ", ".join(f"{name}: {count} data sets" for name, count in sorted(self.oracles.items())))
