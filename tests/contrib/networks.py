# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as ONNX Runtime's optimiser, quantisers and converters write them: networks.py OUT [NAME.FORM...] makes OUT/NAME.FORM.onnx, and
with --verify holds each against ONNX Runtime. --write keeps what came of it in bench/results/networks.md.

Forms: `basic` and `extended` are saved by the optimiser at these levels; `dynamic`, `qdq`, `qoperator` by onnxruntime.quantization;
`int4` has MatMulNBits in place of products by weights; `fp16` has halves inside."""
import argparse
import fnmatch
import logging
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parents[1] / folder) for folder in ("bench/versus", "tests/models", "tests")]
import models  # noqa: E402
from share import sample  # noqa: E402

# All networks of bench/versus that are not quantised already.
NETWORKS = [name for name in models.MODELS if not name.endswith("_int8")]

# Forms in which ONNX Runtime's optimiser makes operators of bytes of those of floats.
QUANTISED = ["qdq", "qoperator"]
TARGETS = ["cpu", "cuda-emu"]
RESULTS = HERE.parents[1] / "bench/results/networks.md"


def optimised(path, out, level):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_ENABLE_{level.upper()}")
    options.optimized_model_filepath = str(out)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Reader:
    """Three samples for calibration."""

    def __init__(self, model, name):
        self.samples = iter([models.inputs_of(model, name)] * 3)

    def get_next(self):
        return next(self.samples, None)


def quantised(path, out, name, form):
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    formats = {"qdq": QuantFormat.QDQ, "qoperator": QuantFormat.QOperator}
    # Weights have 7 bits, since products of bytes saturate in ONNX Runtime on machines without VNNI.
    quantize_static(str(path), str(out), Reader(onnx.load(path), name), quant_format=formats[form], activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8, reduce_range=True)


def dynamic(path, out):
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(str(path), str(out), weight_type=QuantType.QInt8, reduce_range=True)


def int4(path, out):
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
    logging.disable(logging.INFO)
    quantizer = MatMulNBitsQuantizer(onnx.load(path), block_size=32, is_symmetric=False)
    quantizer.process()
    quantizer.model.save_model_to_file(str(out))


def fp16(path, out):
    from onnxruntime.transformers.float16 import convert_float_to_float16
    onnx.save(convert_float_to_float16(onnx.load(path), keep_io_types=True), out)


FORMS = {
    "basic": lambda path, out, name: optimised(path, out, "basic"),
    "extended": lambda path, out, name: optimised(path, out, "extended"),
    "dynamic": lambda path, out, name: dynamic(path, out),
    "qdq": lambda path, out, name: quantised(path, out, name, "qdq"),
    "qoperator": lambda path, out, name: quantised(path, out, name, "qoperator"),
    "int4": lambda path, out, name: int4(path, out),
    "fp16": lambda path, out, name: fp16(path, out),
}


def make(name, form, folder):
    """The file of one network in one form."""
    out = folder / f"{name}.{form}.onnx"
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "model.onnx"
        onnx.save(models.MODELS[name](), path)
        FORMS[form](path, out, name)
    return out


# Forms that may differ: ONNX Runtime has them wrong, or no two programs agree on them.
LEFT = {
    "squeezenet.qoperator": "QLinearSoftmax over one element is 256 steps there, which becomes 0",
    "vit.qdq": "ONNX Runtime's own levels of optimisation differ by a norm of 0.06",
    "vgg19.basic": "as the next one",
    "vgg19.extended": "a score of 1,000 is at 1.3 of the tolerance; of sums in doubles it is at 1.2 by Winograd's tiles and ONNX Runtime "
                      "at 0.35; --precision strict agrees. By the definition scores are farther still (bench/results/accuracy.md)",
    "vgg19.int4": "as its form extended, with the same products",
    "mobilenet_v2.extended": "on cuda-emu a score of 1,000 is at 1.003 of the tolerance; of sums in doubles both are within 0.8 of it",
    "vit.qoperator": "as its QDQ form, the same roundings in other places",
    "shufflenet.int4": "its random weights make sums of 1e5 that cancel, off by 3e-7 of the norm",
    "shufflenet.basic": "as its form of four bits",
    "shufflenet.extended": "as its form of four bits",
    "resnet50.basic": "as shufflenet.int4, off by 4e-7 of the norm",
    "resnet50.extended": "as its form basic",
    "resnet50.int4": "as its form basic",
    "inception_v2.qdq": "ONNX Runtime's own levels of optimisation differ by a norm of 0.017",
    "inception_v2.qoperator": "as its QDQ form, the same roundings in other places",
    "bert_base.qdq": "ONNX Runtime's own levels of optimisation differ by a norm of 0.04",
    "bert_base.qoperator": "as its QDQ form, the same roundings in other places",
    "bert_base.fp16": "halves: ONNX Runtime is 0.0015 of the norm from the network in floats, Cameo 0.0019",
    "bvlc_alexnet.fp16": "halves, between which ONNX Runtime computes in floats: it is 0.0016 of the norm from the network in floats, Cameo 0.0034",
    "vgg19.fp16": "halves, as of bvlc_alexnet: 0.0011 and 0.0044",
    "bert_base.int4": "an element is at 1.2 of the tolerance; ONNX Runtime's own product of the unpacked matrices is as far from it, 1.1e-6 of "
                      "the norm",
    "mobilenet_v2.fp16": "halves: ONNX Runtime is 0.0050 of the norm from the network in floats, Cameo 0.0066 and 0.0067",
    "shufflenet.qoperator": "a step of 4,701 either way",
    "bert_tiny.qdq": "ONNX Runtime's own levels of optimisation differ by a norm of 0.03",
    "densenet121.qdq": "one element is two steps off, as some are between ONNX Runtime's own levels of optimisation",
    "bert_mini.qdq": "ONNX Runtime's own levels of optimisation differ by a norm of 0.05",
    "bert_mini.qoperator": "QLinearAdd there adds the zero point before it rounds: 136.5000035 becomes 136 (README.md)",
}


def verify(cameo, path, target, seconds, given=("--against", "onnxruntime", "--python", sys.executable, "--seeds", "1")):
    """What verify says of it last: the worst output, and how many data sets passed. Its code is None where it takes longer."""
    command = [cameo, "verify", path, "--target", target, *given]
    # A session of its own: compilers that it has started end with it.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as program:
        try:
            out, said = program.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
            return None, f"takes more than {seconds} s"
    verdict = [line for line in said.splitlines() if not line.startswith("warning: ")] or out.splitlines()
    return program.returncode, "; ".join(line.strip() for line in verdict[-2:])


def verify_optimised(cameo, path, name, target, seconds):
    """The same against ONNX Runtime's optimised form, whose kernels sum integers and quantise by one factor."""
    import onnxruntime
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = models.inputs_of(onnx.load(path), name)
    outputs = dict(zip((port.name for port in session.get_outputs()), session.run(None, inputs), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        np.savez(arrays, **inputs, **outputs)
        return verify(cameo, path, target, seconds, ("--data", arrays))


def outcome(name, code, is_optimised):
    """A word for the table."""
    if code == 0:
        return "optimised" if is_optimised else "passed"
    if code is None:
        return "too long"
    return "left" if name in LEFT else "failed"


def read_outcomes():
    """{network: {form: [outcome by target]}} of the table that is there."""
    rows = [line.strip("| ").split(" | ") for line in RESULTS.read_text().splitlines() if line.startswith("| ")] if RESULTS.exists() else []
    return {row[0]: dict(zip(FORMS, (cell.split(", ") for cell in row[1:]), strict=True)) for row in rows[1:]}


def write(name, form, target, said):
    """The outcomes of others stay."""
    known = read_outcomes()
    known.setdefault(name, {}).setdefault(form, ["-"] * len(TARGETS))[TARGETS.index(target)] = said
    rows = [f"| {network} | " + " | ".join(", ".join(known[network].get(each, ["-"] * len(TARGETS))) for each in FORMS) + " |"
            for network in NETWORKS if network in known]
    RESULTS.write_text("\n".join([
        "# networks: whole networks as other tools save them", "",
        f"Each form of the networks of bench/versus against ONNX Runtime without its optimisations, on {' and '.join(TARGETS)};",
        "`tests/contrib/networks.py SCRATCH --verify CAMEO --target TARGET --write` writes this table.", "",
        "`-`: not run. `too long`: past --seconds. `optimised`: differs from that, and agrees with its optimised form. `left`: differs,",
        "for the reason below.", "",
        "| network | " + " | ".join(FORMS) + " |", "|--" * (len(FORMS) + 1) + "|", *rows, "",
        *(f"- {left}: {why}." for left, why in LEFT.items())]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--verify", metavar="CAMEO", help="verifies each against ONNX Runtime")
    parser.add_argument("--target", default="cpu", choices=TARGETS)
    parser.add_argument("--seconds", type=float, help="how long the verification of one form may take")
    parser.add_argument("--write", action="store_true", help="puts outcomes into bench/results/networks.md")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    wanted = [(name, form) for name in NETWORKS for form in FORMS
              if any(fnmatch.fnmatch(f"{name}.{form}", pattern) for pattern in given.patterns)]
    failed = 0
    for name, form in sample("contrib.networks", wanted):
        made = make(name, form, given.folder)
        if not given.verify:
            print(made)
            continue
        code, said = verify(given.verify, made, given.target, given.seconds)
        # Where a sum is near a half its two forms round differently, and a network goes on from there.
        is_optimised = form in QUANTISED and code not in (0, None)
        if is_optimised:
            again, said_again = verify_optimised(given.verify, made, name, given.target, given.seconds)
            code, said = (0, said_again) if again == 0 else (code, said)
        if given.write:
            write(name, form, given.target, outcome(made.stem, code, is_optimised))
        known = LEFT.get(made.stem, "")
        failed += code != 0 and not known
        print(f"{made.stem} on {given.target}: {'passed' if code == 0 else said}{f' ({known})' if code and known else ''}", flush=True)
        made.unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
