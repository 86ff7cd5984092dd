#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether `verify --nodes` and `reduce` find the node at which a fault was planted.

    CAMEO=build/release/bin/cameo bench/faults.py MODELS SCRATCH [--seed S]

MODELS is what tests/models/make.py wrote. In each of twenty models, a node that makes floats is drawn by seed; ONNX
Runtime, as the peer, then multiplies what that node makes by 1.25 and adds 0.25. `verify --against onnxruntime --nodes` has to name
the node; where the outputs do not show the fault, verify passes, and another node is drawn. Ten of the models are reduced with the
same peer. Written to bench/results/faults.md."""
import argparse
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import onnx
from onnx import TensorProto, shape_inference

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/tools"))
from small import CAMEO, LIAR, read_report  # noqa: E402

RESULTS = HERE / "results/faults.md"
# What the peer makes of the node `planted`: its first result goes on through two more nodes.
CHANGE = ("to = node.output[0]; node.output[0] = to + '_right'; proto.graph.node.append(node); "
          "typed = {t!r}; "
          "proto.graph.initializer.extend(onnx.numpy_helper.from_array(numpy.array(v, typed), to + n)"
          " for n, v in (('_factor', 1.25), ('_shift', 0.25))); "
          "proto.graph.node.append(onnx.helper.make_node('Mul', [to + '_right', to + '_factor'], [to + '_more'])); "
          "proto.graph.node.append(onnx.helper.make_node('Add', [to + '_more', to + '_shift'], [to]))")
PEER = ["--against", "onnxruntime", "--python", sys.executable, "--seeds", "1"]
FLOATS = {TensorProto.FLOAT: "float32", TensorProto.DOUBLE: "float64"}


def float_nodes(proto):
    """The indices of the nodes of the graph itself whose first result is a tensor of floats, with its type."""
    inferred = shape_inference.infer_shapes(proto).graph
    types = {value.name: value.type.tensor_type.elem_type for value in [*inferred.value_info, *inferred.output]}
    return [(number, FLOATS[types[node.output[0]]]) for number, node in enumerate(proto.graph.node)
            if node.output and types.get(node.output[0]) in FLOATS and node.op_type != "Constant"]


def name_nodes(proto):
    for number, node in enumerate(proto.graph.node):
        node.name = f"node_{number}"


def planted(folder, node, typed):
    """An environment whose ONNX Runtime has the fault."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "onnxruntime.py").write_text("import numpy\n" + LIAR.format(planted=node, change=CHANGE.format(t=typed)))
    return {**os.environ, "PYTHONPATH": str(folder)}


def cameo(*arguments, environment=None):
    began = time.monotonic()
    done = subprocess.run([CAMEO, *map(str, arguments)], capture_output=True, text=True, env=environment)
    return done, time.monotonic() - began



def find(path, environment, report):
    """What --nodes says: the node, or nothing where verify passes or is refused; with the seconds."""
    done, seconds = cameo("verify", path, *PEER, "--nodes", "--json", report, environment=environment)
    if done.returncode == 0:
        return "passes", seconds
    found = [case["nodes"] for case in read_report("verify", report)["cases"] if "nodes" in case] if done.returncode == 8 else []
    if not found:
        return f"exit {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1][:120]}", seconds
    return found[0]["first"]["node"] if found[0].get("first") else found[0]["verdict"], seconds


def reduce(path, environment, small):
    done, seconds = cameo("reduce", path, "--check", "verify", *PEER, "-o", small, environment=environment)
    if done.returncode != 0:
        return done.stderr.strip()[:120], seconds
    return [node.name for node in onnx.load(small).graph.node], seconds


def without_fault(path, report):
    """Whether a model passes as it is, so that what fails is what was planted."""
    return find(path, dict(os.environ), report)[0] == "passes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    arguments = parser.parse_args()
    choose = random.Random(arguments.seed)
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    report, rows, unseen, set_aside = arguments.scratch / "report.json", [], 0, []
    files = sorted(arguments.models.glob("*/*.onnx"))
    for file in choose.sample(files, k=len(files)):
        if len(rows) == arguments.count:
            break
        proto = onnx.load(file)
        name_nodes(proto)
        nodes = float_nodes(proto)
        if len(proto.graph.node) < 6 or not nodes:
            continue
        path = arguments.scratch / file.name
        onnx.save(proto, path)
        if not without_fault(path, report):
            set_aside.append(file.stem)
            continue
        for number, typed in choose.sample(nodes, k=len(nodes)):
            node = f"node_{number}"
            environment = planted(arguments.scratch / "packages", node, typed)
            said, seconds = find(path, environment, report)
            if said != "passes":
                break
            unseen += 1
        else:
            continue
        row = [file.stem, len(proto.graph.node), f"{proto.graph.node[number].op_type} {node}", "found" if said == node else said,
               f"{seconds:.1f}"]
        if len(rows) < arguments.count // 2:
            left, seconds = reduce(path, environment, arguments.scratch / "small.onnx")
            row += [f"{len(left)}{'' if node in left else ', without the node'}" if isinstance(left, list) else left, f"{seconds:.1f}"]
        else:
            row += ["", ""]
        rows.append(row)
        print(*row, flush=True)
    write(rows, unseen, set_aside)


def write(rows, unseen, set_aside):
    found = sum(row[3] == "found" for row in rows)
    named = sum(bool(re.fullmatch(r"node_\d+", row[3])) for row in rows)
    lines = ["# faults: what `verify --nodes` and `reduce` make of a fault planted at a node", "",
             "```", __doc__.strip().splitlines()[2].strip(), "```", "",
             f"{found} of {len(rows)} found, {named} times another node was accused. {unseen} faults more were drawn that no output shows.",
             f"Set aside, since made-up inputs are refused or differ as the models are: {', '.join(sorted(set_aside)) or 'none'}.", "",
             "| model | nodes | fault at | verify --nodes | s | nodes after reduce | s |", "|--|--:|--|--|--:|--:|--:|",
             *("| " + " | ".join(map(str, row)) + " |" for row in rows)]
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
