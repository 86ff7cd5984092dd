#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of every tile on the tensor core: tiles.py SCRATCH INCLUDE.... No spills and no stack, the products of
the tile and nothing else in its loop, few instructions for each, operands and results by 16 bytes. A planted fault fails
each."""
import subprocess
import sys
import unittest
from pathlib import Path

SCRATCH, INCLUDES = Path(sys.argv.pop(1)).resolve(), [sys.argv.pop(1) for _ in sys.argv[1:]]
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/gpu"))
import build  # noqa: E402
import sass  # noqa: E402

ARCHITECTURES = ("80", "90", "120")
# Instructions a product of 16 x 8 sums, by the warp's part of a tile: of 16 bits, and of floats, whose operands are split.
MOST_ISSUED = {64: {(16, 16): 8.0, (32, 32): 4.2, (64, 32): 2.7, (64, 64): 2.1}, 32: {(16, 16): 8.5, (32, 32): 5.0}}


def find_faults(tile, kernel, resources):
    """What the kernel of a tile must not have, in words."""
    if resources["spills"] or resources["stack"]:
        yield f"{resources['spills']} bytes of spills, {resources['stack']} of stack"
    loops = kernel.tile_loops()
    mmas = sum(loop.count("HMMA") for loop in loops)
    depth = tile.depth(mmas)
    if len(loops) != 1 or depth is None:
        yield f"{mmas} products in {len(loops)} loops"
        return
    own = loops[0].own
    issued = sum(not i.is_idle for i in own) / mmas
    if issued > MOST_ISSUED[depth][tile.warp_rows, tile.warp_columns]:
        yield f"{issued:.2f} instructions a product"
    narrow = [i.opcode for i in own if i.kind in ("LDG", "STG", "STS") or i.kind == "LDGSTS" and i.width < 128]
    if narrow:
        yield f"narrow accesses: {narrow}"
    if stores := [i.opcode for i in kernel.instructions if i.kind == "STG" and i.width < 128 and i not in own]:
        yield f"narrow stores of results: {stores}"
    if divisions := loops[0].count("MUFU"):
        yield f"{divisions} divisions"


class Tiles(unittest.TestCase):
    def test_every_tile(self):
        SCRATCH.mkdir(parents=True, exist_ok=True)
        codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
        done = subprocess.run([build.find_nvcc(), *build.DEVICE, *codes, "-Xptxas=-v", "--keep", "--keep-dir", SCRATCH,
                               *INCLUDES, "-c", Path(__file__).with_suffix(".cu"), "-o", SCRATCH / "tiles.o"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        resources, remarks = sass.read_log(done.stderr)
        self.assertEqual(remarks, [])
        for arch in ARCHITECTURES:
            cubin, = SCRATCH.glob(f"*compute_{arch}.cubin")
            kernels = sass.read_cubin(sass.find_nvdisasm(), cubin)
            self.assertEqual(len(kernels), 18)
            for name, kernel in kernels.items():
                with self.subTest(arch=arch, kernel=name):
                    self.assertEqual(list(find_faults(sass.find_tile(name), kernel, resources[arch][name])), [])

    def test_faults(self):
        """What must not be is found where it is."""
        tile = sass.Tile(64, 64, 32, 32, 5)
        clean = {"registers": 100, "spills": 0, "stack": 0}

        def faults(resources=clean, mmas=32, results=(), **more):
            words = ["HMMA.16816.F32"] * mmas + ["LDGSTS.E.BYPASS.128"] * 8 + ["LDSM.16.M88.4"] * 16
            words += [word for word, count in more.items() for _ in range(count)]
            loop = [sass.Instruction(word.replace("_", ".")) for word in words] + [sass.Instruction("BRA `(.L_x_0)")]
            code = loop + [sass.Instruction(word) for word in results]
            return list(find_faults(tile, sass.make_kernel(code, {".L_x_0": 0}), resources))
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


if __name__ == "__main__":
    if not build.find_nvcc() or not sass.find_nvdisasm():
        print("SKIP: no nvcc, or no nvdisasm (tools/setup --cuda)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]])
