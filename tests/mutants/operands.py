#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each operand of each operator, changed: operands.py CAMEO SCRATCH [--slack N] [--list] [REGEX...].

Of the official suite's models of one node it takes a few for each operator, which differ in ranks, types or attributes. One
operand at a time then has an extent more, 1, 0 or a symbol along one axis, a rank more or less, or no rank, as an input and as
a constant; and integers beyond what any operator allows, as a constant. What has an open dim is compiled twice: to the same
bytes. REGEX chooses by a part of the names.
"""
import argparse
import collections
import os
import re
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import share
import trial
from trial import suite

# Of one operator; of most there are fewer that differ.
MODELS = 4
# They are many and small: of these a run takes one of so many that it takes one of among others.
RARE = 4
# A constant of more elements adds nothing but time.
ELEMENTS = 4096
INTEGERS = (-(2**63), -(2**31) - 1, -100, -1, 0, 1, 100, 2**31, 2**62, 2**63 - 1)


def signature(model):
    node = model.graph.node[0]
    ranks = tuple((len(i.type.tensor_type.shape.dim), i.type.tensor_type.elem_type) for i in model.graph.input)
    return tuple(map(bool, node.input)), ranks, tuple(sorted(a.name for a in node.attribute))


def choose(cases):
    """Models of one node: of each operator those that differ most, by what stands first in their signatures."""
    by_operator = collections.defaultdict(dict)
    for case in cases:
        if case.kind != "node" or case.model.stat().st_size > 20_000:
            continue
        model = case.load()
        if len(model.graph.node) == 1 and not model.functions:
            by_operator[model.graph.node[0].op_type].setdefault(signature(model), case)
    for operator, models in sorted(by_operator.items()):
        # Other numbers of operands first, then other ranks.
        seen, rest = {}, []
        for key, case in models.items():
            rest.append(case) if key[0] in seen else seen.setdefault(key[0], case)
        yield from (seen | dict(enumerate(rest))).values() if len(seen) + len(rest) <= MODELS else [
            *seen.values(), *rest][:MODELS]


def shapes(dims):
    """(what is changed, dims) of an operand; None for no rank."""
    for axis, dim in enumerate(dims):
        for what, extent in (("more", dim + 1), ("one", 1), ("none", 0), ("open", "n")):
            if extent != dim:
                yield f"{axis}_{what}", [*dims[:axis], extent, *dims[axis + 1:]]
    yield "longer", [2, *dims]
    if dims:
        yield "shorter", dims[1:]
    for what, rank in (("longer_open", len(dims) + 1), ("open", len(dims)), ("shorter_open", len(dims) - 1)):
        if rank > 0:
            yield what, [f"n{axis}" for axis in range(rank)]
    yield "unranked", None


def set_shape(value, dims):
    tensor = value.type.tensor_type
    tensor.ClearField("shape")
    if dims is None:
        return
    tensor.shape.SetInParent()
    for dim in dims:
        entry = tensor.shape.dim.add()
        if isinstance(dim, str):
            entry.dim_param = dim
        else:
            entry.dim_value = dim


def copy(model):
    """The model, its outputs without shapes, which would contradict what follows."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for output in changed.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    return changed


def with_shape(model, position, dims):
    changed = copy(model)
    set_shape(changed.graph.input[position], dims)
    return changed


def with_constant(model, position, array):
    changed = copy(model)
    name = changed.graph.input[position].name
    changed.graph.initializer.append(numpy_helper.from_array(array, name))
    del changed.graph.input[position]
    return changed


def integers(array):
    """(what is changed, array): the first element, and all."""
    limits = np.iinfo(array.dtype)
    for value in INTEGERS:
        if not limits.min <= value <= limits.max:
            continue
        yield f"all_{value}", np.full_like(array, value)
        if array.size > 1:
            first = array.copy()
            first.flat[0] = value
            yield f"first_{value}", first


def opened(model):
    """The model with every dim of its inputs open."""
    changed = copy(model)
    for value in changed.graph.input:
        if value.type.HasField("tensor_type"):
            set_shape(value, [f"{value.name}_{axis}" for axis in range(len(value.type.tensor_type.shape.dim))])
    return changed


def variants(case):
    """(name, function, its arguments) of all that is changed in a case."""
    model = case.load()
    yield f"{case.name}.opened", opened, model
    initialized = {i.name for i in model.graph.initializer}
    data = case.data_sets()
    values = data[0][0] if data else []
    for position, value in enumerate(model.graph.input):
        if value.name in initialized or not value.type.HasField("tensor_type"):
            continue
        array = values[position] if position < len(values) else None
        array = array if isinstance(array, np.ndarray) and array.dtype != object and array.size else None
        dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
        if array is not None:
            dims = list(array.shape)
        name = f"{case.name}.{position}"
        for what, changed_dims in shapes(dims):
            yield f"{name}.{what}", with_shape, model, position, changed_dims
            fixed = changed_dims is not None and all(isinstance(d, int) for d in changed_dims)
            if fixed and array is not None and np.prod(changed_dims) <= ELEMENTS:
                yield f"{name}.constant_{what}", with_constant, model, position, np.resize(array, changed_dims)
        if array is not None and array.size <= ELEMENTS:
            yield f"{name}.constant", with_constant, model, position, array
            if array.dtype.kind in "iu" and array.size <= 16:
                for what, elements in integers(array):
                    yield f"{name}.constant_{what}", with_constant, model, position, elements


def found():
    """(name, target) of what was at fault once."""
    for line in (Path(__file__).resolve().parent / "found.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield tuple(line.split()[:2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cameo")
    parser.add_argument("scratch", type=lambda text: Path(text).resolve())
    parser.add_argument("names", nargs="*", metavar="REGEX")
    parser.add_argument("--slack", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--suite", type=Path, help="where the suite is kept")
    given = parser.parse_intermixed_args()

    trials = [(name, target, make) for case in choose(suite.load(given.suite or given.scratch.parent / "suite"))
              for name, *make in variants(case) for target in trial.TARGETS]
    if given.names:
        trials = [t for t in trials if any(re.search(n, t[0]) for n in given.names)]
    else:
        known = set(found())
        always = [t for t in trials if t[:2] in known]
        if missing := known - {t[:2] for t in always}:
            sys.exit(f"found.txt names what there is not: {sorted(missing)}")
        rarely = share.SHARE if share.SHARE <= 1 else RARE * share.SHARE
        trials = always + share.sample("operands", [t for t in trials if t[:2] not in known], share=rarely)

    def make(number):
        name, target, (function, *arguments) = trials[number]
        return trial.Trial(name, target, function(*arguments).SerializeToString(), name.endswith(("open", "opened")))

    runner = trial.Runner(given.cameo, given.scratch, given.slack, make)
    codes, faults = runner.run(range(len(trials)), given.jobs, progress=1000 if len(trials) > 5000 else 0)
    sys.exit(trial.tell("operands", codes, faults, runner.found))


if __name__ == "__main__":
    main()
