# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The other end of tools/cameo/driver, in Python: requests as bytes, answers as dictionaries, and whether an output is
what it must be. Needs NumPy and nothing else, since the machine with the GPU has little."""
import re
from pathlib import Path

import numpy as np

# In a pack, element_types.def lies beside this file.
HERE = Path(__file__).resolve().parent
TABLES = HERE / "element_types.def", HERE.parents[1] / "runtime/include/cameo/element_types.def"


def read_types():
    """TensorProto.DataType to how its elements are stored, and to the tolerances of `cameo verify`, where they are not 0.
    Packed elements, complex numbers and strings are not compared here."""
    table = next(path for path in TABLES if path.exists()).read_text()
    stored, tolerances = {}, {}
    for row in re.findall(r"^CAMEO_ELEMENT_TYPE\((.*)\)$", table, re.M):
        number, _, _, _, kind, bits, _, npy, relative, absolute = (field.strip() for field in row.split(","))
        if int(bits) % 8 or kind in ("complex", "string"):
            continue
        # What NumPy lacks is compared by its bits.
        stored[int(number)] = re.sub("[Vb]", "u", npy.strip('"'))
        if float(relative) or float(absolute):
            tolerances[int(number)] = float(relative), float(absolute)
    return stored, tolerances


STORED, TOLERANCES = read_types()


def write_request(inputs, count, repeat=1):
    """`inputs` maps positions to (dtype, dims, bytes); those of the `count` that are not there are left out."""
    parts = [f"threads 1\ncase {repeat}\n".encode()]
    for position in range(count):
        if position not in inputs:
            parts.append(b"absent\n")
            continue
        dtype, dims, data = inputs[position]
        words = ["input", dtype, -1, 0, len(dims), *dims, len(data)]
        parts += [" ".join(map(str, words)).encode() + b"\n", data]
    return b"".join(parts) + b"run\n"


class Answer:
    """What the driver wrote, from the front."""
    def __init__(self, data):
        self.data, self.at = data, 0

    def line(self):
        end = self.data.index(b"\n", self.at)
        line, self.at = self.data[self.at:end].decode(), end + 1
        return line.split()

    def payload(self, length):
        piece, self.at = self.data[self.at:self.at + length], self.at + length + 1
        if len(piece) != length:
            raise ValueError("the answer is cut")
        return piece

    def peek(self, word):
        return self.data.startswith(word, self.at)


def read_answer(data):
    """The result of the one case; ValueError where the program did not get that far."""
    answer = Answer(data)
    while (words := answer.line()) != ["ready"]:
        answer.payload(int(words[1]))
    if answer.line()[:1] != ["case"]:
        raise ValueError("no case")
    result = {}
    for key in ("status", "message", "node", "tensor", "fault"):
        result[key] = answer.payload(int(answer.line()[1])).decode(errors="replace")
    answer.line()
    result["counters"] = {}
    while not answer.peek(b"outputs"):
        name, value = answer.line()
        result["counters"][name] = int(value)
    result["outputs"] = []
    for _ in range(int(answer.line()[1])):
        words = list(map(int, answer.line()[1:]))
        result["outputs"].append((words[0], words[2:-1], answer.payload(words[-1])))
    return result


def to_numbers(dtype, data):
    array = np.frombuffer(data, STORED[dtype])
    if dtype == 16:  # bfloat16 is the upper half of a float
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


def find_fault(got, expected, tolerance=None):
    """Why an output is not what it must be; empty if it is. Both are (dtype, dims, bytes); `tolerance` is relative and
    absolute, where the case brings its own."""
    if got[0] != expected[0] or list(got[1]) != list(expected[1]) or len(got[2]) != len(expected[2]):
        return f"got type {got[0]} {list(got[1])}, need {expected[0]} {list(expected[1])}"
    if got[2] == expected[2]:
        return ""
    relative, absolute = TOLERANCES.get(got[0], (0, 0))
    if tolerance and relative:
        relative, absolute = max(relative, tolerance[0]), max(absolute, tolerance[1])
    a, b = to_numbers(got[0], got[2]), to_numbers(expected[0], expected[2])
    if relative == 0:
        return f"{int((a != b).sum())} of {a.size} elements differ"
    a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | \
            (np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= absolute + relative * np.abs(b)))
    if same.all():
        return ""
    worst = int(np.argmax(~same))
    return f"{int((~same).sum())} of {a.size} elements differ, the first at {worst}: got {a[worst]:.9g}, expected {b[worst]:.9g}"
