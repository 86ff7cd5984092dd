#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which element types of each operator compile, on each target: compiled_types.py [--cameo CAMEO] [--scratch FOLDER] [--sample N |
--update] [OPERATOR...].

One model of one node per operator and element type: a case of the official suite, of tests/contrib, or of `ML` below, whose
first operand has the type (and all that its schema says to be of the same). Such a model compiles, or is refused (exit 5). What
compiles is in compiled_types.txt, which --update writes, and docs/support.md with it; otherwise it is compared, and --sample
takes N operators of it, others for another CAMEO_SEED."""
import argparse
import collections
import functools
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
from onnx import TensorProto, defs, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / folder) for folder in ("", "models", "policy", "contrib")]
import runtime_schemas  # noqa: E402
import suite  # noqa: E402
import support  # noqa: E402
from share import SEED  # noqa: E402

LIST = HERE / "compiled_types.txt"
TARGETS = {"cpu": "cpu", "cuda-emu": "cuda"}
PREFIXES = {"": "", "ai.onnx.ml": "ai.onnx.ml.", "ai.onnx.preview": "ai.onnx.preview.",
            "ai.onnx.preview.training": "ai.onnx.preview.training.", "com.microsoft": "com.microsoft."}
# Cases of an operator that are tried with a type; what none of them compiles with is refused.
TRIES = 4
TIMEOUT = 120

TREE = {"nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3, "nodes_values": [0.5, 0.0, 0.0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0]}
SVM = {"coefficients": [1.0, -1.0], "support_vectors": [0.0, 1.0, 1.0, 0.0], "rho": [0.25], "kernel_type": "LINEAR"}
# Operators without a case in the suite: attributes, and the shape of the only input.
ML = {"FeatureVectorizer": ({"inputdimensions": [2]}, [3, 2]),
      "Imputer": ({"imputed_value_floats": [0.5], "replaced_value_float": 1.0}, [3, 2]),
      "Imputer ": ({"imputed_value_int64s": [5], "replaced_value_int64": 1}, [3, 2]),
      "LinearClassifier": ({"coefficients": [1.0, 2.0, 3.0, 4.0], "intercepts": [0.0, 1.0], "classlabels_ints": [0, 1]}, [3, 2]),
      "LinearRegressor": ({"coefficients": [1.0, 2.0]}, [3, 2]),
      "Normalizer": ({"norm": "L2"}, [3, 2]),
      "OneHotEncoder": ({"cats_int64s": [0, 1]}, [3]),
      "OneHotEncoder ": ({"cats_strings": ["a", "b"]}, [3]),
      "Scaler": ({"offset": [0.5], "scale": [2.0]}, [3, 2]),
      "SVMClassifier": ({**SVM, "vectors_per_class": [1, 1], "classlabels_ints": [0, 1]}, [3, 2]),
      "SVMRegressor": ({**SVM, "n_supports": 2}, [3, 2]),
      "TreeEnsembleClassifier": ({**TREE, "class_treeids": [0, 0], "class_nodeids": [1, 2], "class_ids": [0, 1],
                                  "class_weights": [1.0, 1.0], "classlabels_int64s": [0, 1]}, [3, 2]),
      "TreeEnsembleRegressor": ({**TREE, "target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 0],
                                 "target_weights": [1.0, 2.0]}, [3, 2]),
      "CategoryMapper": ({"cats_int64s": [0, 1], "cats_strings": ["a", "b"]}, [3]),
      "ZipMap": ({"classlabels_int64s": [0, 1]}, [3, 2])}


@functools.cache
def contrib_schemas():
    known = {schema.name for schema in defs.get_all_schemas()}
    return {(schema.domain, name.removeprefix("ms.")): schema
            for name, schema in runtime_schemas.newest_schemas(known).items()}


def normal(domain):
    """The default domain has two names."""
    return "" if domain == "ai.onnx" else domain


def find_schema(model):
    """That of the only node, or None."""
    node = model.graph.node[0]
    domain = normal(node.domain)
    version = next((opset.version for opset in model.opset_import if normal(opset.domain) == domain), 1)
    try:
        return defs.get_schema(node.op_type, version, domain)
    except defs.SchemaError:
        return contrib_schemas().get((domain, node.op_type))


def variables(node, schema):
    """By value: the type variable of the schema."""
    found = {}
    for names, parameters in ((node.input, schema.inputs), (node.output, schema.outputs)):
        for number, name in enumerate(names):
            if name and parameters:
                parameter = parameters[min(number, len(parameters) - 1)]
                heterogeneous = parameter.option.name == "Variadic" and not parameter.is_homogeneous
                found[name] = f"{parameter.name}{number}" if heterogeneous else parameter.type_str
    return found


def first_parameter(node, schema):
    for number, name in enumerate(node.input):
        if name:
            return name, schema.inputs[min(number, len(schema.inputs) - 1)]
    return None, None


def allowed_types(schema, parameter):
    """Words as onnx has them, of tensors."""
    found = set()
    for text in parameter.types:
        if text.startswith("tensor("):
            found.add(text[len("tensor("):-1])
    return found


def number_of(word):
    return TensorProto.DataType.Value(word.upper())


def retype(tensor, number):
    """An initializer with the same values, as far as the type has them."""
    array = numpy_helper.to_array(tensor)
    if array.dtype == object or number == TensorProto.STRING:
        values = [b"a"] * array.size if number == TensorProto.STRING else np.zeros(array.size, np.float32)
    else:
        values = np.abs(array.astype(np.float64)).ravel() if number in UNSIGNED else array.astype(np.float64).ravel()
    return helper.make_tensor(tensor.name, number, array.shape, values)


UNSIGNED = {number_of(word) for word in ("uint8", "uint16", "uint32", "uint64", "uint4", "uint2", "bool")}


def with_type(model, schema, word):
    """The model with another type of the first operand, and all that has to be the same."""
    changed = onnx.ModelProto.FromString(model.SerializeToString())
    node = changed.graph.node[0]
    by_value = variables(node, schema)
    first, parameter = first_parameter(node, schema)
    same = {name for name, variable in by_value.items() if variable == by_value[first]}
    number = number_of(word)
    for value in [*changed.graph.input, *changed.graph.output]:
        if value.name in same and value.type.WhichOneof("value") == "tensor_type":
            value.type.tensor_type.elem_type = number
    # Others of the node's results have their types from it; a declaration that contradicts it is no fault of the type's.
    for value in changed.graph.output:
        if value.name not in same:
            value.ClearField("type")
    for tensor in changed.graph.initializer:
        if tensor.name in same:
            tensor.CopyFrom(retype(tensor, number))
    return changed


def contrib_models():
    spec = importlib.util.spec_from_file_location("contrib_run", HERE.parent / "contrib/run.py")
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    for operator, make in run.cases.OPERATORS.items():
        for operands, attributes in make(run.cases.rng(operator)):
            yield run.build(operator, operands, attributes, False)[0]


def ml_models():
    for name, (attributes, shape) in ML.items():
        operator = name.strip()
        schema = defs.get_schema(operator, 5, "ai.onnx.ml")
        outputs = [f"y{number}" for number in range(len(schema.outputs))]
        node = helper.make_node(operator, ["x"], outputs, domain="ai.onnx.ml", **attributes)
        results = [helper.make_tensor_value_info(output, 0, None) for output in outputs]
        for result in results:
            result.ClearField("type")
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], results)
        yield helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)])


def collect(scratch):
    """By operator: models of one node that have it, the smallest first."""
    found = collections.defaultdict(list)
    suite_models = (case.load() for case in suite.load(scratch))
    for models in (suite_models, contrib_models(), ml_models()):
        for model in models:
            if len(model.graph.node) != 1 or model.functions:
                continue
            node = model.graph.node[0]
            domain = normal(node.domain)
            if domain in PREFIXES and find_schema(model):
                found[PREFIXES[domain] + node.op_type].append(model)
    for models in found.values():
        models.sort(key=lambda model: model.ByteSize())
    return dict(sorted(found.items(), key=lambda item: ("." in item[0], item[0])))


class Compiler:
    def __init__(self, cameo, scratch):
        self.cameo, self.scratch = cameo, scratch

    def accepts(self, model, target):
        """Whether it compiles; None where it is not a model that may."""
        with tempfile.NamedTemporaryFile(suffix=".onnx", dir=self.scratch) as file:
            file.write(model.SerializeToString())
            file.flush()
            done = subprocess.run([self.cameo, "inspect", file.name, "--supported", "--target", TARGETS[target]],
                                  capture_output=True, timeout=TIMEOUT)
        if done.returncode not in (0, 4, 5, 6):
            raise SystemExit(f"exit {done.returncode} of {model.graph.node[0].op_type}: {done.stderr.decode(errors='replace')}")
        return {0: True, 5: False}.get(done.returncode)


def candidates(models):
    """(type, models of that type) of an operator, the operator's own cases of the type first."""
    words, own = {}, collections.defaultdict(list)
    for model in models:
        node, schema = model.graph.node[0], find_schema(model)
        first, parameter = first_parameter(node, schema)
        if first is None:
            own["none"].append(model)
            continue
        for word in allowed_types(schema, parameter):
            words.setdefault(word, None)
        known = support.operator_and_type(model)
        if known:
            own[known[1]].append(model)
    for word in sorted(words):
        others = [with_type(model, find_schema(model), word) for model in models
                  if first_parameter(model.graph.node[0], find_schema(model))[0] and model not in own[word]]
        yield word, [*own[word], *others][:TRIES]
    if own["none"] and not words:
        yield "none", own["none"][:TRIES]


