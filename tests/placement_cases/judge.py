# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a variant's data sets in a program that holds its model, by the driver's protocol (tools/cameo/driver/README.md),
and holds results, counters and sides against what the case says.
"""
import os
import subprocess

import numpy as np
import onnx
from build import Outcome as Refusal  # of the compiler, as the official suite has it
from declare import SPACES, read_ideal
from make import ORACLES
from onnx import numpy_helper
from run_case import Answer, BadAnswer, payload_of
from schemas import read_report
from verdict import Outcome

TOLERANCES = {"float32": (1e-4, 1e-5), "float64": (1e-9, 1e-11), "float16": (2e-3, 1e-3)}
TIMEOUT = 120
SCHEDULES = ("forward", "reverse", "random:7", "random:8")  # of the emulator's streams
NOT_BOUND = "memory cannot be bound here"  # a space that the program does not take for an input or output


def expected_outputs(variant):
    """Per data set; none where the run is to be refused."""
    compute = variant.oracle if callable(variant.oracle) else ORACLES[variant.oracle](variant.model)
    return [None if data.status else [np.asarray(value) for value in compute(data.inputs)] for data in variant.data]


def encode_input(data, name):
    if name not in data.inputs:
        return b"absent\n"
    space = SPACES[data.spaces[name]] if name in data.spaces else -1
    value = np.asarray(data.inputs[name])
    if space == SPACES["null"]:
        dtype = onnx.TensorProto.STRING if value.dtype == object else onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
        raw = b""
    else:
        tensor = numpy_helper.from_array(value)
        dtype, raw = tensor.data_type, payload_of(tensor)
    head = ["input", dtype, space, data.offsets.get(name, 0), value.ndim, *value.shape, len(raw)]
    return " ".join(map(str, head)).encode() + b"\n" + raw + b"\n"


def request(variant):
    graph = variant.model.graph
    parts = [b"threads 1\n"]
    for data in variant.data:
        unknown = set(data.inputs) - {i.name for i in graph.input}
        if unknown:
            raise SystemExit(f"{variant.key}: the model has no input {sorted(unknown)}")
        parts.append(b"case 1\n")
        parts += [encode_input(data, i.name) for i in graph.input]
        parts += [f"space {position} {SPACES[data.outputs[o.name]]}\n".encode()
                  for position, o in enumerate(graph.output) if o.name in data.outputs]
        parts.append(b"run\n")
    return b"".join(parts)


def read_run(answer):
    """(texts, counters, outputs) of one data set."""
    if answer.line()[:1] != ["case"]:
        raise BadAnswer
    texts, _ = answer.texts("counters")
    counters = {}
    words = answer.line()
    while words[0] != "outputs":
        counters[words[0]] = int(words[1])
        words = answer.line()
    return dict(texts), counters, [answer.output() for _ in range(int(words[1]))]


def difference(got, expected):
    """Why two tensors do not agree; empty where they do."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
    tolerance = TOLERANCES.get(str(got.dtype))
    if not tolerance:
        return "" if np.array_equal(got, expected) else "other elements"
    rtol, atol = tolerance
    wide = np.float64
    if np.allclose(got.astype(wide), expected.astype(wide), rtol=rtol, atol=atol, equal_nan=True):
        return ""
    return f"off by up to {np.nanmax(np.abs(got.astype(wide) - expected.astype(wide))):.3g}"


def wrong_result(data, texts, outputs, expected):
    if texts["status"] != (data.status or "OK"):
        said = f": {texts['message']}" if texts["message"] else ""
        return f"the run ended with {texts['status']}, expected {data.status or 'OK'}{said}"
    if texts["fault"]:
        return texts["fault"]
    for position, (got, wanted) in enumerate(zip(outputs, expected or [])):
        if found := difference(got, wanted):
            return f"output {position} is {found}"
    return ""


class Tally:
    """The most of every counter of the runs, and each limit that one went beyond."""

    def __init__(self, variant):
        self.variant, self.most, self.beyond = variant, {}, {}

    def add(self, data, counters):
        for name, value in counters.items():
            self.most[name] = max(self.most.get(name, 0), value)
        ideal = data.ideal or self.variant.ideal
        copies, waits = read_ideal(ideal)
        found = counters["d2h"], counters["blocking_syncs"]
        if found[0] > copies or found[1] > waits:
            self.note("D/S", f"{found[0]}/{found[1]}, minimum {ideal}", found)
        for name, limit in {**self.variant.limits, **data.limits}.items():
            if counters[name] > limit:
                self.note(name, f"{name} {counters[name]}, allowed {limit}", counters[name] - limit)

    def note(self, kind, text, size):
        """The worst of the data sets stands for all."""
        if kind not in self.beyond or self.beyond[kind][1] < size:
            self.beyond[kind] = text, size

    def outcome(self, sides):
        reasons = [text for text, _ in self.beyond.values()] + sides
        most = [self.most.get(name, 0) for name in ("d2h", "blocking_syncs", "h2d", "finish_d2h")]
        return Outcome("above" if reasons else "minimum", *most, why="; ".join(reasons), counters=self.most)


