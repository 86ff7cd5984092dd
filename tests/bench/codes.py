#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of products by codes, of transposed convolutions and of a recurrent step: codes.py SCRATCH INCLUDE.... No spills
and no stack, the products of the tile and no division in its loop, codes by words, all else by 16 bytes. A planted fault
fails each."""
import sys
import unittest
from pathlib import Path

from kernels import compile_kernels, sass, skip_without_tools

SCRATCH, INCLUDES = Path(sys.argv.pop(1)).resolve(), [sys.argv.pop(1) for _ in sys.argv[1:]]

# Instructions a product of 16 x 8 sums, by bits of an element and the tile: those of rows have slices, whose threads make
# more elements each.
MOST_ISSUED = {16: {(16, 16): 25.5, (16, 32): 22.7, (32, 32): 15.2, (64, 64): 6.2}, 32: {(16, 32): 12.0, (64, 64): 5.1}}


def find_tile_faults(tile, kernel):
    loops = kernel.tile_loops()
    mmas = sum(loop.count("HMMA") for loop in loops)
    if len(loops) != 1 or tile.depth(sum(loop.terms() for loop in loops)) is None:
        yield f"{mmas} products in {len(loops)} loops"
    elif divisions := loops[0].count("MUFU"):
        yield f"{divisions} divisions"


def find_code_faults(tile, bits, kernel):
    """Of a product by codes: a scale is an element, all other loads are words."""
    own = kernel.tile_loops()[0].own
    issued = sum(not i.is_idle for i in own) / sum(i.kind == "HMMA" for i in own)
    if issued > MOST_ISSUED[bits][tile.rows, tile.columns]:
        yield f"{issued:.2f} instructions a product"
    narrow = [i.opcode for i in own if i.kind == "LDG" and i.width < 32]
    if len(narrow) > (bits == 16):
        yield f"narrow loads: {narrow}"
    narrow = [i.opcode for i in own if i.kind in ("STS", "LDGSTS") and i.width < 128]
    narrow += [i.opcode for i in kernel.instructions if i.kind == "STG" and i.width < 128]
    if narrow:
        yield f"narrow accesses: {narrow}"


def find_faults(name, kernel, resources):
    """What such a kernel must not have, in words."""
    if resources["spills"] or resources["stack"]:
        yield f"{resources['spills']} bytes of spills, {resources['stack']} of stack"
    tile = sass.find_tile(name)
    if tile:
        faults = list(find_tile_faults(tile, kernel))
        yield from faults
        if "codes_call" in name and not faults:
            yield from find_code_faults(tile, 16 if "4half" in name else 32, kernel)
    elif "state_sums" in name and (narrow := [i.opcode for i in kernel.instructions if i.kind == "LDG" and i.width < 128]):
        yield f"narrow loads: {narrow}"


class Codes(unittest.TestCase):
    def test_every_kernel(self):
        for arch, kernels in compile_kernels(Path(__file__).with_suffix(".cu"), SCRATCH, INCLUDES).items():
            self.assertEqual(len(kernels), 13)
            self.assertEqual(sum("codes_call" in name for name in kernels), 6)
            for name, (kernel, resources) in kernels.items():
                with self.subTest(arch=arch, kernel=name):
                    self.assertEqual(list(find_faults(name, kernel, resources)), [])

    def test_faults(self):
        """What must not be is found where it is."""
        clean = {"registers": 100, "spills": 0, "stack": 0}
        codes = "tensor_tileILi64ELi64ELi32ELi32ELi4ELi1EE_codes_call_4half"

        def faults(name=codes, resources=clean, mmas=32, results=(), **more):
            words = ["HMMA.16816.F32"] * mmas + ["LDGSTS.E.BYPASS.128"] * 4 + ["LDG.E"] * 3 + ["LDG.E.U16", "STS.128"]
            words += [word for word, count in more.items() for _ in range(count)]
            loop = [sass.Instruction(word.replace("_", ".")) for word in words] + [sass.Instruction("BRA `(.L_x_0)")]
            code = loop + [sass.Instruction(word) for word in results]
            return list(find_faults(name, sass.make_kernel(code, {".L_x_0": 0}), resources))
        self.assertEqual(faults(), [])
        self.assertEqual(len(faults(resources={**clean, "spills": 8})), 1)
        self.assertEqual(len(faults(mmas=33)), 1)
        self.assertEqual(len(faults(IADD3=200)), 1)
        self.assertEqual(len(faults(MUFU_RCP=1)), 1)
        self.assertEqual(len(faults(LDG_E_U8=1)), 1)
        self.assertEqual(len(faults(STS_U16=1)), 1)
        self.assertEqual(len(faults(results=["STG.E.U16"])), 1)
        self.assertEqual(len(faults(name="state_sums")), 1)


if __name__ == "__main__":
    skip_without_tools()
    unittest.main(argv=[sys.argv[0]])
