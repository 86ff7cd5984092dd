#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's own operators against ONNX Runtime: run.py CAMEO SCRATCH [--target cpu|cuda-emu] [PATTERN...].

cases.py has the cases. Each is compiled twice: with the extents of its data, and with its first dims open. Expected are what ONNX
Runtime gives, unoptimised. Floats agree within a few units of the last place of the largest element; bytes within one step, since
ONNX Runtime multiplies by a rounded ratio of scales; DynamicQuantizeLSTM by a norm, since only ONNX Runtime quantises its states."""
import argparse
import fnmatch
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / folder) for folder in ("models", "conformance", "")]
import cases  # noqa: E402
from harness import Harness  # noqa: E402
from make import onnx_type, onnxruntime_runner  # noqa: E402
from outcome import Outcome  # noqa: E402
from share import sample  # noqa: E402

# Differences may be this many units in the last place of the largest element: sums are in another order, and functions some units off.
UNITS = 64
# ONNX Runtime quantises the states of these in each step, Cameo does not: norm of the difference by that of the result.
NORM = {"DynamicQuantizeLSTM": 0.05}


def build(operator, operands, attributes, is_open):
    """A model of one node, and its inputs by name."""
    attributes = dict(attributes)
    domain, outputs = attributes.pop("domain", "com.microsoft"), attributes.pop("outputs", ["result"])
    opset = attributes.pop("version", 17)
    for key in ("in_place", "compared"):
        attributes.pop(key, None)
    constant = cases.CONSTANT - cases.COMPUTED.get(operator, set()) | set(attributes.pop("constant", ()))
    schema = next(s for s in schemas() if s.name == operator and s.domain == domain)
    names, inputs, initializers, data = [], [], [], {}
    given = {name: value for name, value in operands.items() if value is not None}
    for parameter in schema.inputs:
        values = given.pop(parameter.name, None)
        for number, value in enumerate(values if isinstance(values, list) else [values]):
            if value is None:
                names.append("")
                continue
            name = parameter.name + (str(number) if isinstance(values, list) else "")
            names.append(name)
            value = np.asarray(value)
            if parameter.name in constant:
                initializers.append(numpy_helper.from_array(value, name))
                continue
            # Sizes of heads and of channels are those of the weights.
            dims = [f"{name}_{axis}" if is_open and axis < value.ndim - 1 and value.ndim > 1 and axis == 0 else extent
                    for axis, extent in enumerate(value.shape)]
            inputs.append(helper.make_tensor_value_info(name, onnx_type(value), dims))
            data[name] = value
    if given:
        raise LookupError(f"{operator} has no operands {sorted(given)}")
    while names and not names[-1]:
        names.pop()
    node = helper.make_node(operator, names, outputs, name="node", domain=domain, **attributes)
    results = [helper.make_tensor_value_info(name, 0, None) for name in outputs if name]
    for result in results:
        result.ClearField("type")
    graph = helper.make_graph([node], operator, inputs, results, initializers)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 8
    return model, data


_SCHEMAS = []


def schemas():
    if not _SCHEMAS:
        from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema
        _SCHEMAS.extend(get_all_operator_schema())
    return _SCHEMAS


def run_onnxruntime(model, data, in_place):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    if not in_place:
        return session.run(None, data)
    binding = session.io_binding()
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(value.copy()) for name, value in data.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    for output in session.get_outputs():
        if output.name in in_place:
            binding.bind_ortvalue_output(output.name, values[in_place[output.name]])
        else:
            binding.bind_output(output.name)
    session.run_with_iobinding(binding)
    return binding.copy_outputs_to_cpu()  # in the order in which they were bound


class ContribCase:
    """As the harness has the suite's cases."""
    success = "pass"

    def __init__(self, number, operator, variant, operands, attributes, is_open, folder):
        self.number, self.operator = number, operator
        self.name = f"{operator} {variant}{' open' if is_open else ''}"
        self.identifier = f"case_{number:04}"
        self.proto, data = build(operator, operands, attributes, is_open)
        self.model = folder / f"{self.identifier}.onnx"
        self.inputs = [data[i.name] for i in self.proto.graph.input]
        self.expected = run_onnxruntime(self.proto, data, attributes.get("in_place"))
        if "compared" in attributes:
            outputs = [output.name for output in self.proto.graph.output]
            self.expected = [self.expected[outputs.index(name)] for name in attributes["compared"]]
            kept = [output for output in self.proto.graph.output if output.name in attributes["compared"]]
            del self.proto.graph.output[:]
            self.proto.graph.output.extend(kept)
        for result, output in zip(self.expected, self.proto.graph.output):
            output.CopyFrom(helper.make_tensor_value_info(output.name, onnx_type(result), None))
        onnx.save(self.proto, self.model)

    def load(self):
        return self.proto

    def data_sets(self):
        return [(self.inputs, self.expected)]


def difference(case, wanted, found):
    """What is wrong with a result, empty where nothing is."""
    if (wanted.dtype, wanted.shape) != (found.dtype, found.shape):
        return f"{found.dtype}{list(found.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
    if not wanted.size:
        return ""
    apart = np.abs(wanted.astype(np.float64) - found.astype(np.float64))
    if wanted.dtype.kind in "iu":
        allowed = 1 if wanted.dtype.itemsize == 1 else 0
    elif case.operator in NORM:
        norm = np.linalg.norm(apart) / max(np.linalg.norm(wanted.astype(np.float64)), 1e-30)
        return f"norm {norm:.3g}" if not norm <= NORM[case.operator] else ""
    else:
        allowed = UNITS * float(np.finfo(wanted.dtype).eps) * max(1.0, float(np.max(np.abs(wanted.astype(np.float64)))))
    if np.all(apart <= allowed):
        return ""
    place = tuple(int(i) for i in np.argwhere(~(apart <= allowed))[0])
    return f"{int(np.sum(~(apart <= allowed)))} of {wanted.size}, at {list(place)} {found[place]}, expected {wanted[place]}"


def judge(case, expected, result):
    if result.texts["status"] != "OK":
        return Outcome(f"run-{result.texts['status']}", result.texts["message"])
    if result.texts["fault"]:
        return Outcome("fault", result.texts["fault"])
    for number, (wanted, found) in enumerate(zip(expected, result.outputs)):
        if wrong := difference(case, wanted, found):
            return Outcome("wrong", f"output {number}: {wrong}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cameo")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--target", choices=["cpu", "cuda-emu"], default="cpu")
    parser.add_argument("patterns", nargs="*", default=["*"])
    given = parser.parse_intermixed_args()
    models = given.scratch / f"models-{given.target}"
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir(parents=True)
    wanted = [(operator, variant, *case, is_open)
              for operator, make in cases.OPERATORS.items() if any(fnmatch.fnmatch(operator, p) for p in given.patterns)
              for variant, case in enumerate(make(cases.rng(operator))) for is_open in (False, True)]
    chosen = [ContribCase(number, *case, models) for number, case in enumerate(sample(f"contrib.{given.target}", wanted))]
    harness = Harness(given.cameo, given.target, given.scratch.resolve(), trace=given.target == "cuda-emu", judge=judge, level="-O0")
    outcomes, failed = harness.take(chosen), 0
    for case in chosen:
        outcome = outcomes.get(case.name, Outcome("missing"))
        if outcome.kind != "pass":
            failed += 1
            print(f"{case.name}: {outcome.kind}: {outcome.detail[:500]}", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} cases as ONNX Runtime has them on {given.target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