def run_program(variant, program, identifier):
    """The driver's answer, or an outcome."""
    try:
        done = subprocess.run([program], input=request(variant), capture_output=True, timeout=TIMEOUT,
                              env=dict(os.environ, CAMEO_DRIVER_MODEL=identifier))
    except subprocess.TimeoutExpired:
        return Outcome("wrong", why="no end of the run")
    if done.returncode == 0:
        return Answer(done.stdout)
    errors = done.stderr.decode(errors="replace").strip()
    why = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
    return Outcome("wrong", why=f"the program ended with {why}", detail=errors)


def judge_run(variant, program, identifier, expected, sides):
    """The outcome of a variant whose model is in `program`."""
    answer = run_program(variant, program, identifier)
    if isinstance(answer, Outcome):
        return answer
    tally = Tally(variant)
    try:
        answer.texts("ready")
        for number, (data, wanted) in enumerate(zip(variant.data, expected)):
            texts, counters, outputs = read_run(answer)
            if NOT_BOUND in texts["message"]:
                return Outcome("refused", why=f"run: {texts['message']}")
            if problem := wrong_result(data, texts, outputs, wanted):
                return Outcome("wrong", why=f"data set {number}: {problem}"[:200])
            tally.add(data, counters)
    except (BadAnswer, ValueError, KeyError):
        return Outcome("wrong", why="the program's answer cannot be read")
    return tally.outcome(sides)


def judge_own_program(variant, program):
    """Of a program of programs/: a line `NAME VALUE...` of counters per run, or one that begins with `wrong`. It runs
    under several orders of what is not ordered."""
    shapes = ["x".join(map(str, data.inputs["x"].shape)) for data in variant.data]
    tally = Tally(variant)
    for schedule in SCHEDULES:
        try:
            done = subprocess.run([program, *shapes], capture_output=True, text=True, timeout=TIMEOUT,
                                  env=dict(os.environ, CAMEO_EMU_SCHEDULE=schedule))
        except subprocess.TimeoutExpired:
            return Outcome("wrong", why="no end of the run")
        lines = done.stdout.splitlines()
        bad = [line for line in lines if line.startswith("wrong")]
        if done.returncode != 0 or bad or not lines:
            return Outcome("wrong", why=(bad or [f"the program ended with {done.returncode}"])[0], detail=done.stderr)
        for line in lines:
            words = line.split()
            tally.add(variant.data[0], dict(zip(words[::2], map(int, words[1::2]))))
    return tally.outcome([])


def value_names(graph):
    """All of a graph and of the bodies in it."""
    names = {value.name for value in (*graph.input, *graph.initializer)}
    for node in graph.node:
        names.update(node.output)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names |= value_names(attribute.g)
    return names


def misplaced(variant, cameo, path):
    """What `explain` says that the case does not want: a value's side, too many of an operator, no remedy."""
    if not (variant.sides or variant.operations or variant.remedy):
        return []
    if unknown := set(variant.sides) - value_names(variant.model.graph):
        raise SystemExit(f"{variant.key}: the model has no value {sorted(unknown)}")
    done = subprocess.run([cameo, "explain", path, "--target", "cuda", "--json", "-", *variant.flags],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return [f"explain ended with {done.returncode}"]
    said = read_report("explain", done.stdout)
    found, results = {}, {}
    for value in said["values"]:
        found.setdefault(value["name"], set()).add(value["side"])
        results.setdefault(value["producer"].partition(":")[0], set()).add(value["name"])
    wrong = [f"{name} is on {' and '.join(sorted(found[name]))}, not {' or '.join(wanted.split())}"
             for name, wanted in variant.sides.items() if name in found and not found[name] <= set(wanted.split())]
    wrong += [f"no remedy {variant.remedy} for {crossing['value']}" for crossing in said["crossings"]
              if crossing["kind"] == "fetch" and variant.remedy not in crossing["remedy"]]
    return wrong + [f"{len(results[operator])} of {operator}, not {most}" for operator, most in variant.operations.items()
                    if len(results.get(operator, ())) > most]


def refused(outcome: Refusal):
    """What a compiler's end without files is: a diagnostic is a refusal, all else a defect."""
    if outcome.kind in ("exit-4", "exit-5", "exit-6"):
        return Outcome("refused", why=f"{outcome.kind}: {outcome.diagnostic()}", detail=outcome.detail)
    return Outcome("wrong", why=f"the compiler: {outcome.text()}"[:200], detail=outcome.detail)
