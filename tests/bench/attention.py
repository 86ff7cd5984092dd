#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of attention on the tensor core: attention.py SCRATCH INCLUDE.... No spills and no stack; in the loop over keys
the products of a step, few instructions for each, all copies by 16 bytes and no division; results by 16 bytes. A planted
fault fails each."""
import sys
import unittest
from pathlib import Path

from kernels import compile_kernels, sass, skip_without_tools

SCRATCH, INCLUDES = Path(sys.argv.pop(1)).resolve(), [sys.argv.pop(1) for _ in sys.argv[1:]]

# Instructions a product of 16 x 8 sums, a multiplication of each score by a scale among them, by whether elements have 16 bits
# and the size of heads: of the tile of many queries, and of the one whose warps have fewer keys of a step.
MOST_ISSUED = {(True, 64): (7.8, 11.0), (True, 128): (5.3, 10.3), (False, 64): (7.4, 9.3), (False, 128): (5.9, 7.6)}


def count_products(tile, is_half):
    """Of a step of keys: with the keys, and of what becomes of that with the values; floats are multiplied in three parts."""
    in_depth, parts = (16, 1) if is_half else (8, 3)
    keys = tile.depth // in_depth * (tile.warp_keys // 8)
    return parts * (keys + tile.warp_keys // in_depth * (tile.size // 8))


def find_faults(tile, is_half, kernel, resources):
    """What the kernel of a tile must not have, in words."""
    if resources["spills"] or resources["stack"]:
        yield f"{resources['spills']} bytes of spills, {resources['stack']} of stack"
    loops = kernel.tile_loops()
    mmas = sum(loop.count("HMMA") for loop in loops)
    if len(loops) != 1 or mmas != count_products(tile, is_half):
        yield f"{mmas} products in {len(loops)} loops"
        return
    own = loops[0].own
    issued = sum(not i.is_idle for i in own) / mmas
    if issued > MOST_ISSUED[is_half, tile.depth][tile.slices > 1]:
        yield f"{issued:.2f} instructions a product"
    if narrow := [i.opcode for i in own if i.kind in ("LDG", "STG") or i.kind == "LDGSTS" and i.width < 128]:
        yield f"narrow accesses: {narrow}"
    if divisions := [i.opcode for i in own if i.kind == "MUFU" and "EX2" not in i.opcode]:
        yield f"divisions: {divisions}"
    if stores := [i.opcode for i in kernel.instructions if i.kind == "STG" and i.width < 128]:
        yield f"narrow stores of results: {stores}"


class Attention(unittest.TestCase):
    def test_both_tiles(self):
        for arch, kernels in compile_kernels(Path(__file__).with_suffix(".cu"), SCRATCH, INCLUDES).items():
            self.assertEqual(len(kernels), 14)
            for name, (kernel, resources) in kernels.items():
                with self.subTest(arch=arch, kernel=name):
                    tile = sass.find_attention_tile(name)
                    self.assertEqual(list(find_faults(tile, "attention_tileIf" not in name, kernel, resources)), [])

    def test_faults(self):
        """What must not be is found where it is."""
        tile = sass.AttentionTile(64, 64, 4, 1, 64)
        clean = {"registers": 100, "spills": 0, "stack": 0}

        def faults(resources=clean, mmas=64, results=(), **more):
            words = ["HMMA.16816.F32"] * mmas + ["LDGSTS.E.BYPASS.128"] * 8 + ["LDSM.16.M88.4"] * 36 + ["MUFU.EX2"] * 34
            words += [word for word, count in more.items() for _ in range(count)]
            loop = [sass.Instruction(word.replace("_", ".")) for word in words] + [sass.Instruction("BRA `(.L_x_0)")]
            code = loop + [sass.Instruction(word) for word in results]
            return list(find_faults(tile, True, sass.make_kernel(code, {".L_x_0": 0}), resources))
        self.assertEqual(faults(), [])
        self.assertEqual(len(faults({**clean, "spills": 8})), 1)
        self.assertEqual(len(faults(mmas=65)), 1)
        self.assertEqual(len(faults(IADD3=500)), 1)
        self.assertEqual(faults(NOP=500), [])
        self.assertEqual(len(faults(LDG_E_U16=1)), 1)
        self.assertEqual(len(faults(LDGSTS_E=1)), 1)
        self.assertEqual(len(faults(MUFU_RCP=1)), 1)
        self.assertEqual(faults(results=["STG.E.128"]), [])
        self.assertEqual(len(faults(results=["STG.E.U16"])), 1)


if __name__ == "__main__":
    skip_without_tools()
    unittest.main(argv=[sys.argv[0]])
