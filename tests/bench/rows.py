#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of templates of rows and of elements: rows.py SCRATCH INCLUDE.... No spills and no stack, all of a row
read and written by 16 bytes and once, few instructions an element. A planted fault fails each."""
import re
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

from kernels import compile_kernels, sass, skip_without_tools

SCRATCH, INCLUDES = Path(sys.argv.pop(1)).resolve(), [sys.argv.pop(1) for _ in sys.argv[1:]]

# Instructions of the whole kernel by the elements of a thread, where it has 32: by template and bits of an element.
MOST_ISSUED = {("softmax", 16): 16, ("normalize", 16): 16, ("reduce", 16): 7, ("softmax", 32): 21, ("normalize", 32): 15,
               ("reduce", 32): 6}
# Of a body of two operations: 12 beside it. Where ptxas unrolls the loop, its text has that loop's tests too.
MOST_EACH, MOST_UNROLLED = 14, 15


@dataclass(frozen=True)
class Form:
    """Of a kernel, as its name says: the template, bits of an element, elements and accesses of a thread."""
    template: str
    bits: int
    elements: int

    @property
    def chunks(self):
        return self.elements * self.bits // 128

    @property
    def most_issued(self):
        return MOST_EACH if self.template == "each" else MOST_ISSUED[self.template, self.bits] if self.elements == 32 else None

    @property
    def accesses(self):
        """Of 128 bits, loads and stores."""
        return {"each": (2, 1), "reduce": (self.chunks, 0)}.get(self.template, (self.chunks, self.chunks))


def find_form(name):
    bits = 16 if "4half" in name or "8bfloat16" in name else 32
    row = re.search(r"held_(softmax|normalize|reduce)_body", name)
    if not row:
        return Form("each", bits, 128 // bits)
    length, width = int(re.search(r"paramsILl(\d+)", name).group(1)), 128 // bits
    return Form(row.group(1), bits, length // (256 if length > 1024 else min(32, length // width)))


def find_faults(form, kernel, resources):
    """What such a kernel must not have, in words."""
    if resources["spills"] or resources["stack"]:
        yield f"{resources['spills']} bytes of spills, {resources['stack']} of stack"
    widths = kernel.widths()
    # ptxas may unroll the loop over rows or elements: its text then has all of them as often.
    copies = max(1, widths["LDG.128"] // form.accesses[0])
    if (found := (widths["LDG.128"], widths["STG.128"])) != tuple(copies * count for count in form.accesses):
        yield f"{found} loads and stores of 128 bits, not {copies} times {form.accesses}"
    narrow = [i.opcode for i in kernel.instructions if i.kind in ("LDG", "STG") and i.width < 128]
    # A sum is stored by itself, so that a second read without a second store is found.
    if len(narrow) != copies * (form.template == "reduce"):
        yield f"narrow accesses: {narrow}"
    issued = sum(not i.is_idle for i in kernel.instructions) / copies / form.elements
    if form.most_issued and issued > (form.most_issued if copies == 1 or form.template != "each" else MOST_UNROLLED):
        yield f"{issued:.2f} instructions an element"


class Rows(unittest.TestCase):
    def test_every_kernel(self):
        for arch, kernels in compile_kernels(Path(__file__).with_suffix(".cu"), SCRATCH, INCLUDES).items():
            self.assertEqual(len(kernels), 21)
            for name, (kernel, resources) in kernels.items():
                with self.subTest(arch=arch, kernel=name):
                    self.assertEqual(list(find_faults(find_form(name), kernel, resources)), [])

    def test_faults(self):
        """What must not be is found where it is."""
        clean = {"registers": 60, "spills": 0, "stack": 0}

        def faults(resources=clean, loads=4, **more):
            words = ["LDG.E.128"] * loads + ["STG.E.128"] * 4 + ["FADD"] * 400
            words += [word for word, count in more.items() for _ in range(count)]
            code = [sass.Instruction(word.replace("_", ".")) for word in words]
            return list(find_faults(Form("softmax", 16, 32), sass.make_kernel(code, {}), resources))
        self.assertEqual(faults(), [])
        self.assertEqual(len(faults({**clean, "spills": 8})), 1)
        self.assertEqual(len(faults(loads=8)), 1)
        twice = sass.make_kernel([sass.Instruction(word) for word in ["LDG.E.128"] * 8 + ["STG.E"]], {})
        self.assertEqual(len(list(find_faults(Form("reduce", 16, 32), twice, clean))), 1)
        self.assertEqual(len(faults(STG_E_U16=1)), 1)
        self.assertEqual(len(faults(MUFU_RCP=120)), 1)
        self.assertEqual(faults(NOP=120), [])
        each = ["LDG.E.128"] * 2 + ["FADD"] * 109 + ["STG.E.128"]

        def faults_of_elements(words):
            return list(find_faults(Form("each", 16, 8), sass.make_kernel(list(map(sass.Instruction, words)), {}), clean))
        self.assertEqual(faults_of_elements(each), [])
        self.assertEqual(len(faults_of_elements([*each, "FADD"])), 1)
        self.assertEqual(len(faults_of_elements([*each[:-1], "STG.E.U16"])), 2)


if __name__ == "__main__":
    skip_without_tools()
    unittest.main(argv=[sys.argv[0]])
