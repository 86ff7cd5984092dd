#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/gpu/static of the digits sample: static.py launches|instructions SCRATCH. What the null device sees is what the
program itself counts, and what it costs is written down; instructions and times where there is an nvdisasm."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

KIND, SCRATCH = sys.argv.pop(1), Path(sys.argv.pop(1)).resolve()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/gpu"))
import build  # noqa: E402
import predict  # noqa: E402
import sass  # noqa: E402


def run():
    """The results of the model, and the table as text."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    out = SCRATCH / "table.json"
    done = subprocess.run([sys.executable, ROOT / "bench/gpu/static", "--step", "test", "--cameo", os.environ["CAMEO"], "--out", out,
                           "--work", SCRATCH / "work", "--predicted", SCRATCH / "predicted.json", "--files",
                           ROOT / "samples/digits/digits.onnx"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return json.loads(out.read_text()), out.with_suffix(".md").read_text()


class Launches(unittest.TestCase):
    def test_counts(self):
        content, text = run()
        result = content["models"]["digits_32"]
        # Open dims are 1 there, and the driver of `verify` is asked the same.
        self.assertGreater(result["launches"], 5)
        self.assertEqual(result["counts"]["launch"], result["launches"])
        self.assertGreater(result["host_us"], 0)
        self.assertGreater(result["weights_bytes"], 1000)
        facts = result["kernels"]["90"]
        self.assertEqual((facts["stack"], facts["spills"]), (0, 0))
        self.assertEqual(result["remarks"], [])
        self.assertIn("| digits_32 |", text)


class Instructions(unittest.TestCase):
    def test_times(self):
        content, _ = run()
        result = content["models"]["digits_32"]
        predicted = result["predicted"]["H100"]
        self.assertEqual(len(predicted["launches"]), result["launches"])
        self.assertGreater(predicted["kernels_us"], predicted["limit_us"])
        self.assertGreater(result["kernels"]["90"]["mix"]["HMMA"], 0)
        machine, = json.loads((SCRATCH / "predicted.json").read_text())["machines"]
        self.assertEqual((machine["name"], machine["arch"], set(machine["steps"])),
                         ("H100", "90", {launch[0] for launch in predicted["launches"]}))
        self.assertAlmostEqual(sum(step["us"] for step in machine["steps"].values()), predicted["kernels_us"], delta=0.1)

    def test_text(self):
        load = sass.Instruction("@!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64]")
        self.assertEqual((load.kind, load.width), ("LDG", 128))
        self.assertEqual(sass.Instruction("STS.U16 [R3], R5").width, 16)
        self.assertEqual(sass.Instruction("LDG.E R4, desc[UR4][R2.64]").width, 32)
        # A wait of 4 cycles; barrier 2 opens with the result; barriers 0 and 3 are waited for.
        load.schedule((4 | 2 << 5 | 7 << 8 | 0b1001 << 11) << 41)
        self.assertEqual((load.cycles, load.writes, load.reads, load.waits), (4, 2, 7, 0b1001))

    def test_faults(self):
        """What must not be is found where it is."""
        log = ("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
               "    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
               "ptxas info    : Used 255 registers, used 1 barriers\n"
               "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n")
        resources, remarks = sass.read_log(log)
        self.assertEqual(resources, {"90": {"k": {"registers": 255, "stack": 8, "spills": 32}}})
        self.assertEqual(len(remarks), 1)
        loop = [sass.Instruction(kind) for kind in ("LDG", "MUFU", "FFMA", "BRA `(.L_x_0)")]
        kernel = sass.make_kernel(loop, {".L_x_0": 0})
        self.assertEqual(sum(found.count("MUFU") for found in kernel.main_loops()), 1)

    def test_passes(self):
        def text(kind, count):
            return [sass.Instruction(kind) for _ in range(count)]
        product = text("LDG", 8) + text("FFMA", 256) + [sass.Instruction("BRA `(.L_x_1)")]
        every = text("MOV", 2) + text("MOV", 1) + product + text("STG", 1) + [sass.Instruction("BRA `(.L_x_0)")]
        kernel = sass.make_kernel(every, {".L_x_0": 2, ".L_x_1": 3})
        outer, = kernel.body.children
        inner, = outer.children
        passes = predict.Passes(kernel.body, depth=160, outer=3, fmas=predict.TILE_FMAS)
        self.assertEqual((passes.of[id(outer)], passes.of[id(inner)]), (3, 10))

    def test_tile_passes(self):
        """The loop of a tile goes over the depth by its products, the one that stores over what a thread has; sums that
        are done again for what is not finite are not done."""
        def text(kind, count=1):
            return [sass.Instruction(kind) for _ in range(count)]
        product = text("LDGSTS.E.128", 8) + text("LDSM.16.M88.4", 16) + text("HMMA.16816.F32", 32) + text("BRA `(.L_x_1)")
        again = text("LDG.E") + text("FFMA") + text("BRA `(.L_x_3)")
        stores = text("LDS", 4) + again + text("STG.E.U16", 4) + text("BRA `(.L_x_2)")
        every = product + stores + text("BRA `(.L_x_0)")
        kernel = sass.make_kernel(every, {".L_x_0": 0, ".L_x_1": 1, ".L_x_2": len(product), ".L_x_3": len(product) + 4})
        name = "_ZN13tensor_kernelI11tensor_tileILi64ELi64ELi32ELi32ELi4ELi1EEE"
        passes = predict.TilePasses(kernel.body, depth=1000, outer=3, tile=sass.find_tile(name))
        outer, = kernel.body.children
        multiply, store = outer.children
        self.assertEqual([passes.of[id(loop)] for loop in (outer, multiply, store, store.children[0])], [3, 16, 8, 0])
        self.assertTrue(passes.are_known)

    def test_copies(self):
        """A wait for copies costs their latency, one for those before some others less."""
        def cycles(left):
            copy = [sass.Instruction("LDGSTS.E.128"), sass.Instruction("LDGDEPBAR")]
            rest = [sass.Instruction("FFMA", cycles=10) for _ in range(20)]
            body = sass.make_kernel(copy + rest + copy + [sass.Instruction(f"DEPBAR.LE SB0, {left}")], {}).body
            warp = predict.Warp()
            warp.go(body, predict.Passes(body, 0, 1, 0))
            return warp.now
        self.assertEqual(cycles("0x2"), 205)
        self.assertEqual(cycles("0x1"), 451)
        self.assertEqual(cycles("0x0"), 653)

    def test_latency(self):
        """A load whose result is waited for in the same pass costs its latency, one for the next pass does not."""
        load, use = [sass.Instruction("LDG.E R0", writes=0)], [sass.Instruction("FFMA R1", waits=1)]
        rest = [sass.Instruction("FFMA R2", cycles=5) for _ in range(200)]

        def cycles(*parts):
            body = sass.make_kernel(sum(parts, []), {}).body
            warp = predict.Warp()
            warp.go(body, predict.Passes(body, 0, 1, 0))
            return warp.now
        self.assertGreater(cycles(load, use, rest), 1000 + 449)
        self.assertLess(cycles(load, rest, use), 1010)


if __name__ == "__main__":
    if not build.find_nvcc():
        print("SKIP: no nvcc")
        sys.exit(77)
    if KIND == "instructions" and not sass.find_nvdisasm():
        print("SKIP: no nvdisasm (tools/setup --cuda)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], KIND.capitalize()])