def try_operator(compiler, models):
    """By target: the types that compile; and those that no target takes."""
    result = SimpleNamespace(compiled={target: [] for target in TARGETS}, refused=[])
    for word, tried in candidates(models):
        answers = {target: [] for target in TARGETS}
        for target, given in answers.items():
            for model in tried:
                given.append(compiler.accepts(model, target))
                if given[-1]:
                    result.compiled[target].append(word)
                    break
        # Where each case contradicts the type, nothing is known of it.
        given = [answer for each in answers.values() for answer in each]
        if True not in given and False in given:
            result.refused.append(word)
    return result


def describe(name, result):
    """A line of the list."""
    lists = ["; ".join(f"{target}: {' '.join(words)}" for target, words in result.compiled.items()),
             f"refused: {' '.join(result.refused)}"]
    return (f"{name}; " + "; ".join(lists)).rstrip()


def read_list():
    """By operator: its line."""
    return {line.partition(";")[0]: line for line in LIST.read_text().splitlines() if not line.startswith("#")}


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    parser.add_argument("--cameo", default=HERE.parents[1] / "build/release/bin/cameo", type=Path)
    parser.add_argument("--scratch", default=HERE.parents[1] / "build/conformance", type=lambda text: Path(text).resolve())
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--update", action="store_true", help="write compiled_types.txt and docs/support.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    given = options()
    models = collect(given.scratch)
    if unknown := [name for name in given.operators if name not in models]:
        near = [name for name in models if name.rpartition(".")[2] in unknown]
        sys.exit(f"no case of {', '.join(unknown)}" + (f": {', '.join(near)}?" if near else ""))
    wanted = [name for name in models if not given.operators or name in given.operators]
    if given.sample:
        wanted = sorted(random.Random(f"types {SEED}").sample(wanted, min(given.sample, len(wanted))))
    compiler = Compiler(given.cameo, given.scratch)
    with ThreadPoolExecutor(given.jobs) as pool:
        results = pool.map(lambda name: try_operator(compiler, models[name]), wanted)
        found = {name: describe(name, result) for name, result in zip(wanted, results)}
    known = read_list() if LIST.exists() else {}
    if given.update:
        lines = {**{name: line for name, line in known.items() if name in models}, **found}
        order = [name for name in models if name in lines]
        LIST.write_text("# What compiled_types.py --update has found: operator; target: element types that compile; those that none takes.\n"
                        + "".join(lines[name] + "\n" for name in order))
        support.write_types(LIST)
        return
    wrong = [f"{LIST.name}: has {known.get(name, 'nothing')}\n  found {line}" for name, line in found.items() if known.get(name) != line]
    wrong += [f"{LIST.name}: {name} is no operator that there is a case of" for name in known if name not in models]
    print("\n".join([*wrong, f"{len(found)} operators of {len(models)}, {len(wrong)} differ (seed {SEED})"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
