#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the test models with their data sets: make.py OUT [NAME...] [--cases DIR].

Every other script of this folder (but graph.py and forest.py) is one model: `build()` returns it, `cases()` yields its data sets (if
it takes an argument, that is the model as a function of its inputs, for data that continues a run), and where the rules of placement fix them, `LIMITS` bounds the counters of one run on the CUDA targets.
OUT/NAME gets NAME.onnx, test_data_set_K/{input,output}_I.pb and, with LIMITS, limits.json. Expected outputs come from
ONNX Runtime with its optimisations off, or from ONNX's reference evaluator where a script says
`ORACLE = "reference"` with the reason beside it, or from what its own function `ORACLE` makes of the model. A model file NAME.onnx in DIR is used in place of build()'s.
"""
import argparse
import importlib
import inspect
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def names():
    return sorted(p.stem for p in HERE.glob("*.py") if p.stem not in ("make", "graph", "forest"))


def onnxruntime_session(model):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def onnxruntime_runner(model):
    import onnxruntime

    session = onnxruntime_session(model)

    def run(inputs):
        # No OrtValue is made of strings.
        if any(v.dtype == object for v in inputs.values()):
            return session.run(None, inputs)
        values = {n: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(v, onnx_type(v)) for n, v in inputs.items()}
        results = session.run_with_ort_values([o.name for o in model.graph.output], values)
        return [from_ort(r, o) for r, o in zip(results, model.graph.output)]

    return run


def onnx_type(array):
    return onnx.helper.np_dtype_to_tensor_dtype(array.dtype)


def from_ort(value, info):
    dtype = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    # ONNX Runtime hands over bfloat16 and float8 as their bits.
    array = value.numpy()
    return array if array.dtype == dtype else array.view(dtype)


def reference_runner(model):
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(model)
    return lambda inputs: evaluator.run(None, inputs)


ORACLES = {"onnxruntime": onnxruntime_runner, "reference": reference_runner}


def write(path, array, name):
    path.write_bytes(numpy_helper.from_array(np.asarray(array, order="C"), name).SerializeToString())


def make(name, out, cases_folder):
    script = importlib.import_module(name)
    replacement = cases_folder / f"{name}.onnx" if cases_folder else None
    model = onnx.load(replacement) if replacement and replacement.exists() else script.build()

    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # ONNX writes the weights of a model saved so into the file's folder and forgets them in the object.
    saved = onnx.ModelProto.FromString(model.SerializeToString())
    onnx.save(saved, folder / f"{name}.onnx", save_as_external_data=getattr(script, "EXTERNAL", False),
              location=f"{name}.data", size_threshold=0)
    for name_of_limits in ("LIMITS", "LIMITS_BY_HOST"):
        if hasattr(script, name_of_limits):
            limits = json.dumps(getattr(script, name_of_limits), sort_keys=True) + "\n"
            (folder / f"{name_of_limits.lower()}.json").write_text(limits)

    oracle = getattr(script, "ORACLE", "onnxruntime")
    run = (ORACLES[oracle] if isinstance(oracle, str) else oracle)(model)
    cases = script.cases(run) if inspect.signature(script.cases).parameters else script.cases()
    return write_cases(model, run, cases, folder)


def write_cases(model, run, cases, folder):
    """folder/test_data_set_K for each case, with the outputs that `run` gives; returns their number."""
    overridable = {i.name for i in model.graph.initializer}
    for number, case in enumerate(cases):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        given = [i.name for i in model.graph.input if i.name not in overridable or i.name in case.inputs]
        if set(given) != set(case.inputs):
            raise SystemExit(f"{folder}: data set {number} gives {sorted(case.inputs)}, the model takes {given}")
        for position, input_name in enumerate(i.name for i in model.graph.input):
            if input_name in case.inputs:
                write(data / f"input_{position}.pb", case.inputs[input_name], input_name)
        if case.status:
            (data / "expect_status").write_text(case.status + "\n")
            continue
        for position, (value, info) in enumerate(zip(run(case.inputs), model.graph.output)):
            write(data / f"output_{position}.pb", value, info.name)
    return number + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cases", type=Path, help="a folder of models used in place of ours")
    arguments = parser.parse_args()
    for name in arguments.names or names():
        count = make(name, arguments.out, arguments.cases)
        print(f"{arguments.out / name / name}.onnx: {count} data sets")


if __name__ == "__main__":
    main()
