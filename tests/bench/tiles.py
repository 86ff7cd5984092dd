#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of every tile on the tensor core: tiles.py SCRATCH INCLUDE.... No spills and no stack, the products of
the tile and nothing else in its loop, few instructions for each, operands and results by 16 bytes but for the elements that
windows of images gather. A planted fault fails each."""
import sys
import unittest
from pathlib import Path

from kernels import compile_kernels, sass, skip_without_tools

SCRATCH, INCLUDES = Path(sys.argv.pop(1)).resolve(), [sys.argv.pop(1) for _ in sys.argv[1:]]

# Instructions a product of 16 x 8 sums, by the warp's part of a tile and the products of a step: of 16 bits; of floats, whose
# operands are split, rounded to tf32, or to 16 bits.
MOST_ISSUED = {(64, 4): {(16, 16): 8.0, (32, 32): 4.2, (64, 32): 2.7, (64, 64): 2.1}, (32, 12): {(16, 16): 8.5, (32, 32): 5.0},
               (32, 4): {(32, 32): 8.6}, (32, 2): {(32, 32): 10.4}}
# The same of tiles in slices, whose few threads copy more each.
MOST_OF_SLICES = {(16, 16): 9.3, (32, 16): 7.0}
# What a convolution's step may have more, and for each element that a thread gathers.
OF_WINDOWS, MOST_GATHERED = 22, 8
# Bits of an entry of a table: a place in memory, and a tap or a place along each of two axes.
ENTRIES = (64, 128)


def count_gathered(tile, depth, is_image):
    """Elements of windows that a thread gathers in a step of so many steps of k."""
    return tile.columns * depth // tile.threads if is_image else 0


def find_faults(tile, kernel, resources, is_image=False):
    """What the kernel of a tile must not have, in words."""
    if resources["spills"] or resources["stack"]:
        yield f"{resources['spills']} bytes of spills, {resources['stack']} of stack"
    loops = kernel.tile_loops()
    mmas = sum(loop.count("HMMA") for loop in loops)
    depth = tile.depth(sum(loop.terms() for loop in loops))
    if len(loops) != 1 or depth is None:
        yield f"{mmas} products in {len(loops)} loops"
        return
    own = loops[0].own
    gathered = count_gathered(tile, depth, is_image)
    allowed = OF_WINDOWS + gathered * MOST_GATHERED if is_image else 0
    issued = (sum(not i.is_idle for i in own) - allowed) / mmas
    most = MOST_ISSUED[depth, mmas // tile.fragments] if tile.slices == 1 else MOST_OF_SLICES
    if issued > most[tile.warp_rows, tile.warp_columns]:
        yield f"{issued:.2f} instructions a product"
    narrow = [i.opcode for i in own if i.kind in ("LDG", "STG") or i.kind == "STS" and not (is_image and i.width in ENTRIES)
              or i.kind == "LDGSTS" and i.width < 128]
    if len(narrow) != gathered:
        yield f"narrow accesses: {narrow}"
    stores = [i.opcode for i in kernel.instructions if i.kind == "STG" and i.width < 128 and i not in own]
    if stores:
        yield f"narrow stores of results: {stores}"
    if divisions := loops[0].count("MUFU"):
        yield f"{divisions} divisions"


class Tiles(unittest.TestCase):
    def test_every_tile(self):
        for arch, kernels in compile_kernels(Path(__file__).with_suffix(".cu"), SCRATCH, INCLUDES).items():
            self.assertEqual(len(kernels), 53)
            for name, (kernel, resources) in kernels.items():
                with self.subTest(arch=arch, kernel=name):
                    self.assertEqual(list(find_faults(sass.find_tile(name), kernel, resources, "image_form" in name)), [])

    def test_faults(self):
        """What must not be is found where it is."""
        tile = sass.Tile(64, 64, 32, 32, 5)
        clean = {"registers": 100, "spills": 0, "stack": 0}

        def faults(resources=clean, mmas=32, is_image=False, results=(), **more):
            words = ["HMMA.16816.F32"] * mmas + ["LDGSTS.E.BYPASS.128"] * 8 + ["LDSM.16.M88.4"] * 16
            words += [word for word, count in more.items() for _ in range(count)]
            loop = [sass.Instruction(word.replace("_", ".")) for word in words] + [sass.Instruction("BRA `(.L_x_0)")]
            code = loop + [sass.Instruction(word) for word in results]
            return list(find_faults(tile, sass.make_kernel(code, {".L_x_0": 0}), resources, is_image))
        self.assertEqual(faults(), [])
        self.assertEqual(len(faults({**clean, "spills": 8})), 1)
        self.assertEqual(len(faults(mmas=33)), 1)
        self.assertEqual(len(faults(IADD3=80)), 1)
        self.assertEqual(faults(NOP=80), [])
        self.assertEqual(len(faults(STS_U16=1)), 1)
        self.assertEqual(len(faults(LDGSTS_E=1)), 1)
        self.assertEqual(len(faults(MUFU_RCP=1)), 1)
        self.assertEqual(faults(results=["STG.E.128"]), [])
        self.assertEqual(len(faults(results=["STG.E.U16"])), 1)
        gather = {"is_image": True, "LDG_E_U16": 32, "STS_128": 4}
        self.assertEqual(faults(**gather), [])
        self.assertEqual(len(faults(**{**gather, "LDG_E_U16": 33})), 1)
        self.assertEqual(len(faults(**gather, STS_U16=1)), 1)
        self.assertEqual(len(faults(**gather, IADD3=600)), 1)


if __name__ == "__main__":
    skip_without_tools()
    unittest.main(argv=[sys.argv[0]])
