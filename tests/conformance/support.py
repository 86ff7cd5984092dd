# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/support.md: what passes per operator, element type and target. Follows from the suite and the list of failures
alone, so that a test can hold it against both without running anything.
"""
import collections
from pathlib import Path

from onnx import TensorProto

import modes
import suite
from outcome import Outcome

TARGETS = ["cpu", "cuda-emu"]
DOCUMENT = Path(__file__).resolve().parents[2] / "docs/support.md"
TITLES = {"node": "single operators and functions", "pytorch-converted": "PyTorch layers",
          "pytorch-operator": "PyTorch operators", "simple": "small models", "real": "networks, without their weights"}

HEAD = """\
# What is supported

Written by `tests/conformance/run.py --update`, never by hand: a test holds it against the list of failures
([expected.txt](../tests/conformance/expected.txt)), which says for each case what is missing. Each number is cases of the
ONNX project's own suite (onnx {version}) that pass, of those there are, with the suite's tolerances; the suite has more
cases for some operators than for others, and none for some types. `cuda-emu` is the CUDA code on the emulator.

{kinds}

The same cases in other modes: what passes as the suite has it, where the mode changes something. With every dim open, each
extent of an input is a symbol of its own, but for the lengths of lists of axes, extents, pads and the like; with constants,
every input but the first is an initializer. All that does not pass is refused, unless it says wrong.

{modes}

## By operator

Models of one node. The type is that of the operator's first input (without inputs: of its first output); where no
fraction stands behind a type, all cases pass. Functions that the suite also has in expanded form, and all larger models,
count in the table above only.

{operators}

{types}"""
# The part that compiled_types.py writes, from here to the end.
TYPES = """\
## Element types

What compiles, by the type of the first operand: one model per operator and type, of those that the operator's schema allows,
compiled for both targets (`tests/conformance/compiled_types.py --update` writes this, a test compares a part). Operators
of ONNX, `ai.onnx.ml`, training and ONNX Runtime's `com.microsoft`; one that is not here is not supported, or no
test has a model of it to change. `cameo ops` lists all operators there are. The last column has types that the schema allows
and neither target takes.

{table}
"""


def element_type(value_type):
    """The word for the elements of a value, whatever holds them."""
    kind = value_type.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        return element_type(getattr(value_type, kind).elem_type)
    if kind == "tensor_type":
        return TensorProto.DataType.Name(value_type.tensor_type.elem_type).lower()
    return str(kind).removesuffix("_type")


def operator_and_type(model):
    """Of a model of one node; None for others."""
    graph = model.graph
    if len(graph.node) != 1:
        return None
    node = graph.node[0]
    types = {v.name: element_type(v.type) for v in [*graph.input, *graph.output]}
    types.update({i.name: TensorProto.DataType.Name(i.data_type).lower() for i in graph.initializer})
    known = [types[name] for name in [*node.input, *node.output] if name in types]
    domain = "" if node.domain in ("", "ai.onnx") else f"{node.domain}."
    return domain + node.op_type, known[0] if known else "none"


class Count:
    def __init__(self):
        self.passed = collections.Counter()
        self.all = 0

    def add(self, passes):
        self.all += 1
        self.passed.update(passes)

    def fraction(self, target):
        return f"{self.passed[target]}/{self.all}"


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|--" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def describe_types(types, target):
    words = []
    for name, count in sorted(types.items()):
        if count.passed[target]:
            words.append(name if count.passed[target] == count.all else f"{name} {count.fraction(target)}")
    return ", ".join(words) or "none"


def count_mode(others, mode, target, lists):
    counts = collections.Counter()
    for case in others:
        if case.mode == mode and modes.is_relative(case, {}, lists.expected, target):
            text = lists.expected.get((case.name, target))
            counts[Outcome(text.partition(":")[0]).group() if text else "passed"] += 1
    wrong = f", {counts['wrong']} wrong" if counts["wrong"] else ""
    return f"{counts['passed']}/{counts.total()}{wrong}"


def format_support(cases, others, lists):
    kinds = collections.defaultdict(Count)
    operators = collections.defaultdict(lambda: collections.defaultdict(Count))
    for case in cases:
        passes = [target for target in TARGETS if (case.name, target) not in lists.expected]
        kinds[case.kind].add(passes)
        kinds["all"].add(passes)
        if found := operator_and_type(case.load()):
            operators[found[0]][found[1]].add(passes)
    kind_rows = [[TITLES.get(kind, kind), *(kinds[kind].fraction(t) for t in TARGETS)] for kind in [*TITLES, "all"]]
    mode_rows = [[title, *(count_mode(others, mode, target, lists) for target in TARGETS)]
                 for mode, title in modes.MODES.items() if mode != "static"]
    rows = []
    for name, types in sorted(operators.items(), key=lambda item: ("." in item[0], item[0])):
        total = sum(count.all for count in types.values())
        sums = [f"{sum(count.passed[t] for count in types.values())}/{total}" for t in TARGETS]
        described = [describe_types(types, target) for target in TARGETS]
        rows.append([name, *sums, described[0], "the same" if described[0] == described[1] else described[1]])
    return HEAD.format(version=suite.VERSION,
                       kinds="\n".join(table(["cases", *TARGETS], kind_rows)),
                       modes="\n".join(table(["mode", *TARGETS], mode_rows)),
                       operators="\n".join(table(["operator", *TARGETS, "types on cpu", "types on cuda-emu"], rows)),
                       types=format_types(Path(__file__).resolve().parent / "compiled_types.txt"))


def format_types(path):
    """The section on element types, of the list that compiled_types.py has written."""
    rows = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, *parts = line.split("; ")
        types = dict(part.split(":", 1) for part in parts)
        words = [", ".join(types[target].split()) or "none" for target in TARGETS]
        if not any(types[target].strip() for target in TARGETS):
            continue
        rows.append([name, words[0], "the same" if words[0] == words[1] else words[1], ", ".join(types["refused"].split())])
    return TYPES.format(table="\n".join(table(["operator", *TARGETS, "refused"], rows)))


def write_types(path):
    before = DOCUMENT.read_text().partition("## Element types\n")[0]
    DOCUMENT.write_text(before + format_types(path))


def write(cases, others, lists):
    DOCUMENT.write_text(format_support(cases, others, lists))
