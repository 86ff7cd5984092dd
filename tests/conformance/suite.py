# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The official ONNX suite as a list of cases: models, inputs, expected outputs and tolerances, as
`onnx.backend.test` has them. Nothing is downloaded: models whose weights are not in the package come as their light
variants, with the data that the suite's own runner makes up for them.

Most of the suite is Python that computes the expected outputs. It runs once; what it gives is kept in a folder.
"""
import json
import os
import pickle
import re
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import onnx
from onnx import numpy_helper

VERSION = "1.23.2"
# How many cases each kind has: an incomplete package must not pass for the suite.
KINDS = {"node": 1884, "pytorch-converted": 82, "pytorch-operator": 35, "simple": 23, "real": 9}


def assert_similar(expected, outputs, rtol, atol):
    """Raises AssertionError, TypeError or AttributeError where outputs are wrong."""
    from onnx.backend.test.runner import Runner

    Runner.assert_similar_outputs(expected, outputs, rtol, atol)


@dataclass
class Case:
    name: str
    kind: str
    rtol: float
    atol: float
    # In the whole suite; names of C++ follow from it, so that they do not depend on what else is run.
    number: int
    folder: Path
    mode: ClassVar[str] = "static"
    # The outcome where nothing is wrong.
    success: ClassVar[str] = "pass"

    @property
    def identifier(self):
        return f"case_{self.number:04}"

    @property
    def model(self):
        return self.folder / "model.onnx"

    def load(self):
        return onnx.load(self.model, load_external_data=False)

    def data_sets(self):
        """Lists of inputs and of outputs by position; a value is an array, a list (a sequence) or None."""
        return pickle.loads((self.folder / "data.pickle").read_bytes())

    def compare(self, expected, outputs):
        assert_similar(expected, outputs, self.rtol, self.atol)


def nodes(model):
    """Those of a model, of its functions and of the graphs within."""
    open_nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    while open_nodes:
        node = open_nodes.pop()
        yield node
        open_nodes += [inner for attribute in node.attribute for inner in attribute.g.node]


def keep(model, path):
    """The path of a model that is made, in a file; runs of other targets make the same at the same time."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    os.close(handle)
    onnx.save(model, name)
    os.replace(name, path)
    return path


def operators(model):
    """Names of all operators of a model, those in functions and subgraphs too."""
    return {node.op_type for node in nodes(model)}


def plain(value):
    """Arrays of what a case may hold: TensorProto, NumPy scalars, lists of them."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        return numpy_helper.to_list(value)
    if isinstance(value, onnx.OptionalProto):
        return numpy_helper.to_optional(value)
    return value


def stored_data(folder, model):
    """The data sets beside a model."""
    from onnx.backend.test.runner import Runner

    for data in sorted(folder.glob("test_data_set*")):
        values = ([], [])
        for stem, infos, into in (("input", model.graph.input, values[0]), ("output", model.graph.output, values[1])):
            for position in range(len(list(data.glob(f"{stem}_*.pb")))):
                Runner._load_proto(None, data / f"{stem}_{position}.pb", into, infos[position].type)
        yield values


def light_data(path, model):
    """What the suite's runner does for a model without weights: counted-up inputs, outputs beside the model."""
    from onnx.backend.test.runner import Runner

    initialized = {i.name for i in model.graph.initializer}
    inputs = [None if i.name in initialized else Runner.generate_dummy_data(i) for i in model.graph.input]
    outputs = []
    for position in range(len(model.graph.output)):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((path.parent / f"{path.stem}_output_{position}.pb").read_bytes())
        outputs.append(numpy_helper.to_array(tensor))
    yield inputs, outputs


def read(case):
    """(bytes of the model, data sets) of one of onnx's TestCases."""
    if case.model is not None:
        return case.model.SerializeToString(), [tuple([plain(v) for v in values] for values in data)
                                                for data in case.data_sets]
    if case.model_dir is not None:
        path = Path(case.model_dir) / "model.onnx"
        return path.read_bytes(), list(stored_data(path.parent, onnx.load(path)))
    path = Path(onnx.__file__).parent.parent / case.url
    return path.read_bytes(), list(light_data(path, onnx.load(path)))


def write(into):
    from onnx.backend.test.loader import load_model_tests

    index = []
    for kind in KINDS:
        for case in load_model_tests(kind=kind):
            folder = into / case.name
            folder.mkdir()
            model, data = read(case)
            (folder / "model.onnx").write_bytes(model)
            (folder / "data.pickle").write_bytes(pickle.dumps(data))
            index.append({"name": case.name, "kind": kind, "rtol": case.rtol, "atol": case.atol})
    index.sort(key=lambda case: case["name"])
    (into / "index.json").write_text(json.dumps(index))


def load(scratch):
    """All cases, sorted by name."""
    if onnx.__version__ != VERSION:
        raise SystemExit(f"the lists beside this script are for onnx {VERSION}, found {onnx.__version__}: "
                         "tools/setup --tests brings it")
    scratch.mkdir(parents=True, exist_ok=True)
    stamp = re.sub(r"\W", "_", VERSION)
    kept = scratch / f"suite_{stamp}"
    if not (kept / "index.json").exists():
        made = Path(tempfile.mkdtemp(dir=scratch))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write(made)
        try:
            made.rename(kept)
        except OSError:  # another process was first
            shutil.rmtree(made)
    index = json.loads((kept / "index.json").read_text())
    cases = [Case(number=number, folder=kept / entry["name"], **entry) for number, entry in enumerate(index)]
    for kind, count in KINDS.items():
        found = sum(case.kind == kind for case in cases)
        if found != count:
            raise SystemExit(f"the suite has {found} cases of kind {kind}, expected {count}")
    return cases


if __name__ == "__main__":
    print(f"{len(load(Path(sys.argv[1])))} cases")
